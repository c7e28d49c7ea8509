// Requests that only a program without an HTTP library can send: broken framing, slow senders, odd hosts, other
// protocols.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProblemBody, ProblemCode } from '#shared/problems.ts';
import { rules } from '#server/limits.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { speak, type Heard } from './raw.ts';
import { expectHeaders, expectProblem, expectSilence, fingerprint } from './run.ts';

let house: TestHouse;
/** One that soon loses its patience, for those alone who are slow on purpose: any machine may hold up the others. */
let hasty: TestHouse;
beforeAll(async () => {
  house = await openHouse();
  hasty = await openHouse({ patience: { headers: 700, body: 500, request: 3000, idle: 600, silence: 1200 } });
});
afterAll(async () => {
  await hasty.close();
  await house.close();
});

const host = 'Host: localhost\r\n';
const json = 'X-Request-ID: some-request-id\r\nContent-Type: application/json\r\n';
const get = (more: string, path = '/healthz') => `GET ${path} HTTP/1.1\r\n${more}\r\n`;
const login = (more: string, body: string) => `POST /api/login HTTP/1.1\r\n${host}${json}${more}\r\n${body}`;

function expectRefusal(answer: Heard, status: number, code: ProblemCode): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(status);
  const received = { ...answer, text: answer.body, problem: JSON.parse(answer.body) as ProblemBody };
  expectHeaders(received);
  expectProblem(received, code);
  expectSilence(received, { path: '/' });
}

/** Refused, and the connection closed by the server: no later bytes are taken for another request. */
const framing: [id: string, what: string, sent: string, status: number, code: ProblemCode][] = [
  [
    'B08',
    'a length and chunks',
    login('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET /api/tokens HTTP/1.1\r\n\r\n'),
    400,
    'BAD_REQUEST',
  ],
  ['B08', 'two lengths', login('Content-Length: 5\r\nContent-Length: 6\r\n', '{"a":1}'), 400, 'BAD_REQUEST'],
  ['B08', 'a list of lengths', login('Content-Length: 5, 6\r\n', '{"a":1}'), 400, 'BAD_REQUEST'],
  ['B08', 'a negative length', login('Content-Length: -5\r\n', '{"a":1}'), 400, 'BAD_REQUEST'],
  ['B08', 'a length in hexadecimal', login('Content-Length: 0x5\r\n', '{"a":1}'), 400, 'BAD_REQUEST'],
  [
    'B08',
    'chunks twice',
    login('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    400,
    'BAD_REQUEST',
  ],
  ['B08', 'another transfer encoding', login('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 400, 'BAD_REQUEST'],
  [
    'B08',
    'chunks that are not the last',
    login('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'),
    400,
    'BAD_REQUEST',
  ],
  [
    'B08',
    'a chunk longer than anything',
    login('Transfer-Encoding: chunked\r\n', 'FFFFFFFFFFFFFFFFF\r\nx'),
    400,
    'BAD_REQUEST',
  ],
  ['B08', 'a blank before the colon', get(`${host}Content-Length : 5\r\n`), 400, 'BAD_REQUEST'],
  ['B08', 'a folded header', get(`${host}X-A: a\r\n b\r\n`), 400, 'BAD_REQUEST'],
  ['B08', 'a bare carriage return', get(`${host}X-A: a\rb\r\n`), 400, 'BAD_REQUEST'],
  ['B08', 'bare line feeds', `GET /healthz HTTP/1.1\n${host}\n`, 400, 'BAD_REQUEST'],
  ['B08', 'U+0000 in a header', get(`${host}X-A: a\0b\r\n`), 400, 'BAD_REQUEST'],
  ['B08', 'a header without a name', get(`${host}: a\r\n`), 400, 'BAD_REQUEST'],
  ['B08', 'a header of 20 kB', get(`${host}X-A: ${'a'.repeat(20_000)}\r\n`), 431, 'HEADERS'],
  ['B08', 'an address of 20 kB', get(host, `/${'a'.repeat(20_000)}`), 431, 'HEADERS'],
  ['B08', '200 headers', get(host + Array.from({ length: 200 }, (_, i) => `X-${i}: a\r\n`).join('')), 431, 'HEADERS'],
  ['B08', '3000 headers', get(host + Array.from({ length: 3000 }, () => 'a:\r\n').join('')), 431, 'HEADERS'],
  ['B08', 'HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
  ['B08', 'HTTP/9.9', `GET /healthz HTTP/9.9\r\n${host}\r\n`, 400, 'BAD_REQUEST'],
  ['B08', 'TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 405, 'METHOD'],
  ['B13', 'an escape character in the request id', get(`${host}X-Request-ID: \x1b[31mred\r\n`), 400, 'BAD_REQUEST'],
  ['B18', 'CONNECT', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', 405, 'METHOD'],
  ['B18', 'a method nobody knows', `FETCH / HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD'],
];

describe('framing', () => {
  test.each(framing)('%s %s', async (_id, _what, sent, status, code) => {
    const before = await fingerprint(house);
    expectRefusal(await speak(house.port, sent), status, code);
    expect(await fingerprint(house)).toEqual(before);
  });
});

/** Refused, but nothing is wrong with the connection. */
const targets: [what: string, sent: string][] = [
  ['no Host', get('')],
  ['an empty Host', get('Host: \r\n')],
  ['a Host that is no name', get('Host: a b<script>\r\n')],
  ['a Host with a path', get('Host: localhost/x?\r\n')],
  ['a Host with a name and a password', get('Host: user:pass@localhost\r\n')],
  ['a port that is none', get('Host: localhost:99999\r\n')],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
  ['another scheme', `GET ftp://localhost/healthz HTTP/1.1\r\n${host}\r\n`],
  ['an absolute address that is none', `GET http://[::1/healthz HTTP/1.1\r\n${host}\r\n`],
  ['a backslash', get(host, '/api\\..\\healthz')],
];

describe('the request target', () => {
  test.each(targets)('B08 %s', async (_what, sent) => {
    const answer = await speak(house.port, sent, /\}\}/);
    expectRefusal(answer, 400, 'BAD_REQUEST');
  });

  test('an absolute address counts for its path alone', async () => {
    const answer = await speak(house.port, `GET http://evil.example/healthz HTTP/1.1\r\n${host}\r\n`, /true\}/);
    expect(answer.status).toBe(200);
  });

  test('a client too old to send a Host gets the health check', async () => {
    expect((await speak(house.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('an unknown expectation changes nothing', async () => {
    expect((await speak(house.port, get(`${host}Expect: the worst\r\n`), /true\}/)).status).toBe(200);
  });

  test('a protocol we do not speak is not spoken', async () => {
    for (const upgrade of ['websocket', 'h2c', 'TLS/1.3', 'nonsense']) {
      const sent = get(
        `${host}Connection: Upgrade\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: x\r\n`,
      );
      const { status } = await speak(house.port, sent, /\r\n\r\n/);
      expect([200, 400, 404, 426]).toContain(status);
    }
    expect((await house.stranger().get('/healthz')).status).toBe(200);
  });
});

describe('B09 more than we want', () => {
  const large = 'a'.repeat(65_536);

  test('chunks without end are refused as they come', async () => {
    let sent = 0;
    async function* chunks() {
      yield login('Transfer-Encoding: chunked\r\n', '');
      for (; sent < 2000; sent += 1) {
        yield `10000\r\n${large}\r\n`;
        await sleep(1);
      }
    }
    const before = await fingerprint(house);
    const answer = await speak(house.port, chunks());
    expectRefusal(answer, 413, 'BIG');
    expect(answer.headers['connection']).toBe('close');
    expect(sent).toBeLessThan(2000);
    expect(await fingerprint(house)).toEqual(before);
  });

  test('a length beyond the limit is refused before anything of it comes', async () => {
    expectRefusal(await speak(house.port, login('Content-Length: 2000000000\r\n', '{')), 413, 'BIG');
  });

  test('chunk extensions without end', async () => {
    const answer = await speak(house.port, login('Transfer-Encoding: chunked\r\n', `1;${'x'.repeat(30_000)}`));
    expectRefusal(answer, 413, 'BIG');
  });
});

describe('F36 those who take their time', () => {
  test('headers that never end', async () => {
    expectRefusal(await speak(hasty.port, `GET /healthz HTTP/1.1\r\n${host}`), 408, 'SLOW');
  });

  test('headers that come letter by letter', async () => {
    async function* letters() {
      yield `GET /healthz HTTP/1.1\r\n${host}`;
      for (let i = 0; i < 100; i += 1) {
        await sleep(100);
        yield `X-${i}: a\r\n`;
      }
    }
    expectRefusal(await speak(hasty.port, letters()), 408, 'SLOW');
  });

  test('a connection that says nothing', async () => {
    expect((await speak(hasty.port, '')).text).toMatch(/^(HTTP\/1.1 408|$)/);
  });

  test('a body that never ends', async () => {
    const answer = await speak(hasty.port, login('Content-Length: 50\r\n', '{"email":'));
    expectRefusal(answer, 408, 'SLOW');
  });

  test('a body that comes letter by letter', async () => {
    async function* letters() {
      yield login('Content-Length: 5000\r\n', '{"email":"');
      for (let i = 0; i < 100; i += 1) {
        await sleep(50);
        yield 'x';
      }
    }
    expectRefusal(await speak(hasty.port, letters()), 408, 'SLOW');
  });

  test('a connection that only idles is closed', async () => {
    const answer = await speak(hasty.port, get(host));
    expect(answer.status).toBe(200);
  });

  test('a sender who leaves in the middle is no failure of ours', async () => {
    const from = hasty.log().length;
    await speak(hasty.port, login('Content-Length: 50\r\n', '{"email":'), /never/).catch(() => {});
    const socket = connect(hasty.port, '127.0.0.1');
    socket.write(login('Content-Length: 50\r\n', '{"email":'));
    await sleep(100);
    socket.destroy();
    await sleep(200);
    expect(hasty.log().slice(from)).not.toContain('"level":"error"');
  });

  test('two hundred slow clients keep nobody else waiting', async () => {
    const slow = Array.from({ length: 200 }, () => speak(hasty.port, `GET /healthz HTTP/1.1\r\n${host}X-A:`));
    const quick = await Promise.all(Array.from({ length: 20 }, () => hasty.stranger().get('/readyz')));
    expect(new Set(quick.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { status } of await Promise.all(slow)) expect(status).toBe(408);
  });
});

test('F35 a client that asks for much and reads nothing is cut off', async () => {
  const times = 40;
  const asked = `GET /api/docs/swagger-ui-bundle.js HTTP/1.1\r\n${host}\r\n`.repeat(times);
  const whole = Number((await hasty.stranger().get('/api/docs/swagger-ui-bundle.js')).text.length) * times;
  const socket = connect(hasty.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(asked);
  // The first look only sees that something had been sent; the second that nothing more was. In small steps, as both
  // looks come later where this process is held up.
  for (let tenths = 0; tenths < 40; tenths += 1) await sleep(100);
  let taken = 0;
  socket.on('data', (part: Buffer) => (taken += part.length));
  await once(socket.resume(), 'close');
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(whole / 2);
  expect((await hasty.stranger().get('/readyz')).status).toBe(200);
});

test('a request after another on the same connection is a request of its own', async () => {
  const two = get(host) + get(`${host}Connection: close\r\n`, '/readyz');
  const { text } = await speak(house.port, two);
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(new Set(text.match(/x-request-id: \S+/gi)).size).toBe(2);
});

describe('B14 who says where they come from', () => {
  const said = [
    { 'X-Forwarded-For': () => `203.0.113.${Math.floor(Math.random() * 250)}` },
    { 'X-Real-IP': () => '203.0.113.7' },
    { Forwarded: () => 'for=203.0.113.8' },
    {
      'X-Client-IP': () => '203.0.113.9',
      'True-Client-IP': () => '203.0.113.9',
      'CF-Connecting-IP': () => '203.0.113.9',
    },
  ];
  test.each(said)('is not believed where no proxy is trusted: %o', async (headers) => {
    const address = '127.0.0.1';
    await house.house.limits.clear(rules.registerAddress, address);
    for (let i = 0; i < rules.registerAddress.most; i += 1)
      await house.house.limits.allow(rules.registerAddress, address);
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value()]));
    const person = house.stranger();
    person.email = 'dana@example.test';
    const fields = {
      password: 'correct horse battery',
      passwordConfirm: 'correct horse battery',
      firstName: 'Dana',
      lastName: 'Test',
      terms: true,
    };
    const answer = await person.post('/api/register', { email: person.email, ...fields }, { headers: sent });
    expect(answer.problem.code).toBe('RATE');
  });
});
