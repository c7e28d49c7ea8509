import { z } from 'zod';
import { Problem } from '#shared/problems.ts';
import { isServiceFileType, type ServiceFileType } from '#shared/meeting-services.ts';
import type { Config } from '../config.ts';
import { placeOf } from './asking.ts';
import type { FileRef, MeetingService, Recorded } from './meeting-service.ts';
import { askService, bearer, fetchFile, readAnswer, readTokens } from './service-answers.ts';

// Recordings of Webex, by its REST API and an integration. A recording is one file; its audio is available separately.

const recording = z.looseObject({
  id: z.string().min(1).max(500),
  topic: z.string().optional(),
  createTime: z.string().max(40).optional(),
  timeRecorded: z.string().max(40).optional(),
  durationSeconds: z.number().optional(),
  sizeBytes: z.number().optional(),
  format: z.string().max(40).optional(),
  playbackUrl: z.string().max(2000).optional(),
});
type Recording = z.infer<typeof recording>;
const page = z.looseObject({ items: z.array(recording).max(100) });
const details = recording.extend({
  temporaryDirectDownloadLinks: z
    .looseObject({
      recordingDownloadLink: z.string().max(8000).optional(),
      audioDownloadLink: z.string().max(8000).optional(),
    })
    .optional(),
});

const mostPages = 20;

export function webexService(config: NonNullable<Config['webex']>): MeetingService {
  const { clientId, clientSecret } = config;
  const [site, api] = [placeOf(config.url), placeOf(config.apiUrl)];

  const token = (fields: Record<string, string>) =>
    askService('webex', new URL(`${config.apiUrl}/access_token`), api, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields }).toString(),
    });

  async function one(access: string, { recordingId, fileId }: FileRef) {
    const url = new URL(`${config.apiUrl}/recordings/${encodeURIComponent(recordingId)}`);
    const found = readAnswer('webex', details, await askService('webex', url, api, { headers: bearer(access) }));
    const links = found.temporaryDirectDownloadLinks;
    const link: Record<ServiceFileType, string | undefined> = {
      MP4: found.format === 'MP4' ? links?.recordingDownloadLink : undefined,
      M4A: links?.audioDownloadLink,
    };
    if (!isServiceFileType(fileId) || link[fileId] === undefined)
      throw new Problem('NO_ACCESS', { message: 'This recording cannot be downloaded' });
    return { found, type: fileId, link: link[fileId] };
  }

  return {
    id: 'webex',
    authorizationUrl({ state, redirectUri }) {
      const url = new URL(`${config.apiUrl}/authorize`);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'meeting:recordings_read',
        state,
      }).toString();
      return url;
    },
    async exchange(code, { redirectUri }) {
      return readTokens('webex', await token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }));
    },
    async refresh(refreshToken) {
      return readTokens('webex', await token({ grant_type: 'refresh_token', refresh_token: refreshToken }));
    },
    // Integrations cannot revoke tokens; people end the access in their Webex settings.
    revoke: () => Promise.resolve(),
    async list(access, { from, to, pageSize }) {
      const found: Recorded[] = [];
      const first = new URL(`${config.apiUrl}/recordings`);
      const parameters = { from: from.toISOString(), to: to.toISOString(), max: String(pageSize) };
      first.search = new URLSearchParams(parameters).toString();
      let next: URL | null = first;
      for (let nth = 0; nth < mostPages && next; nth += 1) {
        const answer = await askService('webex', next, api, { headers: bearer(access) });
        found.push(...readAnswer('webex', page, answer).items.map(recorded));
        next = nextOf(first, [answer.headers['link']].flat().join(', '));
      }
      return found;
    },
    async find(access, ref) {
      const { found, type } = await one(access, ref);
      const bytes = type === 'MP4' ? (found.sizeBytes ?? null) : null;
      return { title: found.topic ?? '', type, seconds: secondsOf(found), bytes };
    },
    async fetch(access, ref, from, signal) {
      // Download addresses authenticate by themselves.
      const { link } = await one(access, ref);
      return fetchFile('webex', link, site, from, {}, signal);
    },
  };
}

/**
 * The next page of the same list. Other addresses are never requested, because the request carries a person's token.
 */
function nextOf(first: URL, link: string): URL | null {
  const [, address] = /<([^<>]+)>\s*;\s*rel="?next"?/.exec(link) ?? [];
  if (address === undefined || !URL.canParse(address, first)) return null;
  const next = new URL(address, first);
  return next.origin === first.origin && next.pathname === first.pathname ? next : null;
}

function recorded(one: Recording): Recorded {
  const at = one.createTime ?? one.timeRecorded ?? null;
  const type = one.format ?? '';
  return {
    id: one.id,
    title: one.topic ?? '',
    at,
    files: [
      {
        id: type,
        type,
        kind: '',
        from: one.timeRecorded ?? null,
        to: null,
        seconds: secondsOf(one),
        playUrl: one.playbackUrl?.startsWith('https://') ? one.playbackUrl : null,
      },
    ],
  };
}

const secondsOf = ({ durationSeconds }: Recording): number | null =>
  durationSeconds !== undefined && durationSeconds > 0 ? Math.ceil(durationSeconds) : null;
