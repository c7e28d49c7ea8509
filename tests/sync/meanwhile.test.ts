// Changes of permissions while a person connects.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Permission } from '#shared/roles.ts';
import { close } from '#sync/protocol.ts';
import type { Revocation } from '#sync/server/door.ts';
import { freshDatabase } from '../support/database.ts';
import { openSync, type Raw } from '../support/door.ts';

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
const until = (done: () => boolean) => vi.waitUntil(done, { timeout: 120_000 });
const isIn = (raw: Raw) => until(() => raw.heard.length > 0 || raw.code !== null).then(() => raw.code === null);

test('M2: a room opened while the database is asked for numbers is not dropped as one of a deleted meeting', async () => {
  const answer = gate();
  let looks = 0;
  const sync = await openSync({
    database: fresh,
    hold: (statement) => {
      if (!statement.includes('seq, mends from rooms where name = any')) return undefined;
      looks += 1;
      return answer.opened;
    },
  });
  try {
    const before = await sync.join('ann', `${await sync.meeting()}/transcript`);
    await until(() => looks > 0);
    const meanwhile = await sync.join('ben', `${await sync.meeting()}/transcript`);
    expect(await isIn(meanwhile)).toBe(true);
    answer.open();
    // The first look is over when the next one asks.
    await until(() => looks > 1);
    expect([before.code, meanwhile.code]).toEqual([null, null]);
  } finally {
    await sync.close();
  }
});

test('A1a: a person whose permissions change while they connect enters with the new ones, and nobody is closed for it', async () => {
  let door = gate();
  const sync = await openSync({ database: fresh, atTheDoor: () => door.opened });
  try {
    const [meeting, other] = [await sync.meeting(), await sync.meeting()];
    const come = (user: string) => sync.join(user, `${meeting}/transcript`, 'saved=1');
    const mayWrite = async (comer: Raw) => {
      expect(await isIn(comer)).toBe(true);
      return comer.heard.find((frame) => frame.kind === 'hello')?.hello.canWrite;
    };
    /** Connects; the change happens while the answer about their rights is on its way. */
    const meanwhile = async (user: string, what: Revocation, rights?: ReadonlySet<Permission>): Promise<Raw> => {
      door = gate();
      const before = sync.came();
      const comer = come(user);
      await until(() => sync.came() > before);
      if (rights) sync.rights.set(user, rights);
      const told = sync.door.revoke(what);
      door.open();
      await told;
      return comer;
    };
    const comers = ['ann', 'ben'].map(come);
    await until(() => sync.came() === 2);
    await sync.door.revoke({ meeting: other });
    await sync.door.revoke({ user: 'cid' });
    await sync.door.revoke({ session: 'some other' });
    door.open();
    for (const comer of comers) expect(await mayWrite(await comer)).toBe(true);

    const dan = await meanwhile('dan', { user: 'dan' }, new Set(['read', 'discover']));
    expect(await mayWrite(dan)).toBe(false);
    const eve = await meanwhile('eve', { user: 'eve' }, new Set());
    expect(await eve.ended).toBe(close.noAccess);
    expect(eve.heard).toEqual([]);
    // The person is identified at the door alone.
    for (const what of [{ session: 'session of fay' }, { everything: true }] as const)
      expect(await (await meanwhile('fay', what)).ended).toBe(close.restart);
    const gil = await meanwhile('gil', { user: 'dan' });
    expect(await mayWrite(gil)).toBe(true);
    for (const comer of [...comers, dan]) expect((await comer).code).toBeNull();
  } finally {
    await sync.close();
  }
});

test('people who come while an answer is on its way share the next question, and never get an older answer', async () => {
  const door = gate();
  const asked: (readonly (string | null)[])[] = [];
  const sync = await openSync({
    database: fresh,
    atTheDoor: (whom) => {
      asked.push(whom);
      return door.opened;
    },
  });
  try {
    const room = `${await sync.meeting()}/transcript`;
    const first = sync.join('ann', room);
    await until(() => asked.length === 1);
    const comers = ['ann', 'ben', 'cid', 'ann'].map((user) => sync.join(user, room));
    await until(() => sync.came() === 5);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked).toEqual([['ann']]);
    door.open();
    for (const raw of await Promise.all([first, ...comers])) expect(await isIn(raw)).toBe(true);
    expect(asked.map((whom) => whom.toSorted())).toEqual([['ann'], ['ann', 'ann', 'ben', 'cid']]);
  } finally {
    await sync.close();
  }
});

test('A1: a lowered right takes effect while newcomers wait at the door', async () => {
  const door = gate();
  let held = false;
  const sync = await openSync({
    database: fresh,
    atTheDoor: (whom) => (held && whom.includes('ben') ? door.opened : Promise.resolve()),
  });
  try {
    const room = `${await sync.meeting()}/transcript`;
    const ann = await sync.join('ann', room);
    expect(await isIn(ann)).toBe(true);
    held = true;
    const ben = sync.join('ben', room);
    await until(() => sync.came() === 2);
    sync.rights.set('ann', new Set());
    await sync.door.revoke({ user: 'ann' });
    expect(await ann.ended).toBe(close.noAccess);
    door.open();
    expect(await isIn(await ben)).toBe(true);
  } finally {
    await sync.close();
  }
});
