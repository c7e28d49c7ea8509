// The five ways to prepare an account for a victim before they come (Sudhodanan and Paverd, 2022): none works.
import { and, eq, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { issueMailToken } from '#server/accounts/tokens.ts';
import { lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { openProvider, type TestProvider } from '#tests/support/oidc.ts';
import type { Person } from '#tests/support/people.ts';

let provider: TestProvider;
let house: TestHouse;
beforeAll(async () => {
  provider = await openProvider();
  house = await openHouse({ env: provider.env });
});
afterAll(async () => {
  await house?.close();
  await provider?.close();
});

/** An address, known to the provider as its owner's, and an attacker who registered under it with a password. */
async function prepared() {
  const sub = newId(12);
  const email = `${sub.toLowerCase()}@example.test`;
  provider.people.set(sub, { email, email_verified: true, given_name: 'Ann', family_name: 'Test' });
  const attacker = house.stranger();
  attacker.email = email;
  attacker.password = 'the attacker knows this';
  expect((await attacker.register({ firstName: 'Not' })).status).toBe(200);
  expect((await attacker.whoami()).body.principal).toMatchObject({ kind: 'user', confirmed: false });
  return { sub, email, attacker, attackerId: String((await attacker.whoami()).body.principal.id) };
}

const idOf = async (person: Person): Promise<unknown> => (await person.whoami()).body.principal.id;
const kindOf = async (person: Person): Promise<unknown> => (await person.whoami()).body.principal.kind;

/** Expects that the victim's account is hers alone, independent of the way she signed in. */
async function isHersAlone(victim: Person, attacker: Person, attackerId: string, email: string): Promise<void> {
  expect(await idOf(victim)).not.toBe(attackerId);
  const confirmed = await house.database.orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.emailKey, house.key(email)), isNotNull(users.confirmedAt)));
  expect(confirmed).toEqual([{ id: await idOf(victim) }]);
  expect((await attacker.login()).status).toBe(401);
  expect(await idOf(attacker)).not.toBe(await idOf(victim));
}

describe('1 classic and federated accounts are not merged', () => {
  test('she signs in at the provider after the attacker registered: a new account, his is gone', async () => {
    const { sub, email, attacker, attackerId } = await prepared();
    const victim = house.stranger();
    expect((await provider.signIn(victim, sub)).headers.get('location')).toBe('/');
    await isHersAlone(victim, attacker, attackerId, email);
    expect(await kindOf(attacker)).toBe('anonymous');
    expect(await house.database.orm.select().from(users).where(eq(users.id, attackerId))).toEqual([]);
  });

  test('in any spelling of the address', async () => {
    const { sub, email, attacker, attackerId } = await prepared();
    provider.people.set(sub, { email: `${email.toUpperCase()}.`, email_verified: true });
    const victim = house.stranger();
    await provider.signIn(victim, sub);
    await isHersAlone(victim, attacker, attackerId, email);
    expect(await kindOf(attacker)).toBe('anonymous');
  });

  test('a confirmed account with a password is not opened by the provider’s word, nor changed by it', async () => {
    const owner = await house.person('Ann');
    const sub = newId(12);
    provider.people.set(sub, { email: owner.email, email_verified: true });
    const other = house.stranger();
    const done = await provider.signIn(other, sub, { path: '/api/login/oidc?next_url=/profile' });
    expect(done.headers.get('location')).toBe('/login?error=account-exists&redirectTo=%2Fprofile');
    expect(other.cookies.has('colloquy')).toBe(false);
    expect(await kindOf(owner)).toBe('user');
    expect((await owner.login()).status).toBe(200);
  });

  test('nor is one that came from the provider by another of its people with the same address', async () => {
    const sub = newId(12);
    const email = `${sub.toLowerCase()}@example.test`;
    provider.people.set(sub, { email, email_verified: true });
    const owner = house.stranger();
    await provider.signIn(owner, sub);
    const later = newId(12);
    provider.people.set(later, { email, email_verified: true });
    const done = await provider.signIn(house.stranger(), later);
    expect(done.headers.get('location')).toBe('/login?error=account-exists');
    expect(await kindOf(owner)).toBe('user');
  });
});

describe('2 no session from before survives', () => {
  test('she comes by the provider', async () => {
    const { sub, attacker } = await prepared();
    const second = house.stranger();
    second.cookies.set('colloquy', attacker.cookies.get('colloquy') ?? '');
    expect(await kindOf(second)).toBe('user');
    await provider.signIn(house.stranger(), sub);
    expect(await kindOf(attacker)).toBe('anonymous');
    expect(await kindOf(second)).toBe('anonymous');
  });

  test('she registers by password herself and confirms by mail', async () => {
    const { email, attacker, attackerId } = await prepared();
    const victim = house.stranger();
    victim.email = email;
    expect((await victim.register()).status).toBe(200);
    expect((await victim.post(`/api/confirm/${await house.tokenFor(email, '/confirm')}`)).status).toBe(200);
    await victim.login();
    expect(await kindOf(attacker)).toBe('anonymous');
    await isHersAlone(victim, attacker, attackerId, email);
  });
});

describe('3 nothing of the attacker’s sticks to her account', () => {
  test('his identity at the provider, used while he is signed in under her address, opens his own account only', async () => {
    const { sub, email, attacker, attackerId } = await prepared();
    const trojan = newId(12);
    provider.people.set(trojan, { email: `${trojan.toLowerCase()}@example.test`, email_verified: true });
    await provider.signIn(attacker, trojan);
    expect(await idOf(attacker)).not.toBe(attackerId);
    const victim = house.stranger();
    await provider.signIn(victim, sub);
    await provider.signIn(attacker, trojan);
    await isHersAlone(victim, attacker, attackerId, email);
  });

  test('his API token dies with the account', async () => {
    const { sub, attacker } = await prepared();
    const made = await attacker.post('/api/tokens', { name: 'trojan' });
    const program = house.stranger();
    // This test is not about whether an unconfirmed account gets a token at all.
    program.token = made.status === 200 || made.status === 201 ? String(made.body.token) : 'x'.repeat(43);
    await provider.signIn(house.stranger(), sub);
    expect((await program.whoami()).status).toBe(401);
  });
});

describe('4 no change of address under way survives', () => {
  test('step 1 is not open to him, and a link he somehow had is dead', async () => {
    const { sub, email, attacker, attackerId } = await prepared();
    const step1 = await attacker.post('/api/principals/me/change-email/step1', { newEmail: 'attacker@example.test' });
    expect(step1.status).toBe(403);
    const account = { id: attackerId, emailKey: house.key(email) };
    const link = await issueMailToken(
      house.house,
      house.database.orm,
      'change-email',
      account,
      lifetimes.changeEmail,
      'attacker@example.test',
    );

    const victim = house.stranger();
    await provider.signIn(victim, sub);
    const asAttacker = await attacker.post('/api/principals/me/change-email/step2', {
      token: link,
      password: attacker.password,
    });
    expect(asAttacker.status).toBe(401);
    const asVictim = await victim.post('/api/principals/me/change-email/step2', {
      token: link,
      password: attacker.password,
    });
    expect(asVictim.status).toBe(410);
    await isHersAlone(victim, attacker, attackerId, email);
    expect((await victim.whoami()).body.principal.email).toBe(email);
  });

  test('his confirmation mail, which went to her, confirms nothing any more', async () => {
    const { sub, email } = await prepared();
    const link = await house.tokenFor(email, '/confirm');
    await provider.signIn(house.stranger(), sub);
    expect((await house.stranger().post(`/api/confirm/${link}`)).status).toBe(410);
  });
});

describe('5 a provider that does not verify addresses makes no account', () => {
  test('he comes first, by an identity that merely claims her address', async () => {
    const trojan = newId(12);
    const email = `${trojan.toLowerCase()}@example.test`;
    provider.people.set(trojan, { email, email_verified: false });
    const attacker = house.stranger();
    expect((await provider.signIn(attacker, trojan)).headers.get('location')).toBe('/login?error=unverified');
    expect(await kindOf(attacker)).toBe('anonymous');

    const victim = house.stranger();
    victim.email = email;
    await victim.register();
    await victim.post(`/api/confirm/${await house.tokenFor(email, '/confirm')}`);
    expect((await victim.login()).status).toBe(200);
    expect((await provider.signIn(attacker, trojan)).headers.get('location')).toBe('/login?error=unverified');
    expect(await kindOf(attacker)).toBe('anonymous');
  });

  test('he comes second: her unconfirmed registration is not touched', async () => {
    const { email, attacker: her } = await prepared();
    const trojan = newId(12);
    provider.people.set(trojan, { email, email_verified: false });
    expect((await provider.signIn(house.stranger(), trojan)).headers.get('location')).toBe('/login?error=unverified');
    expect(await kindOf(her)).toBe('user');
  });
});
