// What changes while somebody is on the way in.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { close } from '#sync/protocol.ts';
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

test('M2: a room that is opened while the look round asks the database is not taken for one of a meeting that is gone', async () => {
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

test('A1a: a notice turns away at the door whom it concerns, and nobody else', async () => {
  let door = gate();
  const sync = await openSync({ database: fresh, atTheDoor: () => door.opened });
  try {
    const [meeting, other] = [await sync.meeting(), await sync.meeting()];
    const come = (user: string) => sync.join(user, `${meeting}/transcript`);
    const comers = ['ann', 'ben'].map(come);
    await until(() => sync.came() === 2);
    await sync.door.revoke({ meeting: other });
    await sync.door.revoke({ user: 'cid' });
    await sync.door.revoke({ session: 'some other' });
    door.open();
    for (const comer of comers) expect(await isIn(await comer)).toBe(true);

    door = gate();
    const [dan, eve] = ['dan', 'eve'].map(come) as [Promise<Raw>, Promise<Raw>];
    await until(() => sync.came() === 4);
    await sync.door.revoke({ user: 'dan' });
    door.open();
    expect(await (await dan).ended).toBe(close.restart);
    expect(await isIn(await eve)).toBe(true);
    for (const comer of comers) expect((await comer).code).toBeNull();
  } finally {
    await sync.close();
  }
});

test('who comes while an answer is on its way is asked about with all others who do, and never given an older answer', async () => {
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

test('A1: a right that is lowered takes hold while newcomers wait at the door for theirs', async () => {
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
