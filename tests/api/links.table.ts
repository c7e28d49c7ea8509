import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import type { Person } from '#tests/support/people.ts';
import { asForm, type Scene, type Table } from '#tests/support/table.ts';

const newPassword = { password: 'a quieter horse', passwordConfirm: 'a quieter horse' };

/** A link to a new password in the mail of a person who asked for one. */
async function resetLink({ house, caller, person }: Scene): Promise<{ ann: Person; token: string }> {
  const ann = await person();
  caller.email = ann.email;
  await ann.post('/api/reset', { email: ann.email });
  return { ann, token: await house.tokenFor(ann.email, '/reset') };
}

/** A link to undo the change, in the mail to the person's previous address. */
async function undoLink({ house, caller, person }: Scene): Promise<{ ann: Person; token: string }> {
  const ann = await person();
  caller.email = ann.email;
  const next = `next-${ann.email}`;
  await ann.post('/api/principals/me/change-email/step1', { new_email: next });
  const token = await house.tokenFor(next, '/confirm-email-change');
  await ann.post('/api/principals/me/change-email/step2', { token, password: ann.password });
  return { ann, token: await house.tokenFor(ann.email, '/undo-email-change') };
}

const tooMany = async ({ exhaust, caller }: Scene) => {
  await exhaust(rules.tokens, caller.address ?? '');
  return {};
};

export default {
  'GET /api/reset': [
    {
      when: 'the page with the token',
      status: 200,
      then: ({ text }) => expect(text).toContain('name="csrf_token"'),
    },
  ],

  'GET /api/reset/:token': [
    {
      when: 'looked at, twice: nothing is used up',
      params: async (scene) => {
        const { token } = await resetLink(scene);
        await scene.caller.get(`/api/reset/${token}`);
        return { token };
      },
      status: 200,
      then: async ({ text }, { house, caller }) => {
        expect(text).toContain('name="csrf_token"');
        const token = await house.tokenFor(caller.email, '/reset');
        expect((await caller.post(`/api/reset/${token}`, newPassword)).status).toBe(204);
      },
    },
    { when: 'a token that is none: the same page', status: 200 },
  ],

  'POST /api/reset': [
    {
      when: 'the address has an account: a link is sent',
      body: async ({ person, caller }: Scene) => ({ email: (caller.email = (await person()).email) }),
      status: 204,
      then: async (_, { house, caller }) =>
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'Choose a new password' }]),
    },
    { when: 'no account has that address', body: { email: 'nobody@example.test' }, status: 204 },
    {
      when: 'the address waits to be confirmed: that comes first',
      as: 'unconfirmed',
      body: ({ caller }: Scene) => ({ email: caller.email }),
      status: 204,
      then: async (_, { house, caller }) =>
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'Confirm your e-mail address' }]),
    },
    {
      when: 'the account has no password yet: it may get one',
      as: 'passwordless',
      body: ({ caller }: Scene) => ({ email: caller.email }),
      status: 204,
      then: async (_, { house, caller }) =>
        expect(await house.mails(caller.email)).toMatchObject([{ subject: 'Choose a new password' }]),
    },
    {
      when: 'asked a fourth time within the hour: nothing is sent, and the last link still works',
      body: async ({ caller, person }: Scene) => {
        const { email } = await person();
        caller.email = email;
        for (let i = 0; i < 3; i += 1) await caller.post('/api/reset', { email });
        return { email };
      },
      status: 204,
      then: async (_, { house, caller }) => {
        expect(await house.mails(caller.email)).toHaveLength(3);
        const token = await house.tokenFor(caller.email, '/reset');
        expect((await caller.post(`/api/reset/${token}`, newPassword)).status).toBe(204);
      },
    },
    { when: 'sent by the page as a form', send: asForm('/api/reset', { email: 'nobody@example.test' }), status: 204 },
    { when: 'it is no address', body: { email: 'ann' }, status: 422, code: 'INVALID', fields: { email: 'email' } },
    {
      when: 'sixty came from the address within the hour',
      body: async ({ exhaust, caller }: Scene) => {
        await exhaust(rules.askMail, caller.address ?? '');
        return { email: 'ann@example.test' };
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/reset/:token': [
    {
      when: 'the token of the mail',
      params: async (scene) => ({ token: (await resetLink(scene)).token }),
      body: newPassword,
      status: 204,
      then: async (_, { house, caller }) => {
        expect((await caller.login()).status).toBe(401);
        expect((await caller.login(newPassword)).status).toBe(200);
        expect((await house.mails(caller.email))[0]).toMatchObject({ subject: 'Your password was changed' });
      },
    },
    {
      when: 'sent by the page as a form',
      params: async (scene) => ({ token: (await resetLink(scene)).token }),
      send: asForm('/api/reset/some-token', { password: 'a quieter horse', password_confirm: 'a quieter horse' }),
      status: 204,
    },
    { when: 'a token that is none', body: newPassword, status: 410, code: 'GONE' },
    {
      when: 'the token was used',
      params: async (scene) => {
        const { token } = await resetLink(scene);
        await scene.caller.post(`/api/reset/${token}`, newPassword);
        return { token };
      },
      body: newPassword,
      status: 410,
      code: 'GONE',
    },
    {
      when: 'a newer link was sent',
      params: async (scene) => {
        const { ann, token } = await resetLink(scene);
        await ann.post('/api/reset', { email: ann.email });
        return { token };
      },
      body: newPassword,
      status: 410,
      code: 'GONE',
    },
    {
      when: 'it is the token of a confirmation',
      params: async ({ house, caller }) => {
        caller.email = `fay-${caller.address}@example.test`;
        await caller.register();
        return { token: await house.tokenFor(caller.email, '/confirm') };
      },
      body: newPassword,
      status: 410,
      code: 'GONE',
    },
    {
      when: 'another person is signed in',
      as: 'session',
      params: async (scene) => {
        const { email } = scene.caller;
        const { token } = await resetLink(scene);
        scene.caller.email = email;
        return { token };
      },
      body: newPassword,
      status: 410,
      code: 'GONE',
    },
    {
      when: 'the password is one of the common; the link is not used up',
      params: async (scene) => ({ token: (await resetLink(scene)).token }),
      body: { password: 'Password1', passwordConfirm: 'Password1' },
      status: 422,
      code: 'INVALID',
      fields: { password: 'password_common' },
      then: async (_, { house, caller }) => {
        const token = await house.tokenFor(caller.email, '/reset');
        expect((await caller.post(`/api/reset/${token}`, newPassword)).status).toBe(204);
      },
    },
    {
      when: 'the passwords differ',
      body: { ...newPassword, passwordConfirm: 'a louder horse' },
      status: 422,
      code: 'INVALID',
      fields: { passwordConfirm: 'password_mismatch' },
    },
    { when: 'sixty were tried from the address', params: tooMany, body: newPassword, status: 429, code: 'RATE' },
  ],

  'POST /api/undo-email-change/:token': [
    {
      when: 'the token of the mail: the address is back, and a link to a new password comes to it',
      params: async (scene) => ({ token: (await undoLink(scene)).token }),
      status: 200,
      then: async ({ body }, { house, caller }) => {
        expect(body).toEqual({ email: caller.email });
        const token = await house.tokenFor(caller.email, '/reset');
        expect((await caller.post(`/api/reset/${token}`, newPassword)).status).toBe(204);
        expect((await caller.login(newPassword)).body.user.email).toBe(caller.email);
      },
    },
    { when: 'a token that is none', status: 410, code: 'GONE' },
    {
      when: 'the token was used',
      params: async (scene) => {
        const { token } = await undoLink(scene);
        await scene.caller.post(`/api/undo-email-change/${token}`);
        return { token };
      },
      status: 410,
      code: 'GONE',
    },
    { when: 'sixty were tried from the address', params: tooMany, status: 429, code: 'RATE' },
  ],
} satisfies Table;
