import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { asForm, type Scene, type Table } from '#tests/support/table.ts';

const passwords = { password: 'correct horse battery', passwordConfirm: 'correct horse battery' };
const newcomer = { ...passwords, firstName: 'Dana', lastName: 'Test', terms: true };
const somebody = (email = 'dana@example.test') => ({ ...newcomer, email });
const formPage = [
  {
    when: 'the page with the token',
    status: 200,
    then: ({ text }: { text: string }) => expect(text).toContain('name="csrf_token"'),
  },
];

const wrongPassword = async ({ person }: Scene) => ({ email: (await person()).email, password: 'not this one' });
const signedIn = async (_: unknown, { caller }: Scene) =>
  expect((await caller.whoami()).body.principal.kind).toBe('user');
const signedOut = async (_: unknown, { caller }: Scene) =>
  expect((await caller.whoami()).body.principal.kind).toBe('anonymous');

/** An account that waits for its address to be confirmed, and the token of its mail. */
async function unconfirmed({ house, caller }: Scene) {
  caller.email = `dana-${caller.address}@example.test`;
  await caller.register();
  return { email: caller.email, token: await house.tokenFor(caller.email, '/confirm') };
}

export default {
  'GET /api/login': formPage,
  'GET /api/register': formPage,
  'GET /api/confirm': formPage,

  'POST /api/login': [
    {
      when: 'the password is right',
      body: async ({ person }: Scene) => ({ email: (await person()).email, password: passwords.password }),
      status: 200,
      then: signedIn,
    },
    {
      when: 'sent by the page as a form',
      send: async (scene) => {
        const { email } = await scene.person();
        return asForm('/api/login', { email, password: passwords.password, remember: 'y' })(scene);
      },
      status: 200,
      then: ({ headers }) => expect(headers.get('set-cookie')).toMatch(/colloquy=[\w-]{43}; Max-Age=2592000/),
    },
    { when: 'the password is wrong', body: wrongPassword, status: 401, code: 'UNAUTH', fields: { '': 'login' } },
    {
      when: 'no account has that address',
      body: { email: 'nobody@example.test', password: 'not this one' },
      status: 401,
      code: 'UNAUTH',
      fields: { '': 'login' },
    },
    {
      when: 'the address is not confirmed yet',
      body: async (scene: Scene) => ({ email: (await unconfirmed(scene)).email, password: passwords.password }),
      status: 401,
      code: 'UNAUTH',
      fields: { '': 'login' },
    },
    {
      when: 'the account has no password',
      as: 'passwordless',
      body: ({ caller }: Scene) => ({ email: caller.email, password: passwords.password }),
      status: 401,
      code: 'UNAUTH',
      fields: { '': 'login' },
    },
    {
      when: 'the token is that of another page',
      send: async (scene) => {
        const other = await scene.caller.formToken('/api/register');
        return asForm('/api/login', { email: 'a@example.test', password: 'x', csrf_token: other })(scene);
      },
      status: 403,
      code: 'CSRF',
    },
    {
      when: 'the fields are objects',
      body: { email: { $ne: null }, password: { $ne: null } },
      status: 422,
      code: 'INVALID',
      fields: { email: 'required', password: 'required' },
    },
    {
      when: 'the password is longer than any hash is made of',
      body: { email: 'ann@example.test', password: 'x'.repeat(1025) },
      status: 422,
      code: 'INVALID',
      fields: { password: 'too_long' },
    },
    {
      when: 'ten wrong passwords were tried on the account',
      body: async (scene: Scene) => {
        const { email } = await scene.person();
        await scene.exhaust(rules.loginAccount, scene.house.key(email));
        return { email, password: passwords.password };
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'a hundred wrong passwords came from the address',
      body: async (scene: Scene) => {
        await scene.exhaust(rules.loginAddress, scene.caller.address ?? '');
        return wrongPassword(scene);
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/register': [
    {
      when: 'all is there',
      body: somebody(),
      status: 200,
      then: async ({ body }, scene) => {
        expect(body).toMatchObject({ confirmationNeeded: true, user: { first_name: 'Dana', confirmed: false } });
        await signedIn(body, scene);
      },
    },
    {
      when: 'the address has an account already: the same answer',
      body: async ({ person }: Scene) => somebody((await person()).email),
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ confirmationNeeded: true, user: { confirmed: false } }),
    },
    {
      when: 'sent by the page as a form',
      send: asForm('/api/register', {
        email: 'emil@example.test',
        password: passwords.password,
        password_confirm: passwords.password,
        first_name: 'Emil',
        last_name: 'Test',
        terms: 'y',
      }),
      status: 200,
    },
    {
      when: 'nothing is there',
      body: {},
      status: 422,
      code: 'INVALID',
      fields: {
        email: 'required',
        password: 'required',
        passwordConfirm: 'required',
        firstName: 'required',
        lastName: 'required',
        terms: 'terms',
      },
    },
    ...(
      [
        ['the terms are not agreed to', { terms: false }, { terms: 'terms' }],
        ['the address is none', { email: 'dana@' }, { email: 'email' }],
        ['the password is short', { password: 'horse12', passwordConfirm: 'horse12' }, { password: 'password_short' }],
        [
          'the password is long',
          { password: 'h'.repeat(129), passwordConfirm: 'h'.repeat(129) },
          { password: 'password_long' },
        ],
        [
          'the password is one of the common',
          { password: 'password1', passwordConfirm: 'password1' },
          { password: 'password_common' },
        ],
        ['the passwords differ', { passwordConfirm: 'something else' }, { passwordConfirm: 'password_mismatch' }],
        ['a name is only spaces', { firstName: '   ' }, { firstName: 'required' }],
        ['a name turns the writing around', { lastName: 'Test\u202E' }, { lastName: 'name' }],
        ['a name is long', { lastName: 'n'.repeat(101) }, { lastName: 'too_long' }],
      ] as const
    ).map(([when, change, fields]) => ({
      when,
      body: { ...somebody(), ...change },
      status: 422,
      code: 'INVALID' as const,
      fields,
    })),
    {
      when: 'thirty came from the address within the hour',
      body: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.registerAddress, caller.address ?? '');
        return somebody();
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/confirm': [
    {
      when: 'the address waits to be confirmed: a new link comes, the old one is dead',
      body: async (scene: Scene) => ({ email: (await unconfirmed(scene)).email }),
      status: 204,
      then: async (_, { house, caller }) => {
        const mails = await house.mails(caller.email);
        expect(mails.map((mail) => mail.subject)).toEqual([
          'Confirm your e-mail address',
          'Confirm your e-mail address',
        ]);
      },
    },
    { when: 'no account has that address', body: { email: 'nobody@example.test' }, status: 204 },
    {
      when: 'the address is confirmed: nothing is sent',
      body: async ({ person, caller }: Scene) => ({ email: (caller.email = (await person()).email) }),
      status: 204,
      then: async (_, { house, caller }) => expect(await house.mails(caller.email)).toEqual([]),
    },
    { when: 'sent by the page as a form', send: asForm('/api/confirm', { email: 'nobody@example.test' }), status: 204 },
    { when: 'it is no address', body: { email: 'dana' }, status: 422, code: 'INVALID', fields: { email: 'email' } },
    {
      when: 'sixty came from the address within the hour',
      body: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.askMail, caller.address ?? '');
        return { email: 'dana@example.test' };
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/confirm/:token': [
    {
      when: 'the token of the mail',
      params: async (scene) => ({ token: (await unconfirmed(scene)).token }),
      status: 200,
      then: async ({ body }, { caller }) => {
        expect(body).toEqual({ email: caller.email });
        expect((await caller.whoami()).body.principal.confirmed).toBe(true);
      },
    },
    { when: 'a token that is none', status: 410, code: 'GONE' },
    {
      when: 'the token was used',
      params: async (scene) => {
        const { token } = await unconfirmed(scene);
        await scene.caller.post(`/api/confirm/${token}`);
        return { token };
      },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'the token ran out',
      params: async (scene) => {
        const { house, caller } = scene;
        await unconfirmed(scene);
        const account = { id: caller.id, emailKey: house.key(caller.email) };
        return { token: (await house.house.keys.sign('confirm', account.id, -1)).token };
      },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'sixty were tried from the address',
      params: async ({ exhaust, caller }) => {
        await exhaust(rules.tokens, caller.address ?? '');
        return {};
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'GET /api/logout': [
    { when: 'asked by our own page', as: 'session', status: 204, then: signedOut },
    {
      when: 'typed into the address bar: it asks first',
      as: 'session',
      send: { bare: true },
      status: 200,
      then: async ({ text }, scene) => {
        expect(text).toContain('Do you want to log out?');
        await signedIn(text, scene);
      },
    },
    {
      when: 'asked by an image on another site',
      as: 'session',
      send: { bare: true, headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' } },
      status: 403,
      code: 'CSRF',
      then: signedIn,
    },
  ],

  'POST /api/logout': [
    {
      when: 'signed in',
      as: 'session',
      status: 204,
      then: async (answer, scene) => {
        expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
        await signedOut(answer, scene);
      },
    },
    {
      when: 'by a page that keeps words no server has, and tidies up by itself',
      as: 'session',
      send: { headers: { 'Colloquy-Keep': 'unsent' } },
      status: 204,
      then: async (answer, scene) => {
        expect(answer.headers.get('clear-site-data')).toBe('"cache"');
        await signedOut(answer, scene);
      },
    },
    { when: 'not signed in', status: 204 },
    {
      when: 'sent by the page that asks, as a form',
      as: 'session',
      send: async (scene) => {
        // The page only asks those who come by a link.
        const page = await scene.caller.get('/api/logout', { bare: true });
        const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
        return asForm('/api/login', { csrf_token: token })(scene);
      },
      status: 303,
      then: signedOut,
    },
  ],
} satisfies Table;
