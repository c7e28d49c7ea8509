// A thousand places that a search found: each opens on its very word, also after edits of all kinds.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { placeOfWords } from '#client/meetings/open/place-of-words.ts';
import { placeOf } from '#client/library/place-of-hit.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import type { FindsAnswer, FoundPlace } from '#shared/finds.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { readWords, type SpokenSegment } from '#shared/meetings/words.ts';
import { indexAll } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
});
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const recordings = 10;
const [paragraphs, wordsEach, every] = [80, 15, 12];

/** Each twelfth word is the one looked for, behind a word of its own; some stand side by side. */
const spoken = (nth: number, n: number): string => (n % every === 0 || n % 96 === 1 ? 'harvest' : `r${nth}w${n}`);

async function makeSpoken(nth: number): Promise<string> {
  const id = await makeMeeting(house, ann);
  const seed = seedState({
    about: { title: `Recording ${nth}` },
    speakers: [{ id: 'one', name: 'One', color: 0, sortId: 0 }],
    segments: Array.from({ length: paragraphs }, (_, s) => ({
      id: `s${s}`,
      speaker: 'one',
      words: Array.from({ length: wordsEach }, (_unused, w) => {
        const at = (s * wordsEach + w) * 0.31;
        return { w: spoken(nth, s * wordsEach + w), f: at, t: at + 0.25 };
      }),
    })),
  });
  await house.house.rooms.change(id, 'transcript', by, (doc) => Y.applyUpdate(doc, seed));
  return id;
}

const segmentsOf = (id: string): Promise<{ id: string | null; text: string; segment: SpokenSegment }[]> =>
  house.house.documents.read(id, (doc) =>
    readWords(doc).segments.map((segment) => ({ id: segment.id, text: segment.text, segment })),
  );

async function allPlaces(): Promise<FoundPlace[]> {
  const places: FoundPlace[] = [];
  for (let after: string | null = ''; after !== null;) {
    await house.database.sql`delete from rate_limits`;
    const answer = await ann.get(`/api/finds?query=harvest${after && `&after=${encodeURIComponent(after)}`}`);
    expect(answer.status, answer.text).toBe(200);
    const page = answer.body as FindsAnswer;
    places.push(...page.places);
    after = page.next;
  }
  return places;
}

/** Places on which the page of a recording opens for each hit, each as paragraph and position in its text. */
async function opened(ids: readonly string[], places: readonly FoundPlace[]): Promise<string[]> {
  const read = new Map(await Promise.all(ids.map(async (id) => [id, await segmentsOf(id)] as const)));
  return places.map((place) => {
    const segments = read.get(place.recording) ?? [];
    const { searchParams } = new URL(
      placeOf(place.recording, `/meeting/${place.recording}`, place),
      'http://house.test',
    );
    const [time, find] = [Number(searchParams.get('t')), searchParams.get('find') ?? ''];
    const near = Math.max(
      0,
      segments.findLastIndex(({ segment }) => segment.from <= time),
    );
    const found = placeOfWords(
      segments.map(({ segment }) => segment),
      near,
      time,
      find,
    );
    const { id = null, text = '' } = segments[found?.segment ?? -1] ?? {};
    const at = found?.at ?? -1;
    // The words around it are those that were shown with the hit.
    const shown = [id, text.slice(0, at).endsWith(place.before), text.startsWith(place.words + place.after, at)];
    expect(shown, `${place.before}[${place.words}]${place.after} at ${place.start}`).toEqual([
      place.segment,
      true,
      true,
    ]);
    return `${place.recording} ${id} ${at}`;
  });
}

/** Places of the word in the documents themselves. */
async function standing(ids: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (const id of ids)
    for (const { id: segment, text } of await segmentsOf(id))
      for (const { index } of text.matchAll(/\bharvest\b/g)) all.push(`${id} ${segment} ${index}`);
  return all;
}

/** Brings lists and search up to date; pages of places are in the order of the lists, which must not change between two. */
async function readAll(ids: readonly string[]): Promise<void> {
  for (const id of ids) await updateProjection(house.house, id);
  await indexAll(house);
}

test('each of a thousand places opens on its word, and again after edits all over the recordings', async () => {
  const ids: string[] = [];
  for (let nth = 0; nth < recordings; nth += 1) ids.push(await makeSpoken(nth));
  await readAll(ids);
  const first = await allPlaces();
  expect(first.length).toBeGreaterThanOrEqual(1000);
  expect((await opened(ids, first)).toSorted()).toEqual((await standing(ids)).toSorted());

  let state = 11;
  const pick = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (const id of ids)
    await house.house.rooms.change(id, 'transcript', by, (doc) => {
      const text = textOf(doc);
      for (let n = 0; n < 120; n += 1) {
        // Boundaries of paragraphs are no letters, and stay.
        const plain = text.toDelta() as { insert: unknown }[];
        const runs: { from: number; said: string }[] = [];
        let from = 0;
        for (const { insert } of plain) {
          if (typeof insert === 'string') runs.push({ from, said: insert });
          from += typeof insert === 'string' ? insert.length : 1;
        }
        const run = runs[pick(runs.length)];
        if (!run) continue;
        const blanks = [...run.said.matchAll(/ /g)].map(({ index }) => index);
        const blank = blanks[pick(Math.max(1, blanks.length))];
        if (blank === undefined) continue;
        const next = blanks.find((one) => one > blank) ?? run.said.length;
        if (n % 3 === 0) text.insert(run.from + blank, ` typed${n} harvest`);
        else if (n % 3 === 1) text.delete(run.from + blank, next - blank);
        else {
          text.delete(run.from + blank + 1, next - blank - 1);
          text.insert(run.from + blank + 1, `fixed${n}`);
        }
      }
    });
  await readAll(ids);
  const second = await allPlaces();
  expect(second.length).toBeGreaterThanOrEqual(1000);
  expect((await opened(ids, second)).toSorted()).toEqual((await standing(ids)).toSorted());
});
