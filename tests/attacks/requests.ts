// Section 3.2: requests that another site's page makes, and requests of a shape no honest program sends.
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { cookiesOf, friendly, newAddress, type Attack, type Sent, type World } from './run.ts';
import type { Route } from './routes.ts';

const body = JSON.stringify({ email: 'a@example.test', password: 'some password' });
const form = new URLSearchParams({ email: 'a@example.test', password: 'some password' }).toString();
const boundary = 'XXXXXXXX';
const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="email"\r\n\r\na@example.test\r\n--${boundary}--\r\n`;

/** Requests that a form of any page can send without asking. */
const forms: Record<string, { type?: string; raw: string }> = {
  'text/plain': { type: 'text/plain', raw: body },
  urlencoded: { type: 'application/x-www-form-urlencoded', raw: form },
  'multipart/form-data': { type: `multipart/form-data; boundary=${boundary}`, raw: multipart },
  'no media type': { raw: body },
  'no body': { raw: '' },
};
const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };

/** B01 over every route that changes something. */
export const foreignForms = (routes: Route[]): Attack[] =>
  routes.flatMap(({ method, path, pattern }) =>
    Object.entries(forms).flatMap(([what, { type, raw }]) => {
      const typed: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const from: Record<string, Record<string, string>> = {
        'another site': { ...evil, ...typed },
        // A browser too old to say where a request comes from.
        'nobody knows where': typed,
      };
      return Object.entries(from).map(([where, headers]): Attack => ({
        id: 'B01',
        what: `${method} ${pattern} from ${where}, ${what}`,
        as: 'ann',
        request: { method, path, headers, raw },
        // A signature proves who sends it, whatever site asks.
        expect:
          pattern === '/api/stripe/webhook' ? { status: 400, code: 'BAD_REQUEST' } : { status: 403, code: 'CSRF' },
      }));
    }),
  );

const changing = (headers: Record<string, string>): Sent => ({
  method: 'POST',
  path: '/api/principals/me',
  headers: { ...friendly(), ...headers },
  json: { language: 'ru' },
});

const formPost = (path: string, fields: string | Record<string, string>, headers: Record<string, string>): Sent => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  raw: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
});

/** A form page as a browser opens it: its token, and the cookie it hangs on. */
async function openForm(send: World['send'], path: string) {
  const page = await send({ path });
  const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { token, cookie };
}

const loginJson = (raw: string): Sent => ({
  method: 'POST',
  path: '/api/login',
  headers: { ...friendly(), 'Content-Type': 'application/json' },
  raw,
});

export const requestAttacks: Attack[] = [
  ...[
    'null',
    'https://localhost.evil.example',
    'https://evillocalhost',
    'http://localhost',
    'http://localhost:1',
    'https://localhost',
    'http://localhost.',
    'file://',
    'http://localhost:3000, http://evil.example',
  ].map((Origin): Attack => ({
    id: 'B02',
    what: `Origin: ${Origin}`,
    as: 'ann',
    request: changing({ Origin }),
    expect: { status: 403, code: 'CSRF' },
  })),
  {
    id: 'B02',
    what: 'our own origin, by another protocol',
    as: 'ann',
    request: ({ house }) => changing({ Origin: house.origin.replace('http:', 'https:') }),
    expect: { status: 403, code: 'CSRF' },
  },
  ...['cross-site', 'same-site', 'cross-origin', ''].map((site): Attack => ({
    id: 'B02',
    what: `no Origin, Sec-Fetch-Site: ${site || '(empty)'}`,
    as: 'ann',
    request: changing({ 'Sec-Fetch-Site': site }),
    expect: { status: 403, code: 'CSRF' },
  })),
  {
    id: 'B02',
    what: 'our own origin and the header of our page are let through',
    as: 'ann',
    request: ({ house }) => changing({ Origin: house.origin, 'Sec-Fetch-Site': 'same-origin' }),
    expect: { status: 200 },
    stateEqual: false,
  },
  {
    id: 'B03',
    what: 'signing a person in with the attacker’s password',
    request: async ({ house }) => {
      const { email, password } = await house.person('Emil');
      return formPost('/api/login', { email, password }, evil);
    },
    expect: { status: 403, code: 'CSRF' },
    then: ({ headers }) => expect(headers['set-cookie']).toBeUndefined(),
  },
  {
    id: 'B03',
    what: 'the same with the token of a form the attacker opened',
    request: async ({ house, send }) => {
      const { email, password } = await house.person('Emil');
      const { token } = await openForm(send, '/api/login');
      return formPost('/api/login', { email, password, csrf_token: token }, {});
    },
    expect: { status: 403, code: 'CSRF' },
  },
  ...[
    {
      what: 'an image',
      headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
      status: 403,
    },
    {
      what: 'a frame',
      headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      status: 200,
    },
    {
      what: 'a link',
      headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
      status: 200,
    },
    {
      what: 'a prefetch',
      headers: { 'Sec-Fetch-Site': 'same-origin', 'Sec-Purpose': 'prefetch', ...friendly() },
      status: 200,
    },
    { what: 'an old browser', headers: {}, status: 200 },
  ].map(({ what, headers, status }): Attack => ({
    id: 'B04',
    what: `logging a person out by ${what}`,
    as: 'ann',
    request: { path: '/api/logout', headers: headers as Record<string, string> },
    expect: { status },
    then: ({ headers: answered }) => expect(answered['clear-site-data']).toBeUndefined(),
  })),
  ...Object.entries({
    'of another browser': (own: string, other: string) => ({ cookie: own, fields: { csrf_token: other } }),
    'that is empty': (own: string) => ({ cookie: own, fields: { csrf_token: '' } }),
    'that is missing': (own: string) => ({ cookie: own, fields: {} }),
    'without the browser’s half': (_: string, __: string, token: string) => ({
      cookie: '',
      fields: { csrf_token: token },
    }),
    'with a later end': (own: string, _: string, token: string) => ({
      cookie: own,
      fields: { csrf_token: token.replace(/^\d+/, (end) => String(Number(end) + 60)) },
    }),
    'as a list': (own: string, _: string, token: string) => ({ cookie: own, fields: { 'csrf_token[]': token } }),
  }).map(([what, make]): Attack => ({
    id: 'B05',
    what: `a form’s token ${what}`,
    request: async ({ send }) => {
      const [own, other] = [await openForm(send, '/api/login'), await openForm(send, '/api/login')];
      const { cookie, fields } = make(own.cookie, other.token, own.token);
      const all: Record<string, string> = { email: 'a@example.test', password: 'x', ...fields };
      return formPost('/api/login', all, cookie ? { Cookie: cookie } : {});
    },
    expect: { status: 403, code: 'CSRF' },
  })),
  {
    id: 'B05',
    what: 'a form’s token of another page',
    request: async ({ send }) => {
      const { cookie, token } = await openForm(send, '/api/register');
      return formPost('/api/login', { email: 'a@example.test', password: 'x', csrf_token: token }, { Cookie: cookie });
    },
    expect: { status: 403, code: 'CSRF' },
  },
  {
    id: 'B05',
    what: 'a form’s token after two hours',
    request: async ({ send }) => {
      const { cookie, token } = await openForm(send, '/api/login');
      return formPost('/api/login', { email: 'a@example.test', password: 'x', csrf_token: token }, { Cookie: cookie });
    },
    later: 7201,
    expect: { status: 403, code: 'CSRF' },
  },
  {
    id: 'B05',
    what: 'a form’s token given twice',
    request: async ({ send }) => {
      const { cookie, token } = await openForm(send, '/api/login');
      return formPost('/api/login', `csrf_token=${token}&csrf_token=${token}&email=a`, { Cookie: cookie });
    },
    expect: { status: 422, code: 'INVALID' },
  },
  {
    id: 'B05',
    what: 'a form’s token from before signing in',
    request: async ({ house, send }) => {
      const person = await house.person('Emil', { address: newAddress() });
      const before = await openForm(send, '/api/login');
      const { email, password } = person;
      const done = await send(
        formPost('/api/login', { email, password, csrf_token: before.token }, { Cookie: before.cookie }),
      );
      expect(done.status).toBe(200);
      // The browser holds half of it then: the answer took the other half away.
      expect(done.headers['set-cookie']?.some((line) => /^pre=;/.test(line))).toBe(true);
      return formPost('/api/login', { email, password, csrf_token: before.token }, {});
    },
    expect: { status: 403, code: 'CSRF' },
  },
  ...['https://evil.example', 'null', 'http://localhost:3000'].flatMap((Origin) =>
    ['/api/login', '/api/principals/whoami', '/'].map((path): Attack => ({
      id: 'B06',
      what: `a preflight for ${path} from ${Origin}`,
      as: 'ann',
      request: {
        method: 'OPTIONS',
        path,
        headers: {
          Origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type, x-request-id',
          'Access-Control-Request-Private-Network': 'true',
        },
      },
      expect: { status: 405, code: 'METHOD' },
    })),
  ),
  {
    id: 'B06',
    what: 'reading from another origin with credentials',
    as: 'ann',
    request: {
      path: '/api/principals/whoami',
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' },
    },
    // The answer says nothing that would let the other page read it; see the headers every row is checked for.
    expect: { status: 200 },
  },
  ...[{ 'X-HTTP-Method-Override': 'DELETE' }, { 'X-HTTP-Method': 'DELETE' }, { 'X-Method-Override': 'DELETE' }].map(
    (headers): Attack => ({
      id: 'B07',
      what: `a method by ${Object.keys(headers)[0]}`,
      as: 'ann',
      request: { path: '/api/tokens', headers: { ...friendly(), ...(headers as Record<string, string>) } },
      expect: { status: 200 },
    }),
  ),
  {
    id: 'B07',
    what: 'a method by _method',
    as: 'ann',
    request: { path: '/api/tokens?_method=DELETE' },
    expect: { status: 422, code: 'INVALID' },
  },
  ...['gzip', 'br', 'deflate', 'identity', 'gzip, gzip'].map((encoding): Attack => ({
    id: 'B09',
    what: `a body in Content-Encoding: ${encoding}`,
    request: {
      method: 'POST',
      path: '/api/login',
      headers: { ...friendly(), 'Content-Type': 'application/json', 'Content-Encoding': encoding },
      raw: gzipSync(Buffer.alloc(50 * 2 ** 20, ' ')),
    },
    expect: { status: 415, code: 'TYPE' },
  })),
  ...[
    ['a key given twice', '{"email":"a@example.test","email":"b@example.test","password":"some password"}'],
    ['__proto__', '{"__proto__":{"isAdmin":true},"email":"a@example.test","password":"some password"}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"isAdmin":true}},"email":"a@example.test"}'],
    ['10 000 levels', `{"email":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a number beyond all bounds', '{"email":"a@example.test","password":1e999}'],
    ['minus nothing', '{"email":-0}'],
    ['2^53 + 1', '{"email":9007199254740993}'],
    ['a byte order mark', '\uFEFF{"email":"a@example.test","password":"some password"}'],
    ['something after the end', '{"email":"a@example.test","password":"some password"} and more'],
    ['U+0000', '{"email":"a@example.test","password":"some\\u0000password"}'],
    ['nothing at all', ''],
    ['half a value', '{"email":"a@exam'],
    ['JavaScript', '({email:1})'],
  ].map(([what, raw]): Attack => ({
    id: 'B11',
    what: `JSON with ${what}`,
    request: loginJson(raw ?? ''),
    expect: { status: 422, code: 'INVALID' },
  })),
  {
    id: 'B11',
    what: 'a list of a million elements',
    request: loginJson(`[${'0,'.repeat(999_999)}0]`),
    expect: { status: 413, code: 'BIG' },
  },
  {
    id: 'B11',
    what: 'JSON that is no UTF-8',
    request: { ...loginJson(''), raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
    expect: { status: 422, code: 'INVALID' },
  },
  {
    id: 'B11',
    what: 'half a character in a text that is kept',
    as: 'ann',
    request: () => ({
      method: 'POST',
      path: '/api/principals/me',
      headers: { ...friendly(), 'Content-Type': 'application/json' },
      raw: '{"preferences":{"upload":{"vocab":"half \\ud83d"}}}',
    }),
    expect: { status: 200 },
    stateEqual: false,
    then: ({ text }) => expect(text).toContain('half \uFFFD'),
  },
  ...[
    'application/jsonp',
    'text/json',
    'application/xml',
    'application/json; charset=utf-16, text/plain',
    '',
    'application/json\t;x',
    'multipart/form-data',
  ].map((type): Attack => ({
    id: 'B11',
    what: `a body as ${type || 'nothing'}`,
    request: { method: 'POST', path: '/api/login', headers: { ...friendly(), 'Content-Type': type }, raw: '<x/>' },
    expect: { status: [415, 422] },
  })),
  ...['x'.repeat(10_000), '<script>alert(1)</script>', 'short', 'with spaces in it', '../../etc/passwd'].map(
    (given): Attack => ({
      id: 'B13',
      what: `a request id ${JSON.stringify(given.slice(0, 30))}`,
      request: { path: '/api/principals/whoami', headers: { 'X-Request-ID': given } },
      expect: { status: given.length > 5000 ? [200, 431] : 200 },
      then: ({ headers, text }, { house }) => {
        expect(headers['x-request-id']).not.toBe(given);
        expect(text + house.log()).not.toContain(given);
      },
    }),
  ),
  {
    id: 'B13',
    what: 'a request id given twice',
    request: { path: '/api/principals/whoami', headers: { 'X-Request-ID': ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'] } },
    expect: { status: 200 },
    then: ({ headers }) => expect(headers['x-request-id']).not.toMatch(/aaaa|bbbb/),
  },
  ...['TRACE', 'PROPFIND', 'OPTIONS', 'SEARCH', 'PURGE', 'LINK'].flatMap((method) =>
    ['/api/login', '/api/nothing', '/', '/healthz'].map((path): Attack => ({
      id: 'B18',
      what: `${method} ${path}`,
      as: 'ann',
      request: { method, path, headers: friendly() },
      expect: { status: 405, code: 'METHOD' },
      then: ({ headers }) => expect(headers['allow']).toContain('GET'),
    })),
  ),
  ...['PUT', 'DELETE', 'PATCH'].map((method): Attack => ({
    id: 'B18',
    what: `${method} where only others are known`,
    as: 'ann',
    request: { method, path: '/api/login', headers: friendly() },
    expect: { status: 405, code: 'METHOD' },
    then: ({ headers }) => expect(headers['allow']).toBe('GET, POST'),
  })),
  ...[
    '/api/nothing',
    '/api/',
    '/api/login/../tokens/x',
    '/api/%2e%2e/healthz',
    '/api//login',
    '/api/login/',
    '/api/tokens/%2e%2e',
  ].map((path): Attack => ({
    id: 'B18',
    what: `DELETE ${path}, which is not there`,
    request: { method: 'DELETE', path, headers: friendly() },
    expect: { status: [401, 404, 405] },
  })),
  {
    id: 'B18',
    what: 'U+0000 in an address',
    as: 'ann',
    request: { path: '/api/login/%00' },
    expect: { status: 400, code: 'BAD_REQUEST' },
  },
  {
    id: 'B18',
    what: 'U+0000 in a query',
    as: 'ann',
    request: { path: '/api/outbox?to=some%00body' },
    expect: { status: 400, code: 'BAD_REQUEST' },
  },
  {
    id: 'B18',
    what: 'an address that is half a character',
    as: 'ann',
    request: { method: 'DELETE', path: '/api/tokens/%E0%A4%A', headers: friendly() },
    expect: { status: 404, code: 'NOT_FOUND' },
  },
  {
    id: 'L14',
    what: 'what a browser keeps after a person signs out on a shared machine',
    request: async ({ house }) => {
      const person = await house.person('Emil');
      return { method: 'POST', path: '/api/logout', headers: { ...friendly(), Cookie: cookiesOf(person) } };
    },
    expect: { status: 204 },
    stateEqual: false,
    then: ({ headers }) => {
      expect(headers['clear-site-data']).toBe('"cache", "storage"');
      expect(headers['set-cookie']?.join()).toMatch(/colloquy=; Max-Age=0/);
    },
  },
];
