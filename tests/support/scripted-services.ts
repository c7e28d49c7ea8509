import { Readable } from 'node:stream';
import { NotLetIn, type MeetingService } from '#server/outside/meeting-service.ts';
import type { Services } from '#server/intake/service-accounts.ts';
import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';
import { Problem } from '#shared/problems.ts';
import { tone } from './intake.ts';
import type { Person } from './people.ts';
import type { TestHouse } from './house.ts';

// Scripted meeting services, for tests in which those with real connections (meeting-services.ts) add nothing: the
// recording `there` exists, `busy` cannot be requested, `huge` is larger than allowed.

const thereFile = { zoom: 'file', webex: 'MP4' } as const;
/** Page size that the scripted service refuses as busy. */
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

/** Makes a service look unconfigured for the next lookup, or for that many. */
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

/** State of a flow that waits for its person to come back. */
export async function begunService(person: Person, id: ServiceId, next = '/profile'): Promise<string> {
  const away = await person.get(`/api/login/${id}?next_url=${encodeURIComponent(next)}`);
  return new URL(away.headers.get('location') ?? `http://none/?${away.text}`).searchParams.get('state') ?? '';
}

export async function letIn(person: Person, id: ServiceId): Promise<void> {
  const back = await person.get(`/api/login/${id}/callback?code=good&state=${await begunService(person, id)}`);
  if (back.status !== 302) throw new Error(back.text);
}
