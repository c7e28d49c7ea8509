// Registration, sign-in, reset and deletion: an account belongs to the person who confirmed its address
// (shared/accounts.ts).
import { get } from 'node:http';
import { and, count, eq, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountDeletions, apiTokens, feedback, identities, mailTokens, sessions, users } from '#db/schema/accounts.ts';
import type { Passwords } from '#server/accounts/passwords.ts';
import { rules } from '#server/limits.ts';
import { lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';

let house: TestHouse;
let honest: Passwords;
let address = 0;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  honest = house.house.passwords;
});
beforeEach(() => {
  house.house.passwords = honest;
});
afterAll(() => house.close());

const newPassword = { password: 'a quieter horse', passwordConfirm: 'a quieter horse' };

/** A new person, at an address of their own, with a mailbox that is not registered. */
function stranger(name = 'ann'): Person {
  const person = house.stranger();
  address += 1;
  person.address = `10.1.${address >> 8}.${address & 255}`;
  person.email = `${name}-${newId(8).toLowerCase()}@example.test`;
  return person;
}

/** The same person at another browser. */
function elsewhere(person: Person): Person {
  return Object.assign(stranger(), { email: person.email, password: person.password, id: person.id });
}

const confirmLink = (email: string) => house.tokenFor(email, '/confirm');
const resetLink = (email: string) => house.tokenFor(email, '/reset');
const undoLink = (email: string) => house.tokenFor(email, '/undo-email-change');
const kindOf = async (person: Person): Promise<string> => (await person.whoami()).body.principal.kind;
const accountsOf = (email: string) =>
  house.database.orm
    .select()
    .from(users)
    .where(eq(users.emailKey, house.key(email)));

async function changeAddress(person: Person, next: string): Promise<void> {
  await person.post('/api/principals/me/change-email/step1', { new_email: next });
  const token = await house.tokenFor(next, '/confirm-email-change');
  const done = await person.post('/api/principals/me/change-email/step2', { token, password: person.password });
  expect(done.status, done.text).toBe(204);
}

/** A busy server may refuse some of many requests; nothing else may happen to them. */
function expectOnly(answers: Answer[], statuses: number[]): void {
  for (const { status } of answers) expect([...statuses, 503]).toContain(status);
}

/** Counts how often a password is checked, without changing the time that takes. */
function countLooks(): { looks: (string | null)[] } {
  const seen: { looks: (string | null)[] } = { looks: [] };
  house.house.passwords = {
    ...honest,
    verify: (stored, password) => {
      seen.looks.push(stored);
      return honest.verify(stored, password);
    },
  };
  return seen;
}

describe('from registering to signing in', () => {
  test('registering signs in; the link of the mail confirms; then the password opens the account', async () => {
    const ann = stranger();
    expect((await ann.register()).body).toMatchObject({ confirmationNeeded: true, user: { confirmed: false } });
    expect(await kindOf(ann)).toBe('user');
    expect((await elsewhere(ann).login()).status).toBe(401);

    const token = await confirmLink(ann.email);
    expect((await stranger().post(`/api/confirm/${token}`)).body).toEqual({ email: ann.email });
    expect((await ann.whoami()).body.principal.confirmed).toBe(true);
    expect((await elsewhere(ann).login()).status).toBe(200);
  });

  test('an address that has an account: same answer, same work, and only its owner gets a mail', async () => {
    const ann = await house.person();
    const [known, unknown] = [elsewhere(ann), stranger()];
    let hashes = 0;
    house.house.passwords = { ...honest, hash: (password) => ((hashes += 1), honest.hash(password)) };
    const [one, other] = [await known.register(), await unknown.register()];
    expect(hashes).toBe(2);

    const shape = (answer: typeof one) => ({
      ...answer.body,
      user: { ...answer.body.user, id: 'id', email: 'email' },
      headers: [...answer.headers.keys()].toSorted(),
    });
    expect(shape(one)).toEqual(shape(other));
    expect(await kindOf(known)).toBe('user');
    expect((await house.mails(ann.email)).map((mail) => mail.subject)).toEqual(['You already have an account']);
    // Nothing confirms the second account, and the first is unchanged.
    expect((await elsewhere(ann).login()).body.user.id).toBe(ann.id);
  });

  test('two who confirm one address at once: one has it, the other’s link is dead, and nothing of theirs is left', async () => {
    const [ann, ben] = [stranger(), stranger()];
    ben.email = ann.email;
    await ann.register({ firstName: 'Ann' });
    const annsToken = await confirmLink(ann.email);
    await ben.register({ firstName: 'Ben' });
    const bensToken = await confirmLink(ann.email);

    const answers = await Promise.all([ann.post(`/api/confirm/${annsToken}`), ben.post(`/api/confirm/${bensToken}`)]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 410]);
    expect(await accountsOf(ann.email)).toHaveLength(1);
    expect([await kindOf(ann), await kindOf(ben)].toSorted()).toEqual(['anonymous', 'user']);
  });

  test('one link opened twenty times at once works once', async () => {
    const ann = stranger();
    await ann.register();
    const token = await confirmLink(ann.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => stranger().post(`/api/confirm/${token}`)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expectOnly(answers, [200, 410]);
  });

  test('twenty register at once, more than the house has connections', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => stranger().register()));
    expectOnly(answers, [200]);
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThan(10);
  });

  test('the mail sent again is for the account this browser registered, even if others claim the address', async () => {
    const [ann, eve] = [stranger(), stranger()];
    eve.email = ann.email;
    await ann.register({ firstName: 'Ann' });
    await eve.register({ firstName: 'Eve', password: 'not the same horse' });
    await ann.post('/api/confirm', { email: ann.email });
    await stranger().post(`/api/confirm/${await confirmLink(ann.email)}`);
    expect((await elsewhere(ann).login()).body.user.first_name).toBe('Ann');
    expect((await elsewhere(ann).login({ password: 'not the same horse' })).status).toBe(401);
  });
});

test('an answer tells when the confirmation mail may be sent again, the same for every address, and the last one works', async () => {
  const open = await openHouse();
  open.clock.stop();
  try {
    const known = await open.person();
    const ann = open.stranger();
    ann.email = 'ann@example.test';
    await ann.register();
    const nobody = { email: 'nobody@example.test' };
    for (const email of [ann.email, known.email, nobody.email]) {
      const asker = open.stranger();
      const ask = () => asker.post('/api/confirm', { email });
      const waits = [];
      const registered = email === ann.email ? 1 : 0;
      for (let i = registered; i < rules.confirmAgain.most; i += 1) {
        const [sent, refused] = [await ask(), await ask()];
        expect([sent.status, refused.status]).toEqual([204, 429]);
        expect(refused.headers.get('Retry-After')).toBe(sent.headers.get('Retry-After'));
        waits.push(Number(sent.headers.get('Retry-After')));
        open.clock.forward(rules.confirmPause.per);
      }
      // The last one within the hour.
      expect(waits.pop()).toBeGreaterThan(rules.confirmPause.per * 10);
      expect(new Set(waits)).toEqual(new Set([rules.confirmPause.per]));
      expect((await ask()).status).toBe(429);
    }
    expect(await open.mails(ann.email)).toHaveLength(rules.mailTo.most);
    expect(await open.mails(known.email)).toEqual([]);
    expect((await ann.post(`/api/confirm/${await open.tokenFor(ann.email, '/confirm')}`)).status).toBe(200);
  } finally {
    await open.close();
  }
});

describe('signing in', () => {
  test('unknown, unconfirmed, without a password, mistyped: one answer, and a password looked at in each', async () => {
    const [known, unconfirmed, passwordless] = [await house.person(), stranger(), await house.person()];
    await unconfirmed.register();
    await house.database.orm.update(users).set({ passwordHash: null }).where(eq(users.id, passwordless.id));

    const seen = countLooks();
    const bodies = [];
    for (const { email } of [known, unconfirmed, passwordless, stranger()]) {
      const { problem } = await stranger().post('/api/login', { email, password: 'not this one' });
      bodies.push({ ...problem, requestId: 'id' });
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(seen.looks).toHaveLength(4);
  });

  test('many wrong passwords at once: no more are looked at than the limit allows', async () => {
    const ann = await house.person();
    const seen = countLooks();
    await Promise.all(Array.from({ length: 25 }, () => elsewhere(ann).login({ password: 'not this one' })));
    expect(seen.looks.length).toBeGreaterThan(0);
    expect(seen.looks.length).toBeLessThanOrEqual(rules.loginAccount.most);
  });

  test('the owner’s own browser may sign in while strangers are blocked', async () => {
    const ann = await house.person();
    const home = elsewhere(ann);
    await home.login();
    for (let i = 0; i < rules.loginAccount.most; i += 1) await elsewhere(ann).login({ password: 'not this one' });
    expect((await elsewhere(ann).login()).status).toBe(429);
    expect((await home.login()).status).toBe(200);
  });

  test('correct sign-ins are not counted, however many', async () => {
    const ann = await house.person();
    const home = elsewhere(ann);
    const { limits } = house.house;
    for (let i = 1; i < rules.loginAddress.most; i += 1) await limits.allow(rules.loginAddress, home.address ?? '');
    for (let i = 0; i < rules.loginAccount.most + 2; i += 1) {
      home.cookies.clear();
      expect((await home.login()).status).toBe(200);
    }
    expect((await home.login({ password: 'not this one' })).status).toBe(401);
  });

  test('the session from before is over: an id planted in a browser is worth nothing', async () => {
    const ann = await house.person();
    const planted = ann.cookies.get('colloquy') ?? '';
    await ann.login();
    expect(ann.cookies.get('colloquy')).not.toBe(planted);
    const eve = stranger();
    eve.cookies.set('colloquy', planted);
    expect(await kindOf(eve)).toBe('anonymous');
  });

  test.each([
    ['y', true],
    [true, true],
    ['Y', false],
    ['1', false],
    [false, false],
  ])('remember %j: %j', async (remember, long) => {
    const ann = await house.person();
    const answer = await ann.login({ remember });
    expect(answer.headers.getSetCookie().some((line) => /^colloquy=.*Max-Age=/.test(line))).toBe(long);
  });

  test('a session ends when it was idle or is old', async () => {
    const open = await openHouse();
    try {
      const [brief, long] = [await open.person('Ann'), await open.person('Ben')];
      await long.login({ remember: true });
      open.clock.forward(lifetimes.shortSessionIdle + 1);
      expect(await kindOf(brief)).toBe('anonymous');
      expect(await kindOf(long)).toBe('user');
      for (let day = 0; day < 29; day += 1) {
        open.clock.forward(86_400);
        await long.whoami();
      }
      expect(await kindOf(long)).toBe('anonymous');
    } finally {
      await open.close();
    }
  });

  test('a link to the page that logs out, on another site, only asks', async () => {
    const ann = await house.person();
    const status = await new Promise((resolve, reject) => {
      const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      get(`${house.origin}/api/logout`, { headers }, (answer) => resolve(answer.resume().statusCode)).on(
        'error',
        reject,
      );
    });
    expect(status).toBe(200);
    expect(await kindOf(ann)).toBe('user');
  });
});

describe('a new password', () => {
  test('ends every session, every API token and every other link; nothing else', async () => {
    const ann = await house.person();
    const there = elsewhere(ann);
    await there.login();
    const script = stranger();
    script.token = (await ann.post('/api/tokens', { name: 'a script' })).body.token as string;
    await ann.post('/api/principals/me/change-email/step1', { new_email: `next-${ann.email}` });
    const ben = await house.person('Ben');

    await ann.post('/api/reset', { email: ann.email });
    const token = await resetLink(ann.email);
    expect((await stranger().post(`/api/reset/${token}`, newPassword)).status).toBe(204);

    expect([await kindOf(ann), await kindOf(there), await kindOf(ben)]).toEqual(['anonymous', 'anonymous', 'user']);
    expect((await script.whoami()).status).toBe(401);
    const [left] = await house.database.orm
      .select({ count: count() })
      .from(mailTokens)
      .where(and(eq(mailTokens.userId, ann.id), isNull(mailTokens.usedAt)));
    expect(left?.count).toBe(0);
  });

  test('the link works once, also when it is used twenty times at once', async () => {
    const ann = await house.person();
    await ann.post('/api/reset', { email: ann.email });
    const token = await resetLink(ann.email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stranger().post(`/api/reset/${token}`, newPassword)),
    );
    expect(answers.filter((answer) => answer.status === 204)).toHaveLength(1);
    expectOnly(answers, [204, 410]);
  });

  test('used, expired, unknown or for another purpose: the same body', async () => {
    const ann = await house.person();
    await ann.post('/api/reset', { email: ann.email });
    const used = await resetLink(ann.email);
    await stranger().post(`/api/reset/${used}`, newPassword);
    const { keys } = house.house;
    const tokens = [
      used,
      (await keys.sign('reset', ann.id, 60)).token,
      (await keys.sign('reset', ann.id, -1)).token,
      (await keys.sign('confirm', ann.id, 60)).token,
      (await keys.sign('device', ann.id, 60)).token,
      `${used.slice(0, -2)}xx`,
      'e30.e30.',
      'x'.repeat(5000),
    ];
    const bodies = [];
    for (const path of ['/api/reset', '/api/confirm', '/api/undo-email-change']) {
      for (const token of tokens) {
        const { problem } = await stranger().post(`${path}/${token}`, newPassword);
        bodies.push(JSON.stringify({ ...problem, requestId: 'id' }));
      }
    }
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('"status":410');
  });

  test('frees the account from strangers who tried passwords, and this browser from then on', async () => {
    const ann = await house.person();
    for (let i = 0; i < rules.loginAccount.most; i += 1) await elsewhere(ann).login({ password: 'not this one' });
    const home = elsewhere(ann);
    await home.post('/api/reset', { email: ann.email });
    await home.post(`/api/reset/${await resetLink(ann.email)}`, newPassword);
    expect((await elsewhere(ann).login(newPassword)).status).toBe(200);
    for (let i = 0; i < rules.loginAccount.most; i += 1) await elsewhere(ann).login({ password: 'not this one' });
    expect((await elsewhere(ann).login(newPassword)).status).toBe(429);
    expect((await home.login(newPassword)).status).toBe(200);
  });

  test('questions of strangers stop no reset', async () => {
    const ann = await house.person();
    const [home, signedIn] = [elsewhere(ann), ann];
    await home.login();
    const ask = (person: Person, path = '/api/reset') => person.post(path, { email: ann.email });
    const subjects = async () => (await house.mails(ann.email)).map(({ subject }) => subject);
    // These send nothing, because the address is confirmed, and so they do not count.
    for (let i = 0; i < 5; i += 1) await ask(stranger('eve'), '/api/confirm');
    expect(await subjects()).toEqual([]);
    for (let i = 0; i < 5; i += 1) await ask(stranger('eve'));
    expect(await subjects()).toHaveLength(rules.mailTo.most);
    // Browsers that signed in to the account have a count of their own.
    await ask(home);
    await ask(signedIn);
    expect(await subjects()).toHaveLength(rules.mailTo.most + 2);
    expect((await home.post(`/api/reset/${await resetLink(ann.email)}`, newPassword)).status).toBe(204);
  });

  test('registrations by a stranger do not keep the confirmation mail from the owner of the address', async () => {
    const [eve, ann] = [stranger('eve'), stranger()];
    eve.email = ann.email;
    for (let i = 0; i < rules.mailTo.most + 2; i += 1) await eve.register();
    expect(await house.mails(ann.email)).toHaveLength(rules.mailTo.most);
    await ann.register();
    expect((await ann.post(`/api/confirm/${await confirmLink(ann.email)}`)).status).toBe(200);
    expect((await ann.whoami()).body.principal.confirmed).toBe(true);
  });

  test('recordings shared with a person do not use up their resets', async () => {
    const [ann, ben] = [await house.person(), await house.person('Ben')];
    for (let i = 0; i < rules.mailTo.most; i += 1) {
      const id = await makeMeeting(house, ben);
      const { version } = (await ben.get(`/api/meetings/${id}/acl`)).body;
      const entries = [{ principal: { id: ann.id, kind: 'user' }, permissions: [...roles.canRead] }];
      expect((await ben.post(`/api/meetings/${id}/acl`, { entries, version })).status).toBe(200);
    }
    expect(await house.mails(ann.email)).toHaveLength(rules.mailTo.most);
    await elsewhere(ann).post('/api/reset', { email: ann.email });
    expect((await house.mails(ann.email))[0]?.subject).toBe('Choose a new password');
  });

  test('a person who forgot that they had registered gets in by the link, in the same browser', async () => {
    const ann = await house.person();
    const home = elsewhere(ann);
    await home.register();
    await home.post('/api/reset', { email: ann.email });
    expect((await home.post(`/api/reset/${await resetLink(ann.email)}`, newPassword)).status).toBe(204);
    expect((await home.login(newPassword)).body.user.id).toBe(ann.id);
    expect(await accountsOf(ann.email)).toHaveLength(1);
  });

  test('a sign-in with the old one that was under way opens nothing', async () => {
    const ann = await house.person();
    await ann.post('/api/reset', { email: ann.email });
    const token = await resetLink(ann.email);
    house.house.passwords = {
      ...honest,
      verify: async (stored, password) => {
        const right = await honest.verify(stored, password);
        house.house.passwords = honest;
        await stranger().post(`/api/reset/${token}`, newPassword);
        return right;
      },
    };
    expect((await elsewhere(ann).login()).status).toBe(401);
    expect(await house.database.orm.select().from(sessions).where(eq(sessions.userId, ann.id))).toEqual([]);
  });
});

describe('another address', () => {
  test('everybody is signed out, links to the old address are dead, and API tokens keep working', async () => {
    const ann = await house.person();
    const there = elsewhere(ann);
    await there.login();
    const script = stranger();
    script.token = (await ann.post('/api/tokens', { name: 'a script' })).body.token as string;
    await ann.post('/api/reset', { email: ann.email });
    const oldLink = await resetLink(ann.email);

    const next = `next-${ann.email}`;
    await changeAddress(ann, next);
    expect([await kindOf(ann), await kindOf(there)]).toEqual(['anonymous', 'anonymous']);
    expect((await script.whoami()).body.principal.email).toBe(next);
    expect((await stranger().post(`/api/reset/${oldLink}`, newPassword)).status).toBe(410);
  });

  test('an unconfirmed account with the new address is deleted', async () => {
    const [ann, eve] = [await house.person(), stranger()];
    await eve.register();
    await changeAddress(ann, eve.email);
    expect(await kindOf(eve)).toBe('anonymous');
    expect(await accountsOf(eve.email)).toMatchObject([{ id: ann.id }]);
  });

  test('two who move to one address at once: one gets it', async () => {
    const people = [await house.person(), await house.person()];
    const next = stranger().email;
    const tokens: string[] = [];
    for (const person of people) {
      await person.post('/api/principals/me/change-email/step1', { new_email: next });
      tokens.push(await house.tokenFor(next, '/confirm-email-change'));
    }
    const answers = await Promise.all(
      people.map(({ post, password }, i) =>
        post('/api/principals/me/change-email/step2', { token: tokens[i], password }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([204, 410]);
    expect(await accountsOf(next)).toHaveLength(1);
  });

  test('many wrong passwords at once: no more are looked at than the limit allows', async () => {
    const ann = await house.person();
    const seen = countLooks();
    const body = { password: 'not this one', reason: 'taskCompleted' };
    await Promise.all(Array.from({ length: 15 }, () => ann.post('/api/principals/me/delete', body)));
    expect(seen.looks.length).toBeGreaterThan(0);
    expect(seen.looks.length).toBeLessThanOrEqual(rules.provePassword.most);
  });

  test('taken over, moved twice: only the first address gets everything back', async () => {
    const ann = await house.person();
    // Eve has the password, and makes herself at home.
    const eve = elsewhere(ann);
    const first = stranger('eve').email;
    const second = stranger('eve').email;
    await eve.login();
    await changeAddress(eve, first);
    await eve.login({ email: first });
    await changeAddress(eve, second);
    await eve.login({ email: second });
    const script = stranger();
    script.token = (await eve.post('/api/tokens', { name: 'a way in' })).body.token as string;
    await house.database.orm
      .insert(identities)
      .values({ issuer: 'https://id.example', subject: 'eve', userId: ann.id });
    await eve.post('/api/reset', { email: second });
    const evesReset = await resetLink(second);
    const evesUndo = await undoLink(first);

    const undone = await stranger().post(`/api/undo-email-change/${await undoLink(ann.email)}`);
    expect(undone.body).toEqual({ email: ann.email });

    expect(await kindOf(eve)).toBe('anonymous');
    expect((await script.whoami()).status).toBe(401);
    expect((await eve.login({ email: ann.email })).status).toBe(401);
    expect((await eve.post(`/api/reset/${evesReset}`, newPassword)).status).toBe(410);
    expect((await eve.post(`/api/undo-email-change/${evesUndo}`)).status).toBe(410);
    expect(await house.database.orm.select().from(identities).where(eq(identities.userId, ann.id))).toEqual([]);

    await stranger().post(`/api/reset/${await resetLink(ann.email)}`, newPassword);
    expect((await elsewhere(ann).login(newPassword)).body.user).toMatchObject({ id: ann.id, email: ann.email });
  });

  test('Eve’s own undo link does not end Ann’s', async () => {
    const ann = await house.person();
    const eve = elsewhere(ann);
    const first = stranger('eve').email;
    const second = stranger('eve').email;
    await eve.login();
    await changeAddress(eve, first);
    await eve.login({ email: first });
    await changeAddress(eve, second);
    expect((await eve.post(`/api/undo-email-change/${await undoLink(first)}`)).status).toBe(200);
    expect((await stranger().post(`/api/undo-email-change/${await undoLink(ann.email)}`)).status).toBe(200);
    expect(await accountsOf(ann.email)).toMatchObject([{ id: ann.id, passwordHash: null }]);
  });

  test('no change is undone to an address that has another account by now, nor after three days', async () => {
    const open = await openHouse();
    try {
      const [ann, ben] = [await open.person('Ann'), await open.person('Ben')];
      for (const person of [ann, ben]) {
        const next = `next-${person.email}`;
        await person.post('/api/principals/me/change-email/step1', { new_email: next });
        const token = await open.tokenFor(next, '/confirm-email-change');
        await person.post('/api/principals/me/change-email/step2', { token, password: person.password });
      }
      await open.person('Chen', { email: ann.email });
      const undo = async (email: string) => {
        const token = await open.tokenFor(email, '/undo-email-change');
        return (await open.stranger().post(`/api/undo-email-change/${token}`)).status;
      };
      expect(await undo(ann.email)).toBe(410);
      open.clock.forward(lifetimes.undoEmail + 1);
      expect(await undo(ben.email)).toBe(410);
    } finally {
      await open.close();
    }
  });
});

describe('deleting an account', () => {
  const leave = (person: Person) =>
    person.post('/api/principals/me/delete', {
      password: person.password,
      reason: 'tooExpensive',
      comment: 'Too much',
    });

  test('nothing of the person is left but a reason and a digest', async () => {
    const ann = await house.person();
    await ann.post('/api/tokens', { name: 'a script' });
    await ann.post('/api/feedback', { text: 'It works', contact: ann.email });
    expect((await leave(ann)).status).toBe(204);

    const { orm } = house.database;
    expect(await accountsOf(ann.email)).toEqual([]);
    expect(await orm.select().from(sessions).where(eq(sessions.userId, ann.id))).toEqual([]);
    expect(await orm.select().from(apiTokens).where(eq(apiTokens.userId, ann.id))).toEqual([]);
    expect(await orm.select().from(feedback).where(eq(feedback.contact, ann.email))).toEqual([]);
    const digest = house.house.keys.mac('deleted-address', house.key(ann.email));
    const kept = await orm.select().from(accountDeletions).where(eq(accountDeletions.emailHash, digest));
    expect(kept).toMatchObject([{ reason: 'tooExpensive', comment: 'Too much' }]);
  });

  test('twice at once deletes once', async () => {
    const ann = await house.person();
    const answers = await Promise.all([leave(ann), leave(ann)]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([204, 401]);
    expect(await house.mails(ann.email)).toHaveLength(1);
  });

  const freeMinutes = async (person: Person) => (await person.whoami()).body.billing.freeMinutes as number;

  test('an address gets its trial once, also when its account moved away or was deleted', async () => {
    const trialOf = async (person: Person) => {
      await person.register();
      await person.post(`/api/confirm/${await confirmLink(person.email)}`);
      return freeMinutes(person);
    };
    const [ann, ben] = [await house.person(), await house.person()];
    await leave(ann);
    await changeAddress(ben, `next-${ben.email}`);
    expect([await trialOf(elsewhere(ann)), await trialOf(elsewhere(ben)), await trialOf(stranger())]).toEqual([
      0, 0, 90,
    ]);
  });

  test('an unconfirmed account that is deleted costs the owner of the address nothing', async () => {
    const [eve, ann] = [stranger(), stranger()];
    eve.email = ann.email;
    await eve.register();
    await leave(eve);
    await ann.register();
    await ann.post(`/api/confirm/${await confirmLink(ann.email)}`);
    expect(await freeMinutes(ann)).toBe(90);
  });

  test('accounts that nobody confirmed have no trial, however many there are', async () => {
    const people = Array.from({ length: 3 }, () => stranger());
    const [ann = stranger()] = people;
    for (const person of people) {
      person.email = ann.email;
      await person.register();
    }
    expect(await Promise.all(people.map(freeMinutes))).toEqual([0, 0, 0]);
    await ann.post('/api/confirm', { email: ann.email });
    await ann.post(`/api/confirm/${await confirmLink(ann.email)}`);
    expect(await freeMinutes(ann)).toBe(90);
  });
});

describe('preferences', () => {
  test('two tabs that change different things at once both keep theirs', async () => {
    const ann = await house.person();
    const changes = [
      { preferences: { hardcorePrivacy: true } },
      { preferences: { disableAutoCapitalize: true } },
      { preferences: { disableAutoPeriod: true } },
      { preferences: { upload: { language: 'en-US' } } },
      { preferences: { upload: { vocab: 'Colloquy' } } },
      { accountType: 'coach' },
      { language: 'ru' },
    ];
    await Promise.all(changes.map((change) => ann.post('/api/principals/me', change)));
    expect((await ann.whoami()).body.principal).toMatchObject({
      accountType: 'coach',
      language: 'ru',
      preferences: {
        hardcorePrivacy: true,
        disableAutoCapitalize: true,
        disableAutoPeriod: true,
        upload: { language: 'en-US', vocab: 'Colloquy' },
      },
    });
  });
});
