import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isServiceFileType } from '#shared/meeting-services.ts';
import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import { placeOf } from './asking.ts';
import type { FileRef, MeetingService, Recorded } from './meeting-service.ts';
import { askService, bearer, fetchFile, readAnswer, readTokens, upstream } from './service-answers.ts';

// Cloud recordings of Zoom, by its REST API v2 and OAuth for a person. Each refresh token works only once.

const file = z.looseObject({
  id: z.string().max(300).optional(),
  file_type: z.string().max(40).optional(),
  recording_type: z.string().max(100).optional(),
  recording_start: z.string().max(40).optional(),
  recording_end: z.string().max(40).optional(),
  file_size: z.number().optional(),
  play_url: z.string().max(2000).optional(),
  download_url: z.string().max(8000).optional(),
  status: z.string().max(40).optional(),
});
type File = z.infer<typeof file>;
const meeting = z.looseObject({
  uuid: z.string().min(1).max(300),
  topic: z.string().optional(),
  start_time: z.string().max(40).optional(),
  recording_files: z.array(file).max(500).default([]),
});
const page = z.looseObject({ meetings: z.array(meeting).max(300), next_page_token: z.string().max(2000).optional() });

/** More pages than one person's meetings of a month fill. */
const mostPages = 20;
const day = (at: Date): string => at.toISOString().slice(0, 10);

export function zoomService(config: NonNullable<Config['zoom']>): MeetingService {
  const { clientId, clientSecret } = config;
  const [site, api] = [placeOf(config.url), placeOf(config.apiUrl)];
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

  const post = (path: string, fields: Record<string, string>) =>
    askService('zoom', new URL(config.url + path), site, {
      method: 'POST',
      headers: { Authorization: basic, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });

  async function files(access: string, { recordingId }: FileRef) {
    // An id that begins with a slash or contains two would be read as a path unless it is encoded twice.
    const twice = recordingId.startsWith('/') || recordingId.includes('//');
    const name = encodeURIComponent(twice ? encodeURIComponent(recordingId) : recordingId);
    const url = new URL(`${config.apiUrl}/meetings/${name}/recordings`);
    return readAnswer('zoom', meeting, await askService('zoom', url, api, { headers: bearer(access) }));
  }

  async function one(access: string, ref: FileRef) {
    const { topic = '', recording_files } = await files(access, ref);
    const found = recording_files.find(({ id }) => id === ref.fileId);
    const type = found?.file_type ?? '';
    if (!found || !isServiceFileType(type) || !isDone(found))
      throw new Problem('NO_ACCESS', { message: 'This recording is not there any more' });
    return { topic, found, type };
  }

  return {
    id: 'zoom',
    authorizationUrl({ state, verifier, redirectUri }) {
      const url = new URL(`${config.url}/oauth/authorize`);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString();
      return url;
    },
    async exchange(code, { verifier, redirectUri }) {
      const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      return readTokens('zoom', await post('/oauth/token', fields));
    },
    async refresh(token) {
      return readTokens('zoom', await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token }));
    },
    async revoke({ access }) {
      const { status } = await post('/oauth/revoke', { token: access });
      if (status !== 200) throw upstream('zoom', `answered ${status} where a token was given back`);
    },
    async list(access, { from, to, pageSize }) {
      const meetings: Recorded[] = [];
      let next = '';
      for (let nth = 0; nth < mostPages; nth += 1) {
        const url = new URL(`${config.apiUrl}/users/me/recordings`);
        const parameters = { from: day(from), to: day(to), page_size: String(pageSize) };
        url.search = new URLSearchParams({ ...parameters, ...(next && { next_page_token: next }) }).toString();
        const answer = await askService('zoom', url, api, { headers: bearer(access) });
        const answered = readAnswer('zoom', page, answer);
        meetings.push(...answered.meetings.map(recorded));
        next = answered.next_page_token ?? '';
        if (next === '') break;
      }
      return meetings;
    },
    async find(access, ref) {
      const { topic, found, type } = await one(access, ref);
      return { title: topic, type, seconds: secondsOf(found), bytes: found.file_size ?? null };
    },
    async fetch(access, ref, from, signal) {
      const { found } = await one(access, ref);
      return fetchFile('zoom', found.download_url ?? '', site, from, bearer(access), signal);
    },
  };

  function recorded({ uuid, topic = '', start_time, recording_files }: z.infer<typeof meeting>): Recorded {
    return {
      id: uuid,
      title: topic,
      at: start_time ?? null,
      files: recording_files.filter(isDone).flatMap((one) => ({
        id: one.id ?? '',
        type: one.file_type ?? '',
        kind: one.recording_type ?? '',
        from: one.recording_start ?? null,
        to: one.recording_end ?? null,
        seconds: secondsOf(one),
        playUrl: one.play_url?.startsWith('https://') ? one.play_url : null,
      })),
    };
  }
}

/** Files that Zoom is still processing have no bytes yet. */
const isDone = ({ id, status = 'completed' }: File): boolean => id !== undefined && id !== '' && status === 'completed';

function secondsOf({ recording_start, recording_end }: File): number | null {
  const ms = Date.parse(recording_end ?? '') - Date.parse(recording_start ?? '');
  return ms > 0 ? Math.ceil(ms / 1000) : null;
}
