// Deleted reviews and layers of removed reviewers (server/reviews/trash.ts): thirty days later nothing of them is stored,
// and assessments that stay are as they were.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startHousekeeping } from '#server/housekeeping.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { newId } from '#shared/ids.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { indexAll } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';
import { sendVoice } from '#tests/support/voice.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const day = 86_400;
/** Tables with this text in a row, also within bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const { sql } = house.database;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'mail_outbox' order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const forms = [text.toLowerCase(), Buffer.from(text).toString('hex')];
    const holds = forms.map((form) => `position('${form}' in lower(t::text)) > 0`).join(' or ');
    if ((await sql.unsafe(`select 1 from "${name}" t where ${holds} limit 1`)).length > 0) found.push(name);
  }
  return found;
}

async function keepHouse(): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const rounds = startHousekeeping(house.house, { sweepLimits: async () => {} });
  vi.advanceTimersByTime(600_000);
  vi.useRealTimers();
  await rounds.stop();
}

/** Assesses with a secret word in everything that is written; gives the word, the layer, and a voice note in it. */
async function assess(person: Person, review: ReviewView): Promise<{ word: string; layer: string; voice: string }> {
  const word = `canary${newId(12)}`.toLowerCase();
  const { cloneId, mine } = await seenBy(person, review);
  const at = { start: 10, end: 12 };
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
  const voice = await sendVoice(person, cloneId ?? '');
  for (const answer of [
    await person.post(`/api/meetings/${cloneId}/comments`, { ...at, url: voice }),
    await person.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { ...at, type: 'trust', text: word } }),
    await person.post(`/api/meetings/${cloneId}/comments`, { ...at, text: word }),
    await person.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 2, words: word }),
    await person.post(path, { comment: word }),
  ])
    expect(answer.status, answer.text).toBe(200);
  return { word, layer: cloneId ?? '', voice };
}

test('what was assessed in a deleted review or by a removed reviewer is deleted thirty days later, and nothing else', async () => {
  const [ann, ben, cara] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeRecording(house, ann);
  const one = await askFor(ann, id, {
    outcomeModel: 'coaching',
    roles: [
      [ben, 'required'],
      [cara, 'required'],
    ],
  });
  const two = await askFor(ann, id, { outcomeModel: 'coaching', roles: [[ben, 'required']] });
  const [removed, stays, deleted] = [await assess(ben, one), await assess(cara, one), await assess(ben, two)];
  for (const { layer } of [removed, stays]) {
    const { room } = await house.house.rooms.enter(id, 'layer', layer);
    const snapshots = () => house.database.sql`select 1 from room_snapshots where room = ${room.name}`;
    while ((await snapshots()).length === 0) await room.compact();
  }

  await indexAll(house);

  const { rev, reviewers } = await seenBy(ann, one);
  const bens = reviewers.find(({ email }) => email === ben.email)?.id;
  const change = await ann.post(`/api/meetings/${id}/reviews/${one.id}`, { rev, remove: [bens] });
  expect(change.status, change.text).toBe(200);
  expect((await ann.delete(`/api/meetings/${id}/reviews/${two.id}`)).status).toBe(204);

  const keyOf = async ({ voice }: typeof stays) => {
    const [row] = await house.database.sql<{ store_key: string }[]>`
      select store_key from attachments where id = ${voice.split('/').at(-1) ?? ''}`;
    return row?.store_key ?? '';
  };
  const keys = await Promise.all([removed, deleted, stays].map(keyOf));
  const sounds = () => Promise.all(keys.map(async (key) => (await house.house.store.size(key)) !== null));
  expect((await ben.get(removed.voice)).problem.code).toBe('NO_ACCESS');

  const stored = async () => {
    await keepHouse();
    return {
      removed: await tablesWith(removed.word),
      deleted: await tablesWith(deleted.word),
      stays: await tablesWith(stays.word),
    };
  };
  // Answers that are kept for repeated requests are gone a day later.
  house.clock.forward(day);
  const before = await stored();
  const index = ['search_passages', 'search_words'];
  expect(before).toEqual({
    removed: ['room_snapshots', 'room_updates', ...index],
    deleted: ['reviewers', 'room_updates', ...index],
    stays: ['reviewers', 'room_snapshots', 'room_updates', ...index],
  });
  house.clock.forward(28 * day);
  expect(await stored()).toEqual(before);
  expect(await sounds()).toEqual([true, true, true]);
  house.clock.forward(day);
  expect(await stored()).toEqual({ removed: [], deleted: [], stays: before.stays });
  await sweepLeftovers(house.house);
  expect(await sounds()).toEqual([false, false, true]);
  for (const gone of [removed.layer, deleted.layer, two.id]) expect(await tablesWith(gone)).toEqual([]);

  await cara.login();
  const view = await cara.get(`/api/meetings/${stays.layer}`);
  for (const kind of ['outcomes', 'comments']) {
    expect(view.body.doc[kind]).toHaveLength(kind === 'comments' ? 2 : 1);
    expect(JSON.stringify(view.body.doc[kind])).toContain(stays.word);
  }
  expect((await cara.get(stays.voice)).status).toBe(200);
  expect((await seenBy(cara, one)).mine).toMatchObject({ comment: stays.word, status: 'in-progress' });
});
