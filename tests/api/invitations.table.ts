import { and, eq, isNull } from 'drizzle-orm';
import { expect } from 'vitest';
import { invitations } from '#db/schema/accounts.ts';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { invite } from '#tests/support/invitations.ts';
import type { Person } from '#tests/support/people.ts';
import { asForm, type Scene, type Table } from '#tests/support/table.ts';

const passwords = { password: 'correct horse battery', passwordConfirm: 'correct horse battery' };
const newAddress = () => `dana-${newId(8).toLowerCase()}@example.test`;
const newcomer = (email: string) => ({ ...passwords, email, firstName: 'Dana', lastName: 'Test', terms: true });

/** An invitation to an address that has no account, as the path wants it. */
const toNobody = async (scene: Scene) => ({ id: (await invite(scene.house, { email: newAddress() })).secret });
const toCaller = async (scene: Scene) => ({ id: (await invite(scene.house, { email: scene.caller.email })).secret });
const toSomebody = async (scene: Scene) => ({
  id: (await invite(scene.house, { email: (await scene.person()).email })).secret,
});
const toNobodyOnceMore = (change: Partial<typeof invitations.$inferInsert>) => async (scene: Scene) => {
  const { id, secret } = await invite(scene.house, { email: newAddress() });
  await scene.house.database.orm.update(invitations).set(change).where(eq(invitations.id, id));
  return { id: secret };
};
const people = new WeakMap<Scene, Promise<Person>>();
/** A person of the row, the same each time. */
function asked(scene: Scene): Promise<Person> {
  const known = people.get(scene) ?? scene.person();
  people.set(scene, known);
  return known;
}
const answers =
  (expected: object) =>
  ({ body }: { body: unknown }) =>
    expect(body).toEqual(expected);
const masked = expect.stringMatching(/^[a-z]…@e…$/);
const invited = { by: 'Ines Test', to: 'account' };

const dead = [
  { when: 'there is none', params: { id: 'x'.repeat(43) }, status: 410, code: 'GONE' },
  { when: 'it has run out', params: toNobodyOnceMore({ expiresAt: new Date(0) }), status: 410, code: 'GONE' },
  { when: 'it was taken back', params: toNobodyOnceMore({ revokedAt: new Date(0) }), status: 410, code: 'GONE' },
  { when: 'a person accepted it', params: toNobodyOnceMore({ acceptedAt: new Date(0) }), status: 410, code: 'GONE' },
  {
    when: 'by its id, which is no secret',
    params: async ({ house }: Scene) => ({ id: (await invite(house, { email: newAddress() })).id }),
    status: 410,
    code: 'GONE',
  },
] as const;
const tooOften = {
  when: 'tried too often',
  params: async ({ caller, exhaust }: Scene) => {
    await exhaust(rules.invitations, caller.address ?? '');
    return { id: 'x'.repeat(43) };
  },
  status: 429,
  code: 'RATE',
} as const;

/** Rows of a call that says whether an invitation is declined. */
const answering = (verb: 'decline' | 'reopen'): Table => ({
  [`POST /api/invitations/:id/${verb}`]: [
    {
      when: 'it is for the signed-in person',
      as: 'session',
      params: toCaller,
      status: 200,
      then: async ({ body }, { caller }) => {
        expect(body).toEqual({ result: 'ok', email: masked, token: null });
        const waiting = (await caller.whoami()).body.invitations;
        expect(waiting).toHaveLength(verb === 'decline' ? 0 : 1);
      },
    },
    {
      when: 'by its id in the session info',
      as: 'session',
      params: async ({ house, caller }) => ({ id: (await invite(house, { email: caller.email })).id }),
      status: 200,
      then: answers({ result: 'ok', email: masked, token: null }),
    },
    {
      when: 'not signed in, and the address has no account',
      params: toNobody,
      status: 200,
      then: answers({ result: 'ok', email: masked, token: null }),
    },
    {
      when: 'not signed in, and the address has an account, which alone answers',
      params: toSomebody,
      status: 200,
      then: answers({ result: 'please-login', email: masked, token: null }),
    },
    {
      when: 'signed in as another person than the owner of the address',
      as: 'session',
      params: toSomebody,
      status: 200,
      then: answers({ result: 'please-relogin', email: masked, token: null }),
    },
    ...dead,
    tooOften,
  ],
});

export default {
  'POST /api/invitations': [
    {
      when: 'an address without an account: it gets a mail, and the invitation leads to the upload',
      as: 'session',
      body: { email: 'Eve@Example.test' },
      status: 204,
      then: async (_, { house }) => {
        const [mail] = await house.mails('Eve@Example.test');
        expect(mail?.subject).toBe('Ann Test asks you for a recording');
        const [, secret = ''] = /\/invitation\/([\w-]+)\?/.exec(mail?.text ?? '') ?? [];
        expect(mail?.text).toContain(`?redirectTo=${encodeURIComponent(`/upload?invite=${secret}`)}`);
      },
    },
    {
      when: 'a person who sees it until the recording is added',
      as: 'session',
      body: async (scene: Scene) => ({ email: (await asked(scene)).email }),
      status: 204,
      then: async (_, scene) => {
        const person = await asked(scene);
        const open = async () => (await person.whoami()).body.invitations as { id: string; kind: string }[];
        const [one, ...more] = await open();
        expect([one?.kind, more]).toEqual(['recording', []]);
        const accepted = await person.post(`/api/invitations/${one?.id}`);
        expect(accepted.body).toMatchObject({ result: 'ok', inviter: 'Ann Test' });
        expect(await open()).toHaveLength(1);
      },
    },
    {
      when: 'oneself',
      as: 'session',
      body: async ({ caller }: Scene) => ({ email: caller.email }),
      status: 422,
      code: 'INVALID',
      fields: { email: 'student' },
    },
    { when: 'nobody', as: 'session', body: {}, status: 422, code: 'INVALID', fields: { email: 'required' } },
    {
      when: 'what is no address',
      as: 'session',
      body: { email: 'Ben' },
      status: 422,
      code: 'INVALID',
      fields: { email: 'email' },
    },
    { when: 'before confirming', as: 'unconfirmed', body: { email: 'a@b.test' }, status: 403, code: 'NO_PERM' },
    {
      when: 'too often',
      as: 'session',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.shareMails, caller.id);
        return { email: 'eve@example.test' };
      },
      status: 429,
      code: 'RATE',
    },
  ],
  'POST /api/invitations/:id': [
    {
      when: 'it is for the signed-in person',
      as: 'session',
      params: toCaller,
      status: 200,
      then: ({ body }, { caller }) =>
        expect(body).toEqual({ result: 'ok', email: caller.email, token: { meeting_id: null, email: caller.email } }),
    },
    {
      when: 'it is for the signed-in person, by its id in the session info',
      as: 'session',
      params: async ({ house, caller }) => {
        await invite(house, { email: caller.email });
        const { invitations: open } = (await caller.whoami()).body as { invitations: { id: string }[] };
        return { id: open[0]?.id ?? '' };
      },
      status: 200,
      then: async (answer, { caller }) => {
        expect(answer.body.result).toBe('ok');
        expect((await caller.whoami()).body.invitations).toEqual([]);
      },
    },
    {
      when: 'it is for the signed-in person, whose address its secret confirms',
      as: 'unconfirmed',
      params: toCaller,
      status: 200,
      then: async ({ body }, { caller }) => {
        expect(body.result).toBe('ok');
        expect((await caller.whoami()).body.principal.confirmed).toBe(true);
      },
    },
    {
      when: 'not signed in, and the address has no account',
      params: toNobody,
      status: 200,
      then: answers({ result: 'please-register', email: masked, token: null, invited }),
    },
    {
      when: 'not signed in, and the address has an account',
      params: toSomebody,
      status: 200,
      then: answers({ result: 'please-login', email: masked, token: null }),
    },
    {
      when: 'another person is signed in, and the address has an account',
      as: 'session',
      params: toSomebody,
      status: 200,
      then: answers({ result: 'please-relogin', email: masked, token: null }),
    },
    {
      when: 'another person is signed in, and the address has no account',
      as: 'session',
      params: toNobody,
      status: 200,
      then: async ({ body, headers }, { caller }) => {
        expect(body).toEqual({ result: 'please-register', email: masked, token: null, invited });
        // A link signs nobody out: the screen asks first.
        expect(headers.getSetCookie()).toEqual([]);
        expect((await caller.whoami()).body.principal.id).toBe(caller.id);
      },
    },
    {
      when: 'nothing applies its kind',
      as: 'session',
      params: async ({ house, caller }) => {
        const { id, secret } = await invite(house, { email: caller.email });
        await house.database.orm.update(invitations).set({ kind: 'constructor' }).where(eq(invitations.id, id));
        return { id: secret };
      },
      status: 200,
      then: async ({ body }, { house, caller }) => {
        expect(body).toEqual({ result: 'apply-error', email: masked, token: null });
        // Not used up: it works once the fault is repaired.
        const open = and(eq(invitations.emailKey, house.key(caller.email)), isNull(invitations.acceptedAt));
        expect(await house.database.orm.select().from(invitations).where(open)).toHaveLength(1);
      },
    },
    {
      when: 'another site wants it accepted',
      as: 'session',
      params: toCaller,
      send: { headers: { Origin: 'https://evil.example' } },
      status: 403,
      code: 'CSRF',
    },
    ...dead,
    tooOften,
  ],

  ...answering('decline'),
  ...answering('reopen'),
  'POST /api/invitations/:id/register': [
    {
      when: 'with the address of the invitation: nothing has to be confirmed',
      body: ({ caller }: Scene) => newcomer((caller.email = newAddress())),
      params: toCaller,
      status: 200,
      then: async ({ body }, { house, caller }) => {
        expect(body).toMatchObject({ confirmationNeeded: false, user: { confirmed: true, email: caller.email } });
        expect((await caller.whoami()).body.principal.confirmed).toBe(true);
        expect((await house.mails(caller.email)).map(({ subject }) => subject)).toEqual([
          expect.stringContaining('invites you'),
        ]);
      },
    },
    {
      when: 'with the same address in another spelling, by the page’s form',
      params: async (scene) => {
        scene.caller.email = newAddress();
        return toCaller(scene);
      },
      send: async (scene) => {
        const { password, passwordConfirm } = passwords;
        const email = `${scene.caller.email.toUpperCase()}.`;
        const fields = {
          email,
          password,
          password_confirm: passwordConfirm,
          first_name: 'Dana',
          last_name: 'Test',
          terms: 'y',
        };
        return asForm('/api/register', fields)(scene);
      },
      status: 200,
      then: ({ body }) => expect(body.confirmationNeeded).toBe(false),
    },
    {
      when: 'with another address: it has to be confirmed like any other',
      params: toNobody,
      body: () => newcomer(newAddress()),
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ confirmationNeeded: true, user: { confirmed: false } }),
    },
    {
      when: 'the address has an account: only a mail to the address says so',
      body: async ({ caller, person }: Scene) => newcomer((caller.email = (await person()).email)),
      params: toCaller,
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ confirmationNeeded: true, user: { confirmed: false } }),
    },
    {
      when: 'the fields are wrong',
      params: toNobody,
      body: { email: 'x', password: 'short', passwordConfirm: 'y', firstName: ' ', lastName: 'Test' },
      status: 422,
      code: 'INVALID',
      fields: {
        email: 'email',
        password: 'password_short',
        firstName: 'required',
        terms: 'terms',
      },
    },
    {
      when: 'it is no JSON',
      params: toNobody,
      send: { raw: '{', headers: { 'Content-Type': 'text/plain' } },
      status: 415,
      code: 'TYPE',
    },
    ...dead.map((row) => ({ ...row, body: newcomer('dana@example.test') })),
    { ...tooOften, body: newcomer('dana@example.test') },
  ],
} satisfies Table;
