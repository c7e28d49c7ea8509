import { Readable } from 'node:stream';
import { NotLetIn, type MeetingService } from '#server/outside/meeting-service.ts';
import type { Services } from '#server/intake/service-accounts.ts';
import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';
import { Problem } from '#shared/problems.ts';
import { tone } from './intake.ts';
import type { Person } from './people.ts';
import type { TestHouse } from './house.ts';

// Services that say what they are told to, where those with real lines (meeting-services.ts) have nothing to add: a recording
// called `there` is there, one called `busy` cannot be asked for, one called `huge` is larger than may be.

const thereFile = { zoom: 'file', webex: 'MP4' } as const;
/** A page of so many is more than it can do. */
export const busyPage = 13;

function scripted(id: ServiceId): MeetingService {
  const busy = () => new Problem('UPSTREAM', { message: `${serviceNames[id]} could not be reached` });
  const tokens = { access: 'access', refresh: 'refresh', seconds: 3600 };
  return {
    id,
    authorizationUrl: ({ state }) => new URL(`https://${id}.example/authorize?state=${state}`),
    exchange: (code) => (code === 'good' ? Promise.resolve(tokens) : Promise.reject(new NotLetIn())),
    refresh: () => Promise.reject(new NotLetIn()),
    revoke: () => Promise.resolve(),
    list: (_access, { pageSize }) =>
      pageSize === busyPage
        ? Promise.reject(busy())
        : Promise.resolve([
            {
              id: 'there',
              title: 'Weekly',
              at: '2026-01-05T10:00:00Z',
              files: [
                {
                  id: thereFile[id],
                  type: 'MP4',
                  kind: 'active_speaker',
                  from: '2026-01-05T10:00:00Z',
                  to: '2026-01-05T10:01:30Z',
                  seconds: 90,
                  playUrl: null,
                },
                { id: 'text', type: 'TRANSCRIPT', kind: '', from: null, to: null, seconds: null, playUrl: null },
              ],
            },
          ]),
    find: (_access, { recordingId, fileId }) => {
      if (recordingId === 'busy') return Promise.reject(busy());
      const bytes = recordingId === 'huge' ? 3 * 1024 ** 3 : 100;
      const found = { title: 'Weekly', type: 'MP4' as const, seconds: 90, bytes };
      return recordingId !== 'elsewhere' && fileId === thereFile[id]
        ? Promise.resolve(found)
        : Promise.reject(new Problem('NO_ACCESS'));
    },
    fetch: () => Promise.resolve({ from: 0, bytes: null, mark: null, content: Readable.from([tone()]) }),
  };
}

export const scriptedServices = (): Services => ({ zoom: scripted('zoom'), webex: scripted('webex') });

/** As if it were not configured, the next time somebody looks, or so many times. */
export function offOnce({ house: { services } }: TestHouse, id: ServiceId, looks = 1): void {
  const service = services[id];
  let left = looks;
  Object.defineProperty(services, id, {
    configurable: true,
    enumerable: true,
    get() {
      left -= 1;
      if (left > 0) return null;
      Object.defineProperty(services, id, { configurable: true, enumerable: true, writable: true, value: service });
      return null;
    },
  });
}

/** A flow that waits for its person to come back: its state. */
export async function begunService(person: Person, id: ServiceId, next = '/profile'): Promise<string> {
  const away = await person.get(`/api/login/${id}?next_url=${encodeURIComponent(next)}`);
  return new URL(away.headers.get('location') ?? `http://none/?${away.text}`).searchParams.get('state') ?? '';
}

export async function letIn(person: Person, id: ServiceId): Promise<void> {
  const back = await person.get(`/api/login/${id}/callback?code=good&state=${await begunService(person, id)}`);
  if (back.status !== 302) throw new Error(back.text);
}
