// Requirements on a service that has recordings, on imitations of Zoom and of Webex.
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { download, isInside, isWithin, placeOf } from '#server/outside/asking.ts';
import { NotLetIn, type MeetingService, type Tokens } from '#server/outside/meeting-service.ts';
import { webexService } from '#server/outside/webex.ts';
import { zoomService } from '#server/outside/zoom.ts';
import { openWebex, openZoom, sendBytes, type TestService } from '#tests/support/meeting-services.ts';

const kinds = {
  zoom: {
    open: openZoom,
    service: (env: Record<string, string>) => zoomService(present(readConfig(env, '/srv').zoom)),
  },
  webex: {
    open: openWebex,
    service: (env: Record<string, string>) => webexService(present(readConfig(env, '/srv').webex)),
  },
};
function present<T>(value: T | null): T {
  if (value === null) throw new Error('it is not configured');
  return value;
}
const flow = { verifier: 'v'.repeat(43), redirectUri: 'http://127.0.0.1:4000/api/login/x/callback' };
const forever = new AbortController().signal;
const day = 86_400_000;
const month = () => ({ from: new Date(Date.now() - 29 * day), to: new Date(Date.now() + day), pageSize: 100 });

describe.each(['zoom', 'webex'] as const)('%s', (kind) => {
  let there: TestService;
  let service: MeetingService;
  beforeEach(async () => {
    there = await kinds[kind].open();
    service = kinds[kind].service(there.env);
  });
  afterEach(() => there.close());

  async function code(as = 'ann', given = flow): Promise<string> {
    const url = service.authorizationUrl({ ...given, state: 's'.repeat(43) });
    const back = await there.consent(url.href, as);
    expect(back.searchParams.get('state')).toBe('s'.repeat(43));
    return back.searchParams.get('code') ?? '';
  }
  const letIn = async (as = 'ann'): Promise<Tokens> => service.exchange(await code(as), flow);

  test('gets no request before a person authorises us', () => {
    expect(there.asked).toEqual([]);
  });

  test('exchanges a code for tokens once, and only with the redirect address it was made for', async () => {
    const once = await code();
    expect(await service.exchange(once, flow)).toEqual({
      access: expect.stringMatching(/^access-/),
      refresh: expect.stringMatching(/^refresh-/),
      seconds: 3600,
    });
    await expect(service.exchange(once, flow)).rejects.toBeInstanceOf(NotLetIn);
    const elsewhere = { ...flow, redirectUri: `${flow.redirectUri}/other` };
    await expect(service.exchange(await code(), elsewhere)).rejects.toBeInstanceOf(NotLetIn);
    await expect(service.exchange('made up', flow)).rejects.toBeInstanceOf(NotLetIn);
  });

  test('continues with the next pair when a token has expired', async () => {
    const first = await letIn();
    there.expire();
    await expect(service.list(first.access, month())).rejects.toBeInstanceOf(NotLetIn);
    const next = await service.refresh(first.refresh);
    expect(next.access).not.toBe(first.access);
    expect(await service.list(next.access, month())).toEqual([]);
  });

  test('access revoked there is NotLetIn, for requests and for refreshing', async () => {
    const tokens = await letIn();
    there.revoke('ann');
    await expect(service.list(tokens.access, month())).rejects.toBeInstanceOf(NotLetIn);
    await expect(service.refresh(tokens.refresh)).rejects.toBeInstanceOf(NotLetIn);
  });

  test('an application that the service rejects is no error that a person could fix', async () => {
    const [id] = Object.keys(there.env).filter((key) => key.endsWith('CLIENT_SECRET'));
    const wrong = kinds[kind].service({ ...there.env, [id ?? '']: 'another' });
    const { refresh } = await letIn();
    await expect(wrong.refresh(refresh)).rejects.toMatchObject({ code: 'UPSTREAM' });
    await expect(wrong.exchange(await code(), flow)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  test('lists all of a person’s own recordings in the window, over any number of pages', async () => {
    const at = (days: number) => new Date(Date.now() - days * day).toISOString();
    const mine = Array.from({ length: 7 }, (_, i) => there.keep('ann', { topic: `Meeting ${i}`, at: at(i + 1) }));
    there.keep('ann', { topic: 'Long ago', at: at(100) });
    there.keep('ben', { topic: 'Of somebody else' });
    const { access } = await letIn();
    const listed = await service.list(access, { ...month(), pageSize: 3 });
    expect(listed.map(({ id, title }) => [id, title])).toEqual(mine.map(({ id, topic }) => [id, topic]));
    expect(listed[0]).toMatchObject({ at: mine[0]?.at, files: [{ id: mine[0]?.fileId, type: 'MP4', seconds: 60 }] });
    expect(there.asked.filter((line) => line.includes('recordings?'))).toHaveLength(3);
  });

  test('finds a file again, and refuses missing files, other people’s files and files that are no recordings', async () => {
    const mine = there.keep('ann', { topic: 'Weekly', seconds: 61, content: Buffer.alloc(1234) });
    const other = there.keep('ben');
    const text = there.keep('ann', { type: kind === 'zoom' ? 'TRANSCRIPT' : 'ARF' });
    const { access } = await letIn();
    expect(await service.find(access, mine)).toEqual({ title: 'Weekly', type: 'MP4', seconds: 61, bytes: 1234 });
    for (const ref of [other, text, { ...mine, fileId: 'nothing' }, { ...mine, recordingId: '../../users' }]) {
      await expect(service.find(access, ref)).rejects.toMatchObject({ code: 'NO_ACCESS' });
      await expect(service.fetch(access, ref, 0, forever)).rejects.toMatchObject({ code: 'NO_ACCESS' });
    }
  });

  test('sends a file, and the rest of the same file after a broken connection', async () => {
    const content = Buffer.from('0123456789');
    const mine = there.keep('ann', { content });
    const { access } = await letIn();
    const whole = await service.fetch(access, mine, 0, forever);
    expect(whole).toMatchObject({ from: 0, bytes: 10 });
    expect(await buffer(whole.content)).toEqual(content);
    const rest = await service.fetch(access, mine, 4, forever);
    expect(rest).toMatchObject({ from: 4, bytes: 10, mark: whole.mark });
    expect((await buffer(rest.content)).toString()).toBe('456789');
    there.mood.ranges = false;
    expect(await service.fetch(access, mine, 4, forever)).toMatchObject({ from: 0, bytes: 10 });
  });

  test('follows a redirect on the same host, and to no other host', async () => {
    const other = await kinds[kind].open();
    try {
      const mine = there.keep('ann', { content: Buffer.from('here') });
      const { access } = await letIn();
      there.mood.send = (request, response, { content }) =>
        request.url?.includes('again')
          ? sendBytes(request, response, content)
          : response
              .writeHead(302, { Location: `${request.url}${request.url?.includes('?') ? '&' : '?'}again=1` })
              .end();
      expect((await buffer((await service.fetch(access, mine, 0, forever)).content)).toString()).toBe('here');
      const port = new URL(there.origin).port;
      for (const to of [
        other.origin,
        'http://127.0.0.1:1/',
        `http://localhost:${port}/`,
        `https://127.0.0.1:${port}/`,
        `http://ann:secret@127.0.0.1:${port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'http://[',
      ]) {
        there.mood.send = (_, response) => response.writeHead(302, { Location: to }).end();
        await expect(service.fetch(access, mine, 0, forever), to).rejects.toMatchObject({ code: 'UPSTREAM' });
      }
      // Redirects to itself for ever.
      there.mood.send = (request, response) => response.writeHead(302, { Location: request.url ?? '' }).end();
      await expect(service.fetch(access, mine, 0, forever)).rejects.toMatchObject({ code: 'UPSTREAM' });
      expect(other.asked).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test.each(['busy', 'crowded', 'garbage', 'forbids'] as const)(
    'answers when it is %s are not passed on',
    async (answers) => {
      const mine = there.keep('ann');
      const { access, refresh } = await letIn();
      there.mood.answers = answers;
      const asking = [
        () => service.list(access, month()),
        () => service.find(access, mine),
        ...(answers === 'forbids' ? [] : [() => service.refresh(refresh)]),
      ];
      for (const ask of asking) {
        const failed = (await ask().catch((error: unknown) => error)) as Error;
        expect(failed).toMatchObject({ code: 'UPSTREAM' });
        expect(`${failed.message} ${(failed.cause as Error).message}`).not.toMatch(
          /secret|scopes|html|access-|refresh-/,
        );
      }
    },
  );

  test('is unreachable: the error says so, without the address', async () => {
    const { access } = await letIn();
    await there.close();
    const failed = (await service.list(access, month()).catch((error: unknown) => error)) as Error;
    expect(failed).toMatchObject({ code: 'UPSTREAM', message: expect.stringContaining('could not be reached') });
    there = await kinds[kind].open();
  });

  test('a web page is no recording', async () => {
    const mine = there.keep('ann');
    const { access } = await letIn();
    there.mood.send = (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Log in</h1>');
    await expect(service.fetch(access, mine, 0, forever)).rejects.toBeInstanceOf(NotLetIn);
  });

  test('revokes tokens, as far as it can', async () => {
    const tokens = await letIn();
    await service.revoke(tokens);
    expect(there.held('ann')).toBe(kind === 'zoom' ? 0 : 1);
  });
});

describe('only at Zoom', () => {
  let there: TestService;
  beforeEach(async () => void (there = await openZoom()));
  afterEach(() => there.close());

  test('a code is useless without the verifier it was requested with', async () => {
    const service = kinds.zoom.service(there.env);
    const back = await there.consent(service.authorizationUrl({ ...flow, state: 'x' }).href, 'ann');
    const code = back.searchParams.get('code') ?? '';
    await expect(service.exchange(code, { ...flow, verifier: 'w'.repeat(43) })).rejects.toBeInstanceOf(NotLetIn);
  });

  test('a refresh token is accepted once', async () => {
    const service = kinds.zoom.service(there.env);
    const back = await there.consent(service.authorizationUrl({ ...flow, state: 'x' }).href, 'ann');
    const { refresh } = await service.exchange(back.searchParams.get('code') ?? '', flow);
    await service.refresh(refresh);
    await expect(service.refresh(refresh)).rejects.toBeInstanceOf(NotLetIn);
  });

  test.each(['/begins+with/slash==', 'two//slashes==', 'one/slash==', 'plain=='])('a meeting called %s', async (id) => {
    const service = kinds.zoom.service(there.env);
    const mine = there.keep('ann', { id });
    const back = await there.consent(service.authorizationUrl({ ...flow, state: 'x' }).href, 'ann');
    const { access } = await service.exchange(back.searchParams.get('code') ?? '', flow);
    expect(await service.find(access, mine)).toMatchObject({ title: 'Weekly' });
  });
});

test.each(['before it begins', 'in the middle'])('a download that stalls %s is cancelled', async (when) => {
  const there = await openZoom();
  try {
    const { fileId } = there.keep('ann');
    const service = kinds.zoom.service(there.env);
    const back = await there.consent(service.authorizationUrl({ ...flow, state: 'x' }).href, 'ann');
    const { access } = await service.exchange(back.searchParams.get('code') ?? '', flow);
    there.mood.send = (_, response) => {
      if (when === 'in the middle') response.writeHead(200, { 'Content-Length': '1000' }).write('x');
    };
    const url = new URL(`${there.origin}/rec/download/${fileId}`);
    const asking = { headers: { Authorization: `Bearer ${access}` }, signal: forever };
    const coming = download(url, placeOf(there.origin), asking, 200).then(({ content }) => buffer(content));
    await expect(coming).rejects.toMatchObject({ name: 'Silent' });
  } finally {
    await there.close();
  }
});

describe('addresses at which a service may be reached', () => {
  test.each([
    ['https://zoom.us/rec/download/1', true],
    ['https://us02web.zoom.us/rec/download/1', true],
    ['https://zoom.us.evil.example/', false],
    ['https://evilzoom.us/', false],
    ['https://zoom.us:8443/', false],
    ['http://zoom.us/', false],
    ['https://ann@zoom.us/', false],
    ['https://127.0.0.1/', false],
  ])('%s: %s', (url, yes) => {
    expect(isWithin(placeOf('https://zoom.us'), new URL(url))).toBe(yes);
  });

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
  ])('%s is an internal address', (address) => expect(isInside(address)).toBe(true));
  test.each(['8.8.8.8', '172.32.0.1', '170.114.52.2', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is a public address',
    (address) => expect(isInside(address)).toBe(false),
  );
});
