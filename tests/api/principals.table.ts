import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { sessions, userScopes } from '#db/schema/accounts.ts';
import { rules } from '#server/limits.ts';
import { lifetimes } from '#shared/accounts.ts';
import { closingView } from '#shared/closing.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { unknownParameter, type Scene, type Table } from '#tests/support/table.ts';

const usedUp =
  (rule: (typeof rules)[keyof typeof rules], body: unknown) =>
  async ({ exhaust, caller }: Scene) => {
    await exhaust(rule, caller.id);
    return body;
  };

const leaving = { reason: 'taskCompleted', comment: 'Thank you' };

/** A link in the mail to a new address that the caller asked for. */
async function changeLink({ house, caller }: Scene): Promise<{ next: string; token: string }> {
  const next = `next-${caller.email}`;
  await caller.post('/api/principals/me/change-email/step1', { new_email: next });
  return { next, token: await house.tokenFor(next, '/confirm-email-change') };
}

/** Makes the last proof of the caller's identity so old that it no longer counts. */
async function provedLongAgo({ house, caller }: Scene): Promise<void> {
  const provedAt = new Date(house.clock.now().getTime() - (lifetimes.reauthentication + 1) * 1000);
  await house.database.orm.update(sessions).set({ provedAt }).where(eq(sessions.userId, caller.id));
}

const sessionInfoKeys = [
  'account_types',
  'billing',
  'circles',
  'config',
  'forced',
  'groups',
  'invitations',
  'operator',
  'principal',
  'scopes',
  'teams',
];

export default {
  'GET /api/principals/whoami': [
    {
      when: 'not signed in',
      status: 200,
      then: ({ body }) => {
        expect(Object.keys(body).toSorted()).toEqual(sessionInfoKeys);
        expect(body).toMatchObject({
          principal: { id: -1, kind: 'anonymous', email: null },
          billing: null,
          scopes: [],
        });
      },
    },
    {
      when: 'signed in',
      as: 'session',
      status: 200,
      then: ({ body }, { caller }) => {
        expect(Object.keys(body).toSorted()).toEqual(sessionInfoKeys);
        expect(body).toMatchObject({
          principal: {
            id: caller.id,
            kind: 'user',
            email: caller.email,
            first_name: 'Ann',
            last_name: 'Test',
            confirmed: true,
            hasPassword: true,
            preferences: {
              showConfirmationPopupForOutcomes: true,
              pauseOnOutcomeSelecting: true,
              hardcorePrivacy: false,
            },
            accountType: null,
            outcomeModel: null,
            scope: { scope_id: 'personal', role_id: 'owner' },
            billingInfo: null,
          },
          config: {
            maxRelaxedReviewParticipants: 30,
            maxStrictReviewParticipants: 10,
            maxStudentReviewParticipants: 5,
            maxReviewSupervisors: 3,
          },
          billing: { balance: '0.00', freeMinutes: 90, totalMinutes: 90 },
          scopes: [{ scope_id: 'personal', role_id: 'owner' }],
        });
        expect(body.account_types.map((type: { id: string }) => type.id)).toEqual([
          'individual',
          'coach',
          'mentor',
          'student',
        ]);
      },
    },
    {
      when: 'by a token',
      as: 'token',
      status: 200,
      then: ({ body }, { caller }) => expect(body.principal.id).toBe(caller.id),
    },
  ],

  'POST /api/principals/me': [
    {
      when: 'an account type is chosen: its first model is the active one',
      as: 'session',
      body: { accountType: 'coach' },
      status: 200,
      then: ({ body }) => {
        expect(body.principal).toMatchObject({ accountType: 'coach', outcomeModel: 'coaching' });
        expect(body.account_types.filter((type: { active: boolean }) => type.active)).toMatchObject([{ id: 'coach' }]);
      },
    },
    {
      when: 'type and model at once',
      as: 'session',
      body: { accountType: 'student', outcomeModel: 'meeting' },
      status: 200,
      then: ({ body }) => expect(body.principal).toMatchObject({ accountType: 'student', outcomeModel: 'meeting' }),
    },
    {
      when: 'preferences: what is not given stays, also inside a group',
      as: 'session',
      body: async ({ caller }: Scene) => {
        await caller.post('/api/principals/me', {
          preferences: { hardcorePrivacy: true, upload: { language: 'en-US' } },
        });
        return { preferences: { upload: { speakersNumber: 2 }, transcriptHighlightingMode: 'word' } };
      },
      status: 200,
      then: ({ body }) =>
        expect(body.principal.preferences).toMatchObject({
          hardcorePrivacy: true,
          transcriptHighlightingMode: 'word',
          upload: { language: 'en-US', speakersNumber: 2 },
        }),
    },
    {
      when: 'the language, by a token',
      as: 'token',
      body: { language: 'ru' },
      status: 200,
      then: ({ body }) => expect(body.principal.language).toBe('ru'),
    },
    {
      when: 'the model is not one of the type',
      as: 'session',
      body: { accountType: 'individual', outcomeModel: 'coaching' },
      status: 422,
      code: 'INVALID',
      fields: { outcomeModel: 'invalid' },
    },
    {
      when: 'a model without a type',
      as: 'session',
      body: { outcomeModel: 'meeting' },
      status: 422,
      code: 'INVALID',
      fields: { outcomeModel: 'invalid' },
    },
    // C19 of the attacks: this and what follows.
    {
      when: 'a key is unknown',
      as: 'session',
      body: { preferences: { isAdmin: true } },
      status: 422,
      code: 'INVALID',
      fields: { preferences: 'invalid' },
    },
    {
      when: 'another person’s id is given',
      as: 'session',
      body: async ({ person }: Scene) => ({ id: (await person()).id, language: 'es' }),
      status: 422,
      code: 'INVALID',
    },
    {
      when: 'the preferences together are more than is kept',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const ids = (letter: string) => Array.from({ length: 100 }, (_, i) => letter.repeat(57) + (100 + i));
        await caller.post('/api/principals/me', { preferences: { productTours: { completedToursIds: ids('a') } } });
        await caller.post('/api/principals/me', { preferences: { productTours: { skippedToursIds: ids('b') } } });
        return { preferences: { upload: { vocab: 'v'.repeat(5000) } } };
      },
      status: 422,
      code: 'INVALID',
      fields: { preferences: 'too_long' },
    },
    {
      when: 'the body alone is more than is kept',
      as: 'session',
      body: { preferences: { upload: { vocab: 'v'.repeat(16_384) } } },
      status: 413,
      code: 'BIG',
    },
    { when: 'too often', as: 'session', body: usedUp(rules.write, { language: 'es' }), status: 429, code: 'RATE' },
  ],

  'POST /api/principals/search': [
    {
      when: 'one’s own name',
      as: 'session',
      body: { text: 'ann te' },
      status: 200,
      then: ({ body }, { caller }) => expect(body.principals).toMatchObject([{ kind: 'user', id: caller.id }]),
    },
    {
      when: 'another person’s name: no result',
      as: 'session',
      body: async ({ person }: Scene) => ({ text: (await person('Chen')) && 'Chen' }),
      status: 200,
      then: ({ body }) => expect(body).toEqual({ principals: [] }),
    },
    {
      when: 'the whole address of a person: it can be invited, and no more is said',
      as: 'session',
      body: async ({ person, caller }: Scene) => ({ text: (caller.email = (await person('Chen')).email) }),
      status: 200,
      then: ({ body }, { caller }) =>
        expect(body.principals).toEqual([
          { id: -1, kind: 'pending', email: caller.email, first_name: '', last_name: '' },
        ]),
    },
    {
      when: 'the whole address without an account: the same',
      as: 'token',
      body: { text: 'nobody@example.test' },
      status: 200,
      then: ({ body }) =>
        expect(body.principals).toEqual([
          { id: -1, kind: 'pending', email: 'nobody@example.test', first_name: '', last_name: '' },
        ]),
    },
    {
      when: 'wildcards are letters like any other',
      as: 'session',
      body: { text: '%_%' },
      status: 200,
      then: ({ body }) => expect(body).toEqual({ principals: [] }),
    },
    { when: 'nothing', as: 'session', body: { text: '' }, status: 422, code: 'INVALID', fields: { text: 'too_short' } },
    {
      when: 'two letters',
      as: 'session',
      body: { text: ' an ' },
      status: 422,
      code: 'INVALID',
      fields: { text: 'too_short' },
    },
    {
      when: 'thirty times a minute',
      as: 'session',
      body: usedUp(rules.search, { text: 'ann' }),
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/principals/change': [
    {
      when: 'a scope of one’s own',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        const scope = { scopeId: 'school', scopeName: 'School', roleId: 'tutor', roleName: 'Tutor' };
        await house.database.orm.insert(userScopes).values({ userId: caller.id, ...scope });
        return { scope: { scope_id: 'school', role_id: 'tutor' } };
      },
      status: 200,
      then: async ({ body }, { caller }) => {
        expect(body.principal.scope).toEqual({ scope_id: 'school', role_id: 'tutor' });
        expect((await caller.whoami()).body.principal.scope).toEqual({ scope_id: 'school', role_id: 'tutor' });
      },
    },
    {
      when: 'a scope of another person',
      as: 'session',
      body: async ({ house, person }: Scene) => {
        const scope = { scopeId: 'office', scopeName: 'Office', roleId: 'head', roleName: 'Head' };
        await house.database.orm.insert(userScopes).values({ userId: (await person()).id, ...scope });
        return { scope: { scope_id: 'office', role_id: 'head' } };
      },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'by a token',
      as: 'token',
      body: { scope: { scope_id: 'personal', role_id: 'owner' } },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'no scope',
      as: 'session',
      body: { scope: 'personal' },
      status: 422,
      code: 'INVALID',
      fields: { scope: 'invalid' },
    },
    {
      when: 'too often',
      as: 'session',
      body: usedUp(rules.write, { scope: { scope_id: 'personal', role_id: 'owner' } }),
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/principals/me/change-email/step1': [
    {
      when: 'a new address: it gets a link',
      as: 'session',
      body: ({ caller }: Scene) => ({ new_email: `next-${caller.email}` }),
      status: 204,
      then: async (_, { house, caller }) => {
        expect(await house.mails(`next-${caller.email}`)).toMatchObject([
          { subject: 'Confirm your new e-mail address' },
        ]);
        expect((await caller.whoami()).body.principal.email).toBe(caller.email);
      },
    },
    {
      when: 'the address of a person: the same answer, and only they get a mail',
      as: 'session',
      body: async ({ person, caller }: Scene) => ({ new_email: (caller.email = (await person()).email) }),
      status: 204,
      then: async (_, { house, caller }) =>
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'You already have an account' }]),
    },
    { when: 'by a token', as: 'token', body: { new_email: 'next@example.test' }, status: 403, code: 'NO_PERM' },
    {
      when: 'not confirmed yet',
      as: 'unconfirmed',
      body: { new_email: 'next@example.test' },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'no address',
      as: 'session',
      body: { new_email: 'next' },
      status: 422,
      code: 'INVALID',
      fields: { newEmail: 'email' },
    },
    {
      when: 'the address one has, written differently',
      as: 'session',
      body: ({ caller }: Scene) => ({ new_email: `${caller.email.toUpperCase()}.` }),
      status: 422,
      code: 'INVALID',
      fields: { newEmail: 'same_email' },
    },
    {
      when: 'too often',
      as: 'session',
      body: usedUp(rules.askMail, { new_email: 'next@example.test' }),
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/principals/me/change-email/step2': [
    {
      when: 'the token and the password: the address is changed, everybody signed out, and the old address gets a mail',
      as: 'session',
      body: async (scene: Scene) => ({ token: (await changeLink(scene)).token, password: scene.caller.password }),
      status: 204,
      then: async (_, { house, caller }) => {
        expect((await caller.whoami()).body.principal.kind).toBe('anonymous');
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'Your e-mail address was changed' }]);
        expect((await caller.login()).status).toBe(401);
        expect((await caller.login({ email: `next-${caller.email}` })).status).toBe(200);
      },
    },
    {
      when: 'signed in as another person',
      as: 'session',
      body: async (scene: Scene) => {
        const ben = await scene.person();
        return { token: (await changeLink({ ...scene, caller: ben })).token, password: ben.password };
      },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'a token that is none',
      as: 'session',
      body: { token: 'nothing', password: 'correct horse battery' },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'a person confirmed the address in the meantime',
      as: 'session',
      body: async (scene: Scene) => {
        const { next, token } = await changeLink(scene);
        await scene.house.person('Ben', { email: next });
        return { token, password: scene.caller.password };
      },
      status: 410,
      code: 'GONE',
    },
    { when: 'by a token', as: 'token', body: { token: 'nothing', password: 'x' }, status: 403, code: 'NO_PERM' },
    {
      when: 'the password is wrong',
      as: 'session',
      body: async (scene: Scene) => ({ token: (await changeLink(scene)).token, password: 'not this one' }),
      status: 422,
      code: 'INVALID',
      fields: { password: 'password_wrong' },
    },
    {
      when: 'the password was wrong five times',
      as: 'session',
      body: async (scene: Scene) => {
        const { token } = await changeLink(scene);
        const wrong = { token, password: 'not this one' };
        for (let i = 0; i < 5; i += 1) {
          expect((await scene.caller.post('/api/principals/me/change-email/step2', wrong)).status).toBe(422);
        }
        return { token, password: scene.caller.password };
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'GET /api/principals/me/shared-recordings': [
    unknownParameter,
    {
      when: 'others have access to nothing',
      as: 'session',
      status: 200,
      then: ({ body }) => expect(body).toEqual({ recordings: [], digest: createHash('sha256').digest('hex') }),
    },
    {
      when: 'a recording is shared',
      as: 'session',
      query: async ({ house, caller, person }: Scene) => {
        await share(house, await makeMeeting(house, caller), await person(), ['read', 'discover']);
        return '';
      },
      status: 200,
      then: ({ body }) =>
        expect(body.recordings).toMatchObject([{ people: 1, waiting: 0, link: false, heirs: [{ name: 'Ben Test' }] }]),
    },
    { when: 'by a token', as: 'token', status: 403, code: 'NO_PERM' },
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
  ],

  'GET /api/principals/me/closing': [
    unknownParameter,
    {
      when: 'credits, and a team with others that the caller pays for',
      as: 'session',
      query: async ({ house, caller, person }: Scene) => {
        await giveCredits(house, caller, '12.5');
        await makeTeam(caller, [await person()]);
        await makeTeam(caller, [], { name: 'Those who are alone' });
        return '';
      },
      status: 200,
      then: ({ body }, { caller }) => {
        expect(closingView.strict().parse(body)).toEqual(body);
        expect(body).toMatchObject({
          balance: '12.50',
          minutes: 90,
          plans: [],
          teams: [{ name: `Team of ${caller.id}` }],
        });
        expect(body.teams).toHaveLength(1);
      },
    },
    { when: 'by a token', as: 'token', status: 403, code: 'NO_PERM' },
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
  ],

  'POST /api/principals/me/delete': [
    {
      when: 'they pay for a team with others',
      as: 'session',
      body: async ({ caller, person }: Scene) => {
        await makeTeam(caller, [await person()]);
        return { ...leaving, password: caller.password };
      },
      status: 409,
      code: 'PAYER',
      then: ({ problem }) => expect(problem.info).toMatchObject({ teams: [{ name: expect.any(String) }] }),
    },
    {
      when: 'a recording is shared, and nothing was decided about it',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        await share(house, await makeMeeting(house, caller), await person(), ['read', 'discover']);
        return { ...leaving, password: caller.password };
      },
      status: 409,
      code: 'CONFLICT',
      then: async ({ problem }, { caller }) => {
        expect(problem.info).toMatchObject({ reason: 'SHARED_RECORDINGS', recordings: [{ people: 1 }] });
        expect((await caller.whoami()).body.principal.kind).toBe('user');
      },
    },
    {
      when: 'a recording is given to a stranger',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        const id = await makeMeeting(house, caller);
        await share(house, id, await person(), ['read', 'discover']);
        return { ...leaving, password: caller.password, recordings: [{ id, to: (await person('Eve')).id }] };
      },
      status: 422,
      code: 'INVALID',
      fields: { 'recordings.0.to': 'unknown' },
    },
    {
      when: 'the password is right: everything is deleted, and the address gets a mail',
      as: 'session',
      body: ({ caller }: Scene) => ({ ...leaving, password: caller.password }),
      status: 204,
      then: async ({ headers }, { house, caller }) => {
        expect(headers.get('clear-site-data')).toBe('"cache", "storage"');
        expect((await caller.whoami()).body.principal.kind).toBe('anonymous');
        expect((await caller.login()).status).toBe(401);
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'Your account was deleted' }]);
      },
    },
    {
      when: 'not confirmed yet: no mail is sent',
      as: 'unconfirmed',
      body: ({ caller }: Scene) => ({ ...leaving, password: caller.password }),
      status: 204,
      then: async (_, { house, caller }) => expect(await house.mails(caller.email)).toEqual([]),
    },
    { when: 'without a password, just after signing in elsewhere', as: 'passwordless', body: leaving, status: 204 },
    {
      when: 'without a password, long after signing in elsewhere',
      as: 'passwordless',
      body: async (scene: Scene) => {
        await provedLongAgo(scene);
        return leaving;
      },
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }) => expect(problem.info).toHaveProperty('reauthenticate', 'oidc'),
    },
    {
      when: 'just signed in is not enough where there is a password',
      as: 'session',
      body: leaving,
      status: 422,
      code: 'INVALID',
      fields: { password: 'required' },
    },
    {
      when: 'by a token',
      as: 'token',
      body: ({ caller }: Scene) => ({ ...leaving, password: caller.password }),
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'the password is wrong',
      as: 'session',
      body: { ...leaving, password: 'not this one' },
      status: 422,
      code: 'INVALID',
      fields: { password: 'password_wrong' },
    },
    {
      when: 'no reason is given',
      as: 'session',
      body: ({ caller }: Scene) => ({ password: caller.password }),
      status: 422,
      code: 'INVALID',
      fields: { reason: 'required' },
    },
    {
      when: 'another person’s id is given: it is ignored',
      as: 'session',
      body: async ({ person, caller }: Scene) => ({ ...leaving, id: (await person()).id, password: caller.password }),
      status: 204,
      then: async (_, { caller }) => expect((await caller.login()).status).toBe(401),
    },
    {
      when: 'the password was wrong five times',
      as: 'session',
      body: async ({ caller }: Scene) => {
        const wrong = { ...leaving, password: 'not this one' };
        for (let i = 0; i < 5; i += 1) expect((await caller.post('/api/principals/me/delete', wrong)).status).toBe(422);
        return { ...leaving, password: caller.password };
      },
      status: 429,
      code: 'RATE',
    },
  ],
} satisfies Table;
