import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FileRef } from '#server/outside/meeting-service.ts';
import type { Answer, Person } from './people.ts';

// Servers that imitate Zoom and Webex: people authorise an application by OAuth with codes, tokens expire, and
// recordings are listed in pages and sent in ranges. Zoom accepts each refresh token once, Webex any number of times.

export interface Kept {
  /** Id of the meeting. */
  id: string;
  /** Id of the file; at Webex its type. */
  fileId: string;
  topic: string;
  at: string;
  type: string;
  kind: string;
  seconds: number;
  content: Buffer;
  status: string;
}

/** Answers a request for a recording's bytes instead of the server. */
type Sender = (request: IncomingMessage, response: ServerResponse, one: Kept, nth: number) => void;

const unguessable = (what: string) => `${what}-${randomBytes(24).toString('base64url')}`;

async function openService(kind: 'zoom' | 'webex') {
  const zoom = kind === 'zoom';
  const clientId = `colloquy-${kind}`;
  const clientSecret = unguessable('client-secret');
  const recordings = new Map<string, Kept[]>();
  const codes = new Map<string, { person: string; redirectUri: string; challenge: string | null }>();
  const access = new Map<string, { person: string; holds: boolean }>();
  const refresh = new Map<string, { person: string; holds: boolean }>();
  const links = new Map<string, Kept>();
  /** Secrets that only the two sides may ever see. */
  const secrets: string[] = [clientSecret];
  const mood = {
    answers: 'well' as 'well' | 'busy' | 'crowded' | 'never' | 'garbage' | 'forbids',
    /** Seconds an access token lasts. */
    expiresIn: 3600,
    /** Delays the token answer until it settles. */
    beforeTokens: null as (() => Promise<void>) | null,
    send: null as Sender | null,
    /** Whether the server supports ranges. */
    ranges: true,
    /** Requests that are answered as busy. */
    busyFor: null as ((url: URL) => boolean) | null,
  };
  /** Requests received, as `GET /v2/…`, without credentials. */
  const asked: string[] = [];
  let sent = 0;

  const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

  const grant = (person: string) => {
    const [one, other] = [unguessable('access'), unguessable('refresh')];
    secrets.push(one, other);
    access.set(one, { person, holds: true });
    refresh.set(other, { person, holds: true });
    return { token_type: 'bearer', access_token: one, refresh_token: other, expires_in: mood.expiresIn };
  };

  function authorize(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const back = new URL(redirectUri);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    if (url.searchParams.get('client_id') !== clientId) return void json(response, 400, { error: 'invalid_client' });
    const person = request.headers['x-person'];
    const code = (who: string) => {
      const made = unguessable('code');
      secrets.push(made);
      codes.set(made, { person: who, redirectUri, challenge: url.searchParams.get('code_challenge') });
      return made;
    };
    if (typeof person === 'string') {
      if (person === 'nobody') back.searchParams.set('error', 'access_denied');
      else back.searchParams.set('code', code(person));
      return void response.writeHead(302, { Location: back.href }).end();
    }
    // A browser gets a page that asks the person.
    const yes = new URL(back);
    yes.searchParams.set('code', code('ann'));
    back.searchParams.set('error', 'access_denied');
    const page = `<!doctype html><title>Let Colloquy in?</title><h1>Let Colloquy in?</h1><a href="${escaped(yes.href)}">Allow</a> <a href="${escaped(back.href)}">Deny</a>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = new URLSearchParams(await text(request));
    await mood.beforeTokens?.();
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const known = zoom
      ? request.headers.authorization === basic
      : fields.get('client_id') === clientId && fields.get('client_secret') === clientSecret;
    if (!known) return void json(response, 401, { reason: 'Invalid client', error: 'invalid_client' });
    if (fields.get('grant_type') === 'authorization_code') {
      const code = fields.get('code') ?? '';
      const found = codes.get(code);
      codes.delete(code);
      const verifier = createHash('sha256')
        .update(fields.get('code_verifier') ?? '')
        .digest('base64url');
      const right =
        found?.redirectUri === fields.get('redirect_uri') && (found?.challenge == null || found.challenge === verifier);
      if (!found || !right) return void json(response, 400, { reason: 'Invalid code', error: 'invalid_grant' });
      return void json(response, 200, grant(found.person));
    }
    const given = fields.get('refresh_token') ?? '';
    const found = refresh.get(given);
    if (!found?.holds) return void json(response, 400, { reason: 'Invalid Token!', error: 'invalid_grant' });
    if (zoom) found.holds = false;
    const next = grant(found.person);
    json(response, 200, zoom ? next : { ...next, refresh_token: given });
  }

  function zoomApi(response: ServerResponse, url: URL, person: string, path: string): void {
    const mine = recordings.get(person) ?? [];
    const file = (one: Kept) => ({
      id: one.fileId,
      meeting_id: one.id,
      file_type: one.type,
      recording_type: one.kind,
      recording_start: one.at,
      recording_end: new Date(Date.parse(one.at) + one.seconds * 1000).toISOString(),
      file_size: one.content.length,
      play_url: `https://zoom.example/rec/play/${one.fileId}`,
      download_url: `${service.origin}/rec/download/${encodeURIComponent(one.fileId)}`,
      status: one.status,
    });
    const meeting = (id: string) => {
      const files = mine.filter((one) => one.id === id);
      const [first] = files;
      return { uuid: id, topic: first?.topic, start_time: first?.at, recording_files: files.map(file) };
    };
    if (path === '/users/me/recordings') {
      const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
      const day = 86_400_000;
      if (from === undefined || to === undefined || !(from <= to) || to - from > 31 * day)
        return void json(response, 400, { code: 300, message: 'from and to' });
      const within = mine.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to + day);
      const ids = [...new Set(within.map(({ id }) => id))];
      const size = Number(url.searchParams.get('page_size'));
      const start = Number(url.searchParams.get('next_page_token') ?? '0');
      const next = start + size < ids.length ? String(start + size) : '';
      const meetings = ids.slice(start, start + size).map(meeting);
      return void json(response, 200, { page_size: size, next_page_token: next, meetings });
    }
    const [, named] = /^\/meetings\/([^/]+)\/recordings$/.exec(path) ?? [];
    if (named === undefined) return void json(response, 404, { code: 404, message: 'Not found' });
    const once = decodeURIComponent(named);
    const id = once.includes('%') ? decodeURIComponent(once) : once;
    // An id that begins with a slash or contains two in a row must be encoded twice.
    if (!mine.some((one) => one.id === id) || (once.includes('/') && (once.startsWith('/') || once.includes('//'))))
      return void json(response, 404, { code: 3301, message: 'There is no recording for this meeting' });
    json(response, 200, meeting(id));
  }

  function webexApi(response: ServerResponse, url: URL, person: string, path: string): void {
    const mine = recordings.get(person) ?? [];
    const about = (one: Kept) => ({
      id: one.id,
      topic: one.topic,
      createTime: one.at,
      timeRecorded: one.at,
      durationSeconds: one.seconds,
      sizeBytes: one.content.length,
      format: one.type,
      status: one.status,
    });
    if (path === '/recordings') {
      const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
      const most = Number(url.searchParams.get('max'));
      if (from === undefined || to === undefined || !(from <= to) || !(most >= 1 && most <= 100))
        return void json(response, 400, { message: 'from, to and max' });
      const within = mine.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
      const start = Number(url.searchParams.get('cursor') ?? '0');
      const next = new URL(url);
      next.searchParams.set('cursor', String(start + most));
      const headers: Record<string, string> =
        start + most < within.length ? { Link: `<${next.href}>; rel="next"` } : {};
      return void json(response, 200, { items: within.slice(start, start + most).map(about) }, headers);
    }
    const [, named = ''] = /^\/recordings\/([^/]+)$/.exec(path) ?? [];
    const one = mine.find(({ id }) => id === decodeURIComponent(named));
    if (!one) return void json(response, 404, { message: 'Not found' });
    const ticket = unguessable('ticket');
    secrets.push(ticket);
    links.set(ticket, one);
    const link = `${service.origin}/nbr/download?ticket=${ticket}`;
    json(response, 200, {
      ...about(one),
      temporaryDirectDownloadLinks: { recordingDownloadLink: link, audioDownloadLink: link },
    });
  }

  function send(request: IncomingMessage, response: ServerResponse, one: Kept): void {
    sent += 1;
    if (mood.send) return mood.send(request, response, one, sent);
    sendBytes(request, response, one.content, mood.ranges);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', service.origin);
    asked.push(`${request.method} ${url.pathname}${url.search}`);
    const path = url.pathname;
    if (path === (zoom ? '/oauth/authorize' : '/v1/authorize')) return authorize(request, response, url);
    if (mood.answers === 'never') return;
    if (mood.answers === 'busy' || mood.busyFor?.(url))
      return void json(response, 503, { message: 'secret words of the service' });
    if (mood.answers === 'forbids') return void json(response, 400, { code: 4711, message: 'scopes are missing' });
    if (mood.answers === 'crowded') return void json(response, 429, { code: 429 }, { 'Retry-After': '30' });
    if (mood.answers === 'garbage') return void response.writeHead(200).end('<html>not what was asked for</html>');
    if (path === (zoom ? '/oauth/token' : '/v1/access_token')) return token(request, response);
    if (zoom && path === '/oauth/revoke') {
      const given = new URLSearchParams(await text(request)).get('token') ?? '';
      const person = access.get(given)?.person;
      for (const held of [...access.values(), ...refresh.values()]) if (held.person === person) held.holds = false;
      return void json(response, 200, { status: 'success' });
    }
    const ticket = url.searchParams.get('ticket');
    const linked = ticket === null ? undefined : links.get(ticket);
    if (linked) return send(request, response, linked);
    const held = access.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (!held?.holds) return void json(response, 401, { code: 124, message: 'Invalid access token.' });
    if (zoom && path.startsWith('/rec/download/')) {
      const id = decodeURIComponent(path.slice('/rec/download/'.length));
      const one = recordings.get(held.person)?.find(({ fileId }) => fileId === id);
      return one ? send(request, response, one) : void json(response, 404, {});
    }
    const [, rest = ''] = (zoom ? /^\/v2(\/.*)$/ : /^\/v1(\/.*)$/).exec(path) ?? [];
    return zoom ? zoomApi(response, url, held.person, rest) : webexApi(response, url, held.person, rest);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upper = kind.toUpperCase();

  const service = {
    kind,
    origin,
    mood,
    asked,
    secrets,
    clientId,
    clientSecret,
    /** Configuration of a house whose people import from this service. */
    env: {
      [`${upper}_CLIENT_ID`]: clientId,
      [`${upper}_CLIENT_SECRET`]: clientSecret,
      [`${upper}_URL`]: origin,
      [`${upper}_API_URL`]: `${origin}${zoom ? '/v2' : '/v1'}`,
    } as Record<string, string>,
    /** Number of requests for bytes of a recording. */
    sent: () => sent,
    recordings,
    /** Adds a recording of a person's; later ones are listed behind it. */
    keep(person: string, fields: Partial<Kept> = {}): FileRef & Kept {
      const id = fields.id ?? (zoom ? randomBytes(16).toString('base64') : randomBytes(16).toString('hex'));
      const type = fields.type ?? 'MP4';
      const one: Kept = {
        topic: 'Weekly',
        at: new Date(Date.now() - 86_400_000).toISOString(),
        kind: 'shared_screen_with_speaker_view',
        seconds: 60,
        content: Buffer.from('a recording'),
        status: zoom ? 'completed' : 'available',
        ...fields,
        id,
        type,
        fileId: fields.fileId ?? (zoom ? randomBytes(12).toString('hex') : type),
      };
      recordings.set(person, [...(recordings.get(person) ?? []), one]);
      return { ...one, recordingId: one.id };
    },
    /** Expires all access tokens. */
    expire(): void {
      for (const held of access.values()) held.holds = false;
    },
    /** Revokes the application's access to a person's account. */
    revoke(person: string): void {
      for (const held of [...access.values(), ...refresh.values()]) if (held.person === person) held.holds = false;
    },
    /** Number of a person's refresh tokens that are still valid. */
    held: (person: string) => [...refresh.values()].filter((one) => one.person === person && one.holds).length,
    /** Follows the consent page; returns the address to which the service sends the browser back. */
    async consent(address: string, as: string): Promise<URL> {
      const answered = await fetch(address, { redirect: 'manual', headers: { 'X-Person': as } });
      const location = answered.headers.get('location');
      if (location === null) throw new Error(`the service stopped: ${answered.status} ${await answered.text()}`);
      return new URL(location);
    },
    /** Runs the whole flow in one browser: to the service, consent, and back to the house. */
    async letIn(person: Person, as: string, next = '/'): Promise<Answer> {
      const away = await person.get(`/api/login/${kind}?next_url=${encodeURIComponent(next)}`);
      const back = await service.consent(away.headers.get('location') ?? '', as);
      return person.get(back.pathname + back.search);
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Sends bytes as file servers do; with `until` the connection breaks there. */
export function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  ranges = true,
  until?: number,
): void {
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const from = ranges && first !== undefined ? Number(first) : 0;
  const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;
  const part = content.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    'Content-Type': 'video/mp4',
    'Content-Length': String(part.length),
    ETag: etag,
    ...(from > 0 && { 'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  });
  if (until === undefined) return void response.end(part);
  response.write(content.subarray(from, Math.max(from, until)), () => response.destroy());
}

export const openZoom = () => openService('zoom');
export const openWebex = () => openService('webex');
export type TestService = Awaited<ReturnType<typeof openService>>;
