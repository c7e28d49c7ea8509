// P1 to P4, G3: who is seen in a room, and under whose name (sync/SPEC.md).
import * as encoding from 'lib0/encoding';
import { Awareness, applyAwarenessUpdate } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '#shared/roles.ts';
import { limits } from '#sync/protocol.ts';
import { Hub, openSync, type Raw, type TestSync } from '../support/door.ts';

let here: TestSync;
let there: TestSync;
const hub = new Hub();
beforeAll(async () => {
  here = await openSync({ hub });
  there = await openSync({ hub, database: here.fresh });
  for (const sync of [here, there]) {
    for (const name of ['rob', 'rita']) sync.rights.set(name, new Set<Permission>(['read']));
    sync.rights.set('carl', new Set<Permission>(['read', 'comment']));
  }
});
afterAll(async () => {
  await there.close();
  await here.close();
});

type Said = [clientId: number, clock: number, json: string];
const say = (raw: Raw, ...states: Said[]): void =>
  raw.send({
    kind: 'presence',
    update: encoding.encode((encoder) => {
      encoding.writeVarUint(encoder, states.length);
      for (const [clientId, clock, json] of states) {
        encoding.writeVarUint(encoder, clientId);
        encoding.writeVarUint(encoder, clock);
        encoding.writeVarString(encoder, json);
      }
    }),
  });
/** The state a client shows, from all that this socket has received. */
function seen(raw: Raw): Map<number, Record<string, unknown>> {
  const awareness = new Awareness(new Y.Doc());
  awareness.setLocalState(null);
  for (const frame of raw.heard) if (frame.kind === 'presence') applyAwarenessUpdate(awareness, frame.update, null);
  const states = new Map(awareness.getStates());
  awareness.destroy();
  return states;
}
const at = (cursor: number): string => JSON.stringify({ cursor, user: { name: 'Somebody else' } });
const meet = async (...who: [TestSync, string][]): Promise<[string, ...Raw[]]> => {
  const room = `${await here.meeting()}/transcript`;
  const raws: Raw[] = [];
  for (const [sync, name] of who) raws.push(await (await sync.join(name, room)).sync());
  return [room, ...raws];
};

describe('presence', () => {
  it('P2: a lie about another person is answered with the truth, once; a repetition with nothing; none is punished', async () => {
    const [, ann, eve] = (await meet([here, 'ann'], [here, 'eve'])) as [string, Raw, Raw];
    // At most once a second: here everything is sent in one moment.
    here.freeze();
    say(ann, [1, 1, at(5)]);
    await eve.until(() => seen(eve).has(1));
    say(eve, [2, 1, at(6)]);
    await ann.until(() => seen(ann).has(2));
    const heard = eve.count('presence');
    const truth = seen(eve).get(1);
    expect(truth).toMatchObject({ cursor: 5, user: { name: 'ann' } });
    // Hundreds of others at once, as a stock client in a full room does.
    say(eve, ...Array.from({ length: 500 }, (_, i): Said => [1000 + i, 1, at(1)]));
    for (let i = 0; i < 5; i += 1) say(eve, [1, Number.MAX_SAFE_INTEGER - 1, at(66)]);
    await eve.beat();
    expect(eve.count('presence')).toBe(heard + 1);
    expect(seen(eve).get(1)).toEqual(truth);
    expect(seen(ann).size).toBe(1);
    expect(eve.code).toBeNull();
  });

  it(`P3: ${limits.presenceBytes} bytes are passed on, one more is dropped, and so is the 21st at once`, async () => {
    const [, ann, ben] = (await meet([here, 'ann'], [here, 'ben'])) as [string, Raw, Raw];
    here.freeze();
    // Two bytes each, one unit of UTF-16.
    const sized = (cursor: number, bytes: number) => {
      const bare = JSON.stringify({ cursor, x: '' });
      const room = bytes - bare.length;
      return JSON.stringify({ cursor, x: 'é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2) });
    };
    say(ann, [1, 1, sized(1, limits.presenceBytes)]);
    say(ann, [1, 2, sized(2, limits.presenceBytes + 1)]);
    await ben.until(() => seen(ben).has(1));
    await ann.beat();
    await ben.beat();
    expect(seen(ben).get(1)).toMatchObject({ cursor: 1 });
    for (let clock = 3; clock <= 20; clock += 1) say(ann, [1, clock, at(clock)]);
    say(ann, [1, 21, at(21)]);
    await ben.until(() => seen(ben).get(1)?.['cursor'] === 20);
    await ann.beat();
    await ben.beat();
    expect(seen(ben).get(1)).toMatchObject({ cursor: 20 });
    expect(ann.code).toBeNull();
  });

  it('P1: a person who returns is seen at once, also at another process, and with any clock', async () => {
    const [room, ann, ben] = (await meet([here, 'ann'], [here, 'ben'])) as [string, Raw, Raw];
    say(ann, [1, 9, at(5)]);
    await ben.until(() => seen(ben).has(1));
    ann.ws.terminate();
    await ben.until(() => !seen(ben).has(1));
    const again = await there.join('ann', room);
    say(again, [1, 1, at(7)]);
    await ben.until(() => seen(ben).get(1)?.['cursor'] === 7);
  });

  it('G3: a client id seen by presence is its person’s; a reader’s takes no row', async () => {
    const [room, ann, eve, rob] = (await meet([here, 'ann'], [here, 'eve'], [here, 'rob'])) as [string, Raw, Raw, Raw];
    say(rob, [88, 1, at(1)]);
    say(ann, [77, 1, at(1)]);
    await eve.until(() => seen(eve).has(77) && seen(eve).has(88));
    const rows = await here.sql`select client_id from room_clients where room = ${room}`;
    expect(rows.map((row) => Number(row['client_id']))).toEqual([77]);
    eve.doc.clientID = 77;
    eve.doc.getText('text').insert(0, 'squat');
    expect(await eve.ended).toBe(4403);
  });

  it('P3a: people who only read are seen by those who work on it, but not by other readers', async () => {
    const [room, ann, carl, rob] = (await meet([here, 'ann'], [there, 'carl'], [here, 'rob'])) as [
      string,
      Raw,
      Raw,
      Raw,
    ];
    const rita = await (await there.join('rita', room)).sync();
    for (const [i, raw] of [ann, carl, rob, rita].entries())
      say(raw, [i + 1, 1, JSON.stringify({ cursor: 1, user: { taking: 'writes' } })]);
    const ids = (raw: Raw) => [...seen(raw).keys()].toSorted();
    await ann.until(() => ids(ann).length === 3);
    await carl.until(() => ids(carl).length === 3);
    await rob.until(() => ids(rob).length === 2);
    await rita.until(() => ids(rita).length === 2);
    expect([ids(rob), ids(rita)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    const takings = [...seen(ann).values()].map(({ user }) => (user as { taking: string }).taking);
    expect(takings.toSorted()).toEqual(['comments', 'reads', 'reads']);
    // Asked as often as they like.
    rob.send({ kind: 'askPresence' });
    await rob.beat();
    expect(ids(rob)).toEqual([1, 2]);

    here.rights.set('rob', new Set<Permission>(['read', 'write']));
    await here.door.revoke({ user: 'rob' });
    await rita.until(() => ids(rita).includes(3));
    await rob.until(() => ids(rob).includes(4));
    expect(seen(ann).get(3)).toMatchObject({ cursor: 1, user: { taking: 'writes' } });
    here.rights.set('rob', new Set<Permission>(['read']));
    await here.door.revoke({ user: 'rob' });
    await rita.until(() => !ids(rita).includes(3));
    await ann.until(() => (seen(ann).get(3)?.['user'] as { taking?: string } | undefined)?.taking === 'reads');
  });

  it('P3b: people in a blind review are seen by who oversees it alone, until it opens', async () => {
    const veil = { by: ['blind'], oversees: [] };
    const sees = { by: [], oversees: ['blind'] };
    for (const at of [here, there]) for (const who of ['vera', 'vito']) at.veils.set(who, veil);
    for (const at of [here, there]) at.veils.set('sam', sees);
    const [room, vera, ann, sam] = (await meet([here, 'vera'], [there, 'ann'], [there, 'sam'])) as [
      string,
      Raw,
      Raw,
      Raw,
    ];
    const vito = await (await here.join('vito', room)).sync();
    for (const [i, raw] of [vera, ann, sam, vito].entries()) say(raw, [i + 1, 1, JSON.stringify({ cursor: 1 })]);
    const ids = (raw: Raw) => [...seen(raw).keys()].toSorted();
    await sam.until(() => ids(sam).length === 3);
    await vera.until(() => ids(vera).length === 2);
    await vito.until(() => ids(vito).length === 2);
    expect([ids(sam), ids(vera), ids(vito)]).toEqual([
      [1, 2, 4],
      [2, 3],
      [2, 3],
    ]);
    // Nothing comes of somebody veiled, not even that they leave.
    const before = ann.count('presence');
    vito.ws.terminate();
    await sam.until(() => !ids(sam).includes(4));
    await ann.beat();
    expect(ids(ann)).toEqual([3]);
    // A look that changes nothing of somebody sends them nothing.
    await there.door.revoke({ everything: true });
    await ann.beat();
    expect(ann.count('presence')).toBe(before);
    for (const at of [here, there]) at.veils.clear();
    await Promise.all([here, there].map((at) => at.door.revoke({ everything: true })));
    await ann.until(() => ids(ann).includes(1));
    await vera.until(() => ids(vera).includes(3));
    for (const at of [here, there]) at.veils.set('vera', veil);
    await here.door.revoke({ user: 'vera' });
    await ann.until(() => !ids(ann).includes(1));
  });

  it("P4: a person who moved from another process is not taken for gone by that one's last message about them", async () => {
    const [room, ann, ben, cara] = (await meet([there, 'ann'], [here, 'ben'], [there, 'cara'])) as [
      string,
      Raw,
      Raw,
      Raw,
    ];
    say(ann, [1, 1, at(5)]);
    say(cara, [2, 1, at(5)]);
    await ben.until(() => seen(ben).has(1) && seen(ben).has(2));
    const over = await here.join('ann', room);
    say(over, [1, 2, at(7)]);
    await ben.until(() => seen(ben).get(1)?.['cursor'] === 7);
    ann.ws.terminate();
    hub.cut = true;
    try {
      here.forward(limits.presenceSilenceMs + 1);
      // The other process is silent, so its people are taken for gone.
      await ben.until(() => !seen(ben).has(2));
      await ben.beat();
      expect(seen(ben).get(1)).toMatchObject({ cursor: 7 });
    } finally {
      hub.cut = false;
    }
  });

  it('P4: people at a process that falls silent are taken for gone', async () => {
    const [, ann, ben] = (await meet([here, 'ann'], [there, 'ben'])) as [string, Raw, Raw];
    say(ann, [1, 1, at(5)]);
    await ben.until(() => seen(ben).has(1));
    hub.cut = true;
    there.forward(limits.presenceSilenceMs + 1);
    await ben.until(() => !seen(ben).has(1));
    hub.cut = false;
  });
});
