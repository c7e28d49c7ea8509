// The metrics of live editing, after some editing.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Editor, closeEditors, settled, synced, typing, until } from '../support/editors.ts';
import { Raw } from '../support/door.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

let house: TestHouse;
let other: TestHouse;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  house = await openHouse();
  // Without Redis each process learns of the other by reading the log.
  other = await openHouse({ env: { DATABASE_URL: house.url } });
  [ann, ben] = (await house.people(2)) as [Person, Person];
});
afterEach(() => closeEditors());
afterAll(async () => {
  await other.close();
  await house.close();
});

const figures = async () => {
  const text = await (await fetch(`${house.origin}/metrics`)).text();
  return (name: string): number => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.split(' ')[1]);
  };
};

test('rooms, sockets, appends, the time until an edit is saved, refusals, rebuilds and the lag behind the log', async () => {
  const meeting = await makeMeeting(house, ann);
  const room = `${meeting}/transcript`;
  const ticket = await ticketFor(ann, room);
  const at = (where: TestHouse, which = ticket) => new Editor({ room, at: () => where.origin, ticket: which });
  const [a, b] = [at(house), at(house)];
  await synced([a, b]);
  const hands = typing([a, b], 10);
  await until(() => a.saved.length + b.saved.length >= 40);
  await hands.stop();
  await settled([a, b]);

  const after = await figures();
  expect([after('colloquy_sync_rooms'), after('colloquy_sync_sockets')]).toEqual([1, 2]);
  const edits = a.typed.length + b.typed.length;
  expect(after('colloquy_sync_saved_seconds_count')).toBe(edits);
  expect(after('colloquy_sync_saved_seconds_sum')).toBeGreaterThan(0);
  // Edits of one turn share a row, and rows of one moment share a commit.
  const rows = after('colloquy_sync_rows_total');
  const [stored] = await house.database.sql<{ seq: string }[]>`select seq from rooms where name = ${room}`;
  expect(rows).toBe(Number(stored?.seq));
  expect(after('colloquy_sync_append_seconds_count')).toBeLessThanOrEqual(rows);
  expect(after('colloquy_sync_append_seconds_count')).toBeGreaterThan(0);

  // Refused at the door, and closed in the room.
  const refused = (code: number) => `colloquy_sync_refusals_total{code="${code}"}`;
  expect([after(refused(401)), after(refused(4403))]).toEqual([0, 0]);
  const stranger = at(house, 'no-ticket');
  await until(() => stranger.closes.length > 0);
  stranger.close();
  await share(house, meeting, ben, ['read', 'write']);
  const guest = at(house, await ticketFor(ben, room));
  await synced([guest]);
  await share(house, meeting, ben, []);
  await until(() => guest.provider.ended === 'access');
  const then = await figures();
  expect(then(refused(401))).toBeGreaterThanOrEqual(1);
  expect(then(refused(4403))).toBe(1);
  expect(then('colloquy_sync_rebuilds_total')).toBe(0);

  // A refused update counts under its kind of reason, and nothing is left waiting.
  await share(house, meeting, ben, ['read']);
  const ws = house.origin.replace('http', 'ws');
  const reader = new Raw(`${ws}/sync/${room}?ticket=${await ticketFor(ben, room)}`);
  await reader.opened;
  reader.doc.getText('text').insert(0, 'x');
  await reader.until(() => reader.count('auth') === 1);
  expect((await figures())('colloquy_sync_refused_updates_total{reason="rights"}')).toBe(1);
  reader.ws.close();
  await reader.ended;
  expect((await figures())('colloquy_sync_pending_bytes')).toBe(0);

  // Rows of the other process count as lag at a look, and are read by it.
  const far = at(other);
  await synced([far]);
  const writing = typing([far], 20);
  await until(async () => (await figures())('colloquy_sync_lag_rows') > 0);
  await writing.stop();
  await settled([a, b, far]);
  await until(async () => (await figures())('colloquy_sync_lag_rows') === 0);
  far.close();

  // A number without its row: the room is dropped rather than trusted.
  await house.database.sql`update rooms set seq = seq + 1 where name = ${room}`;
  await until(async () => (await figures())('colloquy_sync_rebuilds_total') > 0);
});
