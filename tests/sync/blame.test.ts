// G14: where Yjs fails at a transaction's end, the sender whose update makes it fail is refused, and nobody else
// (sync/SPEC.md).
import type * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits } from '#sync/protocol.ts';
import type { RoomDocument } from '#sync/server/document.ts';
import { asUpdate, one, struct } from '../attacks/forge.ts';
import { openSync, type TestSync } from '../support/door.ts';

const bad = 9;
const letter = (client: number, text: string) => asUpdate(one(client, struct.string({ root: 'text' }, text)));
/** A value in the text, where it does not belong: its trial refuses it. */
const misfit = (client: number) => asUpdate(one(client, struct.binary({ root: 'text' }, Uint8Array.of(1))));

describe.each([
  ['in a turn that has work left', limits.turnWork],
  ['in a turn whose work ends with the update at fault', 1],
])('G14: %s', (_, turnWork) => {
  let sync: TestSync;
  let held: Promise<void> | undefined;
  let storing = false;
  beforeAll(async () => {
    sync = await openSync({
      limits: { turnWork },
      hold: (statement) => {
        if (!held || !statement.includes('insert into room_updates')) return undefined;
        storing = true;
        return held;
      },
    });
  });
  afterAll(() => sync.close());

  it.each([
    ['an update behind it', letter(11, 'c'), null],
    ['an update behind it that is refused for itself', misfit(11), 4400],
  ])('an update with which a transaction fails at its end is refused, not %s', async (_what, behind, ends) => {
    const meeting = await sync.meeting();
    const path = `${meeting}/transcript`;
    const [ann, ben, cleo] = [
      await sync.join('ann', path, 'saved=1'),
      await sync.join('ben', path, 'saved=1'),
      await sync.join('cleo', path, 'saved=1'),
    ];
    const { room } = await sync.rooms.enter(meeting, 'transcript', null);
    const { document, state } = room as unknown as { document: RoomDocument; state: { waiting: unknown[] } };
    const failing = new WeakSet<Y.Doc>();
    const open = document.open.bind(document);
    vi.spyOn(document, 'open').mockImplementation(() => {
      const doc = open();
      if (failing.has(doc)) return doc;
      failing.add(doc);
      doc.on('afterTransaction', ({ afterState, beforeState }: Y.Transaction) => {
        if (afterState.get(bad) !== beforeState.get(bad)) throw new Error('at the end');
      });
      return doc;
    });

    // Both wait while the letter of a third person is stored, and come in one batch.
    let release = () => {};
    held = new Promise((resolve) => (release = resolve));
    ann.ws.send(letter(10, 'a'));
    await vi.waitUntil(() => storing, { timeout: 60_000 });
    storing = false;
    ben.ws.send(letter(bad, 'b'));
    await vi.waitUntil(() => state.waiting.length === 1, { timeout: 60_000 });
    cleo.ws.send(behind);
    await vi.waitUntil(() => state.waiting.length === 2, { timeout: 60_000 });
    held = undefined;
    release();

    expect(await ben.ended).toBe(4400);
    await ann.until(() => ann.count('saved') > 0);
    if (ends === null) await cleo.until(() => cleo.count('saved') > 0 || cleo.code !== null);
    else expect(await cleo.ended).toBe(ends);
    expect(cleo.code).toBe(ends);
    await sync.leaveAll();
    const text = await sync.rooms.read(meeting, 'transcript', { userId: null }, (doc) =>
      doc.getText('text').toString(),
    );
    expect([...text].toSorted().join('')).toBe(ends === null ? 'ac' : 'a');
    const rows = await sync.sql`select 1 from room_updates where room = ${path} and ${bad} = any(client_ids)`;
    expect(rows).toHaveLength(0);
  });
});
