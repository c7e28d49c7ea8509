// M4, F1: a server is killed between the change and the answer; the program repeats its request, and nothing is done
// twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { appendAnswered, findAnswer, type Answer, type Asked } from '#db/answers.ts';
import type { PendingRow } from '#db/updates.ts';
import { newId } from '#shared/ids.ts';
import { replaceRanges } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, ownerOf } from '../support/meetings.ts';
import { Person } from '../support/people.ts';
import { endProcesses, gone, openProcess } from '../support/processes.ts';
import { openProxy, type FaultProxy } from '../support/proxy.ts';

let house: TestHouse;
let proxy: FaultProxy | null = null;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(async () => {
  await proxy?.close();
  proxy = null;
  endProcesses();
});
afterAll(() => house?.close());

async function makeText(person: Person): Promise<string> {
  const id = await makeMeeting(house, person);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    replaceRanges(doc, [{ at: 0, remove: 0, insert: [{ s: 's0', p: '' }, 'one'] }], 'test'),
  );
  return id;
}

test('an edit whose process dies between the log and the answer is made once, and its answer sent when it is repeated', async () => {
  const ann = await house.person();
  const id = await makeText(ann);
  const { sql } = house.database;
  const texts = async () => {
    const { doc } = (await ann.get(`/api/meetings/${id}`)).body as {
      doc: { transcript: { segments: { text: string }[] } };
    };
    return doc.transcript.segments.map(({ text }) => text);
  };
  for (let round = 0; round < 3; round += 1) {
    const running = await openProcess({ DATABASE_URL: house.url });
    proxy = await openProxy(running.port);
    const away = new Person(`http://127.0.0.1:${proxy.port}`);
    for (const [name, value] of ann.cookies) away.cookies.set(name, value);
    const { version, doc } = (await ann.get(`/api/meetings/${id}`)).body;
    const old = doc.transcript.segments[0].text as string;
    const edit = { pos: 0, old, new: `${old}[${round}]`, version };
    const headers = { 'X-Request-ID': newId() };
    const ofTheHouse = { ...headers, Origin: running.origin };
    // The answer is lost; the program cannot know whether it was sent.
    proxy.blackHole(['down']);
    const lost = away.post(`/api/meetings/${id}/edit`, edit, { headers: ofTheHouse }).catch(() => null);
    const stored = async () => {
      const [row] = await sql<{ seq: string }[]>`select seq from rooms where name = ${`${id}/transcript`}`;
      return Number(row?.seq) > version;
    };
    while (!(await stored())) await sleep(2);
    running.child.kill('SIGKILL');
    await gone(running.child.pid ?? 0);
    proxy.cut('rst');
    expect(await lost).toBeNull();

    const again = await ann.post(`/api/meetings/${id}/edit`, edit, { headers });
    expect([again.status, again.body]).toEqual([200, { version: version + 1 }]);
    expect(await texts()).toEqual([edit.new]);
    // Without its id it would be another edit, which is refused: this is why requests have ids.
    expect((await ann.post(`/api/meetings/${id}/edit`, edit)).status).toBe(409);
    await proxy.close();
  }
});

describe('a row and its answer', () => {
  const row = (room: string, generation = 1): PendingRow => ({
    room,
    generation,
    userId: null,
    clientIds: [4711],
    bytes: new Uint8Array([2, 0, 0]),
    at: new Date(),
  });
  const answer: Answer = { status: 200, etag: '"mark"', body: '{"version":3}' };
  const asked = (userId: string): Asked => ({ userId, requestId: newId(), fingerprint: Buffer.from('what') });
  async function scene() {
    const ann = await house.person();
    const id = await makeText(ann);
    const { sql } = house.database;
    const room = `${id}/transcript`;
    const rows = async () =>
      (await sql<{ seq: string }[]>`select seq from room_updates where room = ${room} order by seq`).map(({ seq }) =>
        Number(seq),
      );
    const holder = await ownerOf(house, id, ann);
    return { ann, id, sql, room, rows, holder };
  }

  test('are stored both, as the very next row', async () => {
    const { ann, sql, room, rows, holder } = await scene();
    const one = asked(ann.id);
    expect(await appendAnswered(sql, row(room), 1, one, answer, holder)).toBe(2);
    expect(await rows()).toEqual([1, 2]);
    expect(await findAnswer(sql, one)).toMatchObject({ ...answer, fingerprint: one.fingerprint });
  });

  test('are neither stored where another row came before', async () => {
    const { ann, sql, room, rows, holder } = await scene();
    const one = asked(ann.id);
    for (const after of [0, 2]) expect(await appendAnswered(sql, row(room), after, one, answer, holder)).toBe('moved');
    expect(await rows()).toEqual([1]);
    expect(await findAnswer(sql, one)).toBeNull();
  });

  test('are not stored again: neither at its place nor behind it', async () => {
    const { ann, sql, room, rows, holder } = await scene();
    const one = asked(ann.id);
    expect(await appendAnswered(sql, row(room), 1, one, answer, holder)).toBe(2);
    for (const after of [1, 2])
      expect(await appendAnswered(sql, row(room), after, one, answer, holder)).toBe('refused');
    expect(await rows()).toEqual([1, 2]);
  });

  test('are not stored of another generation, nor of a meeting that is gone', async () => {
    const { ann, sql, room, rows, holder } = await scene();
    expect(await appendAnswered(sql, row(room, 2), 1, asked(ann.id), answer, holder)).toBe('gone');
    expect(await appendAnswered(sql, row('nothing/transcript'), 0, asked(ann.id), answer, holder)).toBe('gone');
    expect(await rows()).toEqual([1]);
  });

  test('of many that are to be the next, one is stored', async () => {
    const { ann, sql, room, rows, holder } = await scene();
    const found = await Promise.all(
      Array.from({ length: 8 }, () => appendAnswered(sql, row(room), 1, asked(ann.id), answer, holder)),
    );
    expect(found.filter((one) => one === 2)).toHaveLength(1);
    expect(found.filter((one) => one === 'moved')).toHaveLength(7);
    const same = asked(ann.id);
    const twice = await Promise.all(
      Array.from({ length: 8 }, () => appendAnswered(sql, row(room), 2, same, answer, holder)),
    );
    expect(twice.filter((one) => one === 3)).toHaveLength(1);
    expect(twice.filter((one) => one === 'refused')).toHaveLength(7);
    expect(await rows()).toEqual([1, 2, 3]);
  });
});
