// A20: an invitation is accepted once, by the account it is for, and until it ends or is taken back.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invitations, userScopes, users } from '#db/schema/accounts.ts';
import { revokeInvitations, sweepInvitations, type InvitationApplier } from '#server/people/invitations.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { invite } from '#tests/support/invitations.ts';
import type { Person } from '#tests/support/people.ts';

/** Records what the kinds of these tests do: put the person into a scope, unless they are to fail. */
let applied: string[] = [];
let broken = false;
const join: InvitationApplier = async (_ctx, tx, { id, targetId }, person) => {
  applied.push(person.id);
  const names = { scopeName: 'Team', roleId: 'member', roleName: 'Member' };
  await tx.insert(userScopes).values({ userId: person.id, scopeId: targetId ?? id, ...names });
  if (broken) throw new Error('canary-of-the-applier');
};

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    house: { invitationAppliers: { team: join, meeting: join, recording: () => Promise.resolve() } },
  });
});
afterAll(() => house?.close());
beforeEach(() => {
  applied = [];
  broken = false;
});

const accept = (person: Person, id: string) => person.post(`/api/invitations/${id}`);
/** Repeats the request while the server is too busy, as a page does; each time from a new address. */
async function insist(person: Person, id: string, address: string) {
  for (;;) {
    const answer = await person.post(`/api/invitations/${id}`, undefined, { headers: { 'X-Forwarded-For': address } });
    if (answer.status !== 503) return answer;
  }
}
const scopesOf = (person: Person) =>
  house.database.orm.select().from(userScopes).where(eq(userScopes.userId, person.id));
const rowOf = async (id: string) =>
  (await house.database.orm.select().from(invitations).where(eq(invitations.id, id)))[0];

describe('A20: accepting', () => {
  test('fifty times at once applies it once, and every answer says it is done', async () => {
    const ann = await house.person('Ann');
    const { id, secret } = await invite(house, { kind: 'meeting', targetId: 'm1', email: ann.email });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => insist(ann, secret, `10.0.0.${i}`)));
    const ok = { result: 'ok', email: ann.email, token: { meeting_id: 'm1', email: ann.email } };
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      answers.map(() => ({ status: 200, body: ok })),
    );
    expect(applied).toEqual([ann.id]);
    expect(await scopesOf(ann)).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ acceptedBy: ann.id, hash: expect.any(Buffer) });
  });

  test('once it is accepted the link opens nothing to anybody else', async () => {
    const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
    const { secret } = await invite(house, { kind: 'team', targetId: newId(), email: ann.email });
    expect((await accept(ann, secret)).body.result).toBe('ok');
    for (const other of [ben, house.stranger()]) {
      const answer = await accept(other, secret);
      expect([answer.status, answer.problem.code]).toEqual([410, 'GONE']);
    }
  });

  test('with another account than the one it is for: nothing happens, and the mail address stays masked', async () => {
    const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
    const { id, secret } = await invite(house, { kind: 'team', targetId: newId(), email: ann.email });
    const answer = await accept(ben, secret);
    expect(answer.body).toEqual({ result: 'please-relogin', email: 'a…@e…', token: null });
    expect(answer.text).not.toContain(ann.email);
    expect(applied).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ acceptedAt: null });
    expect((await ben.whoami()).body.principal.id).toBe(ben.id);
  });

  test('after fourteen days', async () => {
    const late = await openHouse();
    const ann = await late.person('Ann');
    const { secret } = await invite(late, { email: ann.email });
    late.clock.forward(14 * 86_400 - 60);
    await ann.login();
    expect((await accept(ann, secret)).status).toBe(200);
    const again = await invite(late, { email: ann.email });
    late.clock.forward(14 * 86_400 + 1);
    await ann.login();
    expect((await accept(ann, again.secret)).status).toBe(410);
    expect((await ann.whoami()).body.invitations).toEqual([]);
    // Some time later nothing of it is stored.
    late.clock.forward(13 * 86_400);
    await sweepInvitations(late.house);
    expect(await late.database.orm.select().from(invitations)).toHaveLength(1);
    late.clock.forward(86_400);
    await sweepInvitations(late.house);
    expect(await late.database.orm.select().from(invitations)).toEqual([]);
    await late.close();
  });

  test('after it was taken back: one address, or all that lead to the same thing', async () => {
    const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
    const targetId = newId();
    const forAnn = await invite(house, { kind: 'team', targetId, email: ann.email });
    const forBen = await invite(house, { kind: 'team', targetId, email: ben.email });
    const elsewhere = await invite(house, { kind: 'team', targetId: newId(), email: ann.email });
    const { orm } = house.database;
    await revokeInvitations(house.house, orm, { kind: 'team', targetId, email: ann.email.toUpperCase() });
    expect((await accept(ann, forAnn.secret)).status).toBe(410);
    expect((await accept(ann, forAnn.id)).status).toBe(410);
    await revokeInvitations(house.house, orm, { kind: 'team', targetId });
    expect((await accept(ben, forBen.secret)).status).toBe(410);
    expect((await accept(ann, elsewhere.secret)).body.result).toBe('ok');
    expect(applied).toEqual([ann.id]);
  });

  test('a newer invitation to the same thing makes the older mail worthless', async () => {
    const ann = await house.person('Ann');
    const what = { kind: 'team', targetId: newId(), email: ann.email } as const;
    const older = await invite(house, what);
    const newer = await invite(house, { ...what, email: ann.email.toUpperCase() });
    expect(newer.secret).not.toBe(older.secret);
    expect((await accept(ann, older.secret)).status).toBe(410);
    expect((await accept(ann, newer.secret)).body.result).toBe('ok');
  });

  test('changes of an applier that fails are undone, reported in one word, and made once it works', async () => {
    const ann = await house.person('Ann');
    const { id, secret } = await invite(house, { kind: 'team', targetId: newId(), email: ann.email });
    broken = true;
    const failed = await accept(ann, secret);
    expect([failed.status, failed.body]).toEqual([200, { result: 'apply-error', email: 'a…@e…', token: null }]);
    expect(failed.text).not.toContain('canary');
    expect(house.log()).toContain('canary-of-the-applier');
    expect(await scopesOf(ann)).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ acceptedAt: null, acceptedBy: null });
    broken = false;
    expect((await accept(ann, secret)).body.result).toBe('ok');
    expect(await scopesOf(ann)).toHaveLength(1);
  });
});

describe('declining', () => {
  const decline = (person: Person, id: string) => person.post(`/api/invitations/${id}/decline`);
  const reopen = (person: Person, id: string) => person.post(`/api/invitations/${id}/reopen`);
  const waiting = async (person: Person) => (await person.whoami()).body.invitations as { id: string }[];

  test('takes the invitation from the list, as often as it is said; it can be taken back, or accepted by the same link', async () => {
    const ann = await house.person('Ann');
    const { id, secret } = await invite(house, { kind: 'team', targetId: newId(), email: ann.email });
    for (const given of [id, id, secret]) expect((await decline(ann, given)).body.result).toBe('ok');
    expect(await waiting(ann)).toEqual([]);
    expect((await reopen(ann, id)).body.result).toBe('ok');
    expect((await rowOf(id))?.declinedAt).toBeNull();
    await decline(ann, id);
    expect((await accept(ann, secret)).body.result).toBe('ok');
    expect(await rowOf(id)).toMatchObject({ acceptedBy: ann.id, declinedAt: null });
    // An accepted invitation cannot be declined: the person leaves the team instead.
    expect((await decline(ann, secret)).status).toBe(410);
    expect(applied).toEqual([ann.id]);
  });

  test('needs no account, where the address has none; of an account only the account itself', async () => {
    const ann = await house.person('Ann');
    const nobodys = await invite(house, { email: `${newId(10).toLowerCase()}@example.test` });
    expect((await decline(house.stranger(), nobodys.secret)).body.result).toBe('ok');
    expect((await rowOf(nobodys.id))?.declinedAt).not.toBeNull();
    const anns = await invite(house, { email: ann.email });
    const results = [await decline(house.stranger(), anns.secret), await decline(await house.person(), anns.secret)];
    expect(results.map(({ body }) => body.result)).toEqual(['please-login', 'please-relogin']);
    expect(await waiting(ann)).toHaveLength(1);
  });

  test('of a request for a recording is possible after it was accepted, and can be taken back like any other', async () => {
    const ann = await house.person('Ann');
    const { id } = await invite(house, { kind: 'recording', email: ann.email });
    for (const answer of [accept, reopen]) {
      expect((await accept(ann, id)).body.result).toBe('ok');
      expect((await decline(ann, id)).body.result).toBe('ok');
      expect(await waiting(ann)).toEqual([]);
      expect((await answer(ann, id)).body.result).toBe('ok');
      expect(await waiting(ann)).toMatchObject([{ id }]);
    }
  });

  test('ends with the invitation: withdrawn, replaced, run out', async () => {
    const ann = await house.person('Ann');
    const what = { kind: 'team', targetId: newId(), email: ann.email } as const;
    const older = await invite(house, what);
    await decline(ann, older.secret);
    const newer = await invite(house, what);
    expect((await waiting(ann)).map(({ id }) => id)).toEqual([newer.id]);
    expect([(await decline(ann, older.secret)).status, (await reopen(ann, older.id)).status]).toEqual([410, 410]);
    await decline(ann, newer.id);
    await revokeInvitations(house.house, house.database.orm, what);
    expect([(await reopen(ann, newer.id)).status, (await accept(ann, newer.secret)).status]).toEqual([410, 410]);
  });
});

describe('a person whose address is not confirmed', () => {
  const unconfirmed = async (email: string): Promise<Person> => {
    const person = house.stranger();
    person.email = email;
    await person.register();
    person.id = String((await person.whoami()).body.principal.id);
    return person;
  };

  test('confirms it by the secret of the mail, which is as good as a confirmation; rivals are gone', async () => {
    const email = `${newId(10).toLowerCase()}@example.test`;
    const rival = await unconfirmed(email);
    const ann = await unconfirmed(email);
    const { secret } = await invite(house, { kind: 'team', targetId: newId(), email });
    expect((await accept(ann, secret)).body.result).toBe('ok');
    expect((await ann.whoami()).body.principal).toMatchObject({ id: ann.id, confirmed: true });
    expect((await rival.whoami()).body.principal.kind).toBe('anonymous');
    expect((await ann.login()).status).toBe(200);
  });

  test('gets nothing by the invitation’s id, and the session info names none', async () => {
    const email = `${newId(10).toLowerCase()}@example.test`;
    const ann = await unconfirmed(email);
    const { id } = await invite(house, { kind: 'team', targetId: newId(), email });
    expect((await ann.whoami()).body.invitations).toEqual([]);
    expect((await accept(ann, id)).status).toBe(410);
    expect((await ann.whoami()).body.principal.confirmed).toBe(false);
  });

  test('is not the owner where the address has one', async () => {
    const owner = await house.person('Ann');
    const ben = await unconfirmed(owner.email);
    const { secret } = await invite(house, { kind: 'team', targetId: newId(), email: owner.email });
    expect((await accept(ben, secret)).body.result).toBe('please-relogin');
    expect(applied).toEqual([]);
  });

  test('keeps nothing of it when the applier fails', async () => {
    const email = `${newId(10).toLowerCase()}@example.test`;
    const ann = await unconfirmed(email);
    const { secret } = await invite(house, { kind: 'team', targetId: newId(), email });
    broken = true;
    expect((await accept(ann, secret)).body.result).toBe('apply-error');
    expect((await ann.whoami()).body.principal.confirmed).toBe(false);
  });
});

test('registering by it, then accepting it: from the mail to the team in two calls', async () => {
  const email = `${newId(10).toLowerCase()}@example.test`;
  const { secret } = await invite(house, { kind: 'team', targetId: 't1', email });
  const ann = house.stranger();
  ann.email = email;
  const fields = {
    email,
    password: ann.password,
    passwordConfirm: ann.password,
    firstName: 'Ann',
    lastName: 'Test',
    terms: true,
  };
  expect((await accept(ann, secret)).body.result).toBe('please-register');
  const registered = await ann.post(`/api/invitations/${secret}/register`, fields);
  expect(registered.body).toMatchObject({ confirmationNeeded: false, user: { email, confirmed: true } });
  expect((await accept(ann, secret)).body).toMatchObject({ result: 'ok', token: { email } });
  // Twice by the same link: the second learns nothing and gets nothing.
  const second = await house.stranger().post(`/api/invitations/${secret}/register`, fields);
  expect(second.status).toBe(410);
  expect(
    await house.database.orm
      .select()
      .from(users)
      .where(eq(users.emailKey, house.key(email))),
  ).toHaveLength(1);
});

test('the mail goes to the address, in the language of its owner, and names the inviter as text', async () => {
  const [ann, ben] = await Promise.all([house.person('<b>Ann</b>'.slice(0, 10)), house.person('Ben')]);
  await house.database.orm.update(users).set({ language: 'es' }).where(eq(users.id, ben.id));
  await invite(house, { kind: 'meeting', targetId: newId(), email: ben.email }, ann);
  const [mail] = await house.mails(ben.email);
  expect(mail?.html).not.toContain('<b>Ann');
  expect(mail?.html).toContain('lang="es"');
});

test('its secret is in the mail and nowhere else', async () => {
  const email = `${newId(10).toLowerCase()}@example.test`;
  const { id, secret } = await invite(house, { kind: 'team', targetId: newId(), email });
  await accept(house.stranger(), secret);
  await house.stranger().post(`/api/invitations/${secret}/register`, {});
  await house.stranger().get(`/api/login/invite?invite=${secret}`);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(house.log()).toContain('/api/invitations/:id');
  expect(house.log()).not.toContain(secret);
  expect(JSON.stringify(await rowOf(id))).not.toContain(secret);
});
