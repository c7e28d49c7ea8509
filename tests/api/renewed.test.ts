// R9a, R9b: when a restored version or another file takes a transcript's place, outcomes, comments and highlights stand on
// their words, for everybody and after any number of such changes, and versions go on.
import type * as Y from 'yjs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { carryForgotten } from '#server/rooms/carry.ts';
import { anchorAt, placesOf, type Anchored, type Place } from '#shared/meetings/anchors.ts';
import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import { readHighlights } from '#shared/meetings/entries.ts';
import { pieces, replaceRanges, textOf } from '#shared/meetings/transcript.ts';
import { readWords } from '#shared/meetings/words.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, multipart, processed } from '#tests/support/intake.ts';
import { makeLayers } from '#tests/support/layers.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { roles } from '#shared/roles.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => house?.close());

/** Has reading an earlier state of a transcript fail in a process, by its number from now on. */
function failReading(fails: (nth: number) => boolean, { house: at }: Pick<TestHouse, 'house'> = house): void {
  const { versions } = at;
  const docOf = versions.docOf.bind(versions);
  let nth = 0;
  vi.spyOn(versions, 'docOf').mockImplementation((...given) =>
    fails((nth += 1)) ? Promise.reject(new Error('not read')) : docOf(...given),
  );
}

const file = `WEBVTT

1
00:00:00.000 --> 00:00:04.000
Maria: We met at the river in May, and nobody had brought a boat.

2
00:00:05.000 --> 00:00:09.000
Tom: So the boat was borrowed from the old mill on the hill.

3
00:00:10.000 --> 00:00:14.000
Maria: Then we crossed the river, and nobody fell in.
`;

const flatText = (doc: Y.Doc): string =>
  [...pieces(textOf(doc))].map((one) => (typeof one === 'string' ? one : '|')).join('');

async function scene() {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id } = await createMeeting(ann, external({ transcript: { fileName: 'a.vtt', content: file } }));
  await beginProcessing(ann, id);
  await processed(ann, id);
  await share(house, id, ben, roles.canComment);
  const ok = async <T>(asked: Promise<{ status: number; body: T; text: string }>): Promise<T> => {
    const { status, body, text } = await asked;
    expect(status, text).toBe(200);
    return body;
  };
  /** `place`: the meeting, or a layer of a review. */
  const view = async (who: Person = ann, place = id) =>
    (await ok(who.get(`/api/meetings/${place}`))) as {
      version: number;
      doc: { comments: Comment[]; outcomes: Outcome[] };
    };
  const flat = () => house.house.documents.read(id, flatText);
  /** The anchor of some words, as a page makes it. */
  const at = (words: string) =>
    house.house.documents.read(id, (doc, { generation }) => {
      const from = flatText(doc).indexOf(words);
      const anchor = anchorAt(doc, generation, from, from + words.length);
      return { anchor, quote: words, start: 1, end: 2 };
    });
  const say = async (who: Person, words: string, fields: object = {}) =>
    (await ok(who.post(`/api/meetings/${id}/comments`, { ...(await at(words)), text: words, ...fields })))
      .comment as Comment;
  const tag = async (who: Person, words: string, fields: object = {}) =>
    (
      await ok(
        who.post(`/api/meetings/${id}/outcomes`, {
          outcome: { type: 'actionItems', text: words, ...(await at(words)), ...fields },
        }),
      )
    ).outcome as Outcome;
  const edit = (words: string, by: string) =>
    house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, (doc) => {
      const insert = by === '' ? [] : [by];
      replaceRanges(doc, [{ at: flatText(doc).indexOf(words), remove: words.length, insert }], 'test');
    });
  const restore = (version: number) =>
    ok(ann.post(`/api/meetings/${id}/versions/${version}/restore`)) as Promise<{ version: number; kept: number }>;
  const replace = (content: string) =>
    ok(
      ann.post(
        `/api/meetings/${id}/replace`,
        undefined,
        multipart({ transcript: { fileName: 'b.vtt', content }, transcriptType: 'ZOOM' }),
      ),
    );
  const places = async (items: readonly Anchored[]): Promise<[words: string, by: Place['by'] | null][]> => {
    const text = await flat();
    return house.house.documents.read(id, (doc, { generation }) =>
      placesOf(doc, readWords(doc), generation, items).map((place) =>
        place ? [text.slice(place.from, place.to), place.by] : ['', null],
      ),
    );
  };
  const standing = async (who: Person = ann, place = id) => {
    const { comments, outcomes } = (await view(who, place)).doc;
    const items = [...comments, ...outcomes].toSorted((one, two) => (one.quote < two.quote ? -1 : 1));
    return (await places(items)).map(([words, by], i) => [items[i]?.quote, words, by]);
  };
  const highlights = async () => places(await house.house.documents.read(id, (doc) => readHighlights(doc)));
  const renewal = async () => {
    const [row] = await house.database.sql<{ kept: number; lost: number; done: boolean }[]>`
      select kept, lost, carried_at is not null as done from room_renewals
      where room = ${`${id}/transcript`} order by generation desc limit 1`;
    return row;
  };
  return { id, ann, ben, view, say, tag, at, edit, restore, replace, standing, highlights, renewal, ok };
}

describe('R9a: annotations of a transcript that is renewed', () => {
  test('stand on the same words after a restore, and after its undo', async () => {
    const { id, ann, ben, view, say, tag, edit, restore, standing, highlights, renewal, ok } = await scene();
    await say(ben, 'borrowed from');
    await say(ben, 'the river, and', { private: true });
    await tag(ann, 'nobody had brought');
    const color = { id: 'h', start: 5, end: 9, color: 'green' };
    await ok(ann.put(`/api/meetings/${id}`, { meeting: { highlights: [color] }, version: (await view()).version }));
    const { version } = await view();
    await edit('We met', 'Long ago we met');
    await edit('crossed', 'slowly crossed');
    await say(ann, 'slowly');
    const marked = await highlights();
    const before = [
      ['borrowed from', 'borrowed from', 'anchor'],
      ['nobody had brought', 'nobody had brought', 'anchor'],
    ];
    const { kept } = await restore(version);
    // Its word is gone from the text, and only this one's.
    expect((await standing()).filter(([text]) => text !== 'slowly')).toEqual(before);
    expect((await standing()).find(([text]) => text === 'slowly')?.[2]).toBe('time');
    expect(await standing(ben)).toContainEqual(['the river, and', 'the river, and', 'anchor']);
    expect(await highlights()).toEqual(marked);
    expect(marked[0]?.[1]).toBe('anchor');
    expect(await renewal()).toEqual({ kept: 3, lost: 1, done: true });
    // History says so, and has no version of the server's own work.
    const { versions } = await ok(ann.get(`/api/meetings/${id}/versions`));
    expect(versions.map(({ kind }: { kind: string }) => kind)).toEqual(['restored', 'edited', 'machine']);
    expect(versions[0].carried).toEqual({ kept: 3, lost: 1 });

    await restore(kept);
    expect(await standing()).toEqual([...before, ['slowly', 'slowly', 'anchor']]);
    expect(await standing(ben)).toContainEqual(['the river, and', 'the river, and', 'anchor']);
    expect(await renewal()).toMatchObject({ lost: 0, done: true });

    // Another process reads the same from the log.
    const other = await openBeside(house);
    const read = (await ok(ben.by(other.port).get(`/api/meetings/${id}`))) as Awaited<ReturnType<typeof view>>;
    await other.stop();
    const { comments, outcomes } = (await view(ben)).doc;
    expect(read.doc).toMatchObject({ comments, outcomes });
  });

  test('stand on the same words of another transcript, and again on the old one', async () => {
    const { id, ann, view, say, tag, replace, restore, standing, highlights, renewal, ok } = await scene();
    await say(ann, 'the river in May');
    await say(ann, 'the old mill');
    await tag(ann, 'nobody fell in');
    await tag(ann, 'hill');
    const color = { id: 'h', start: 0.1, end: 3.9, color: 'green' };
    await ok(ann.put(`/api/meetings/${id}`, { meeting: { highlights: [color] }, version: (await view()).version }));
    const { version } = await view();
    const before = await standing();
    expect(before.map(([, , by]) => by)).toEqual(['anchor', 'anchor', 'anchor', 'anchor']);
    const marked = await highlights();
    await replace(
      file
        .replace('We met at the river in May, and', 'Well. We met at the River in may. And')
        .replace('the old mill on the hill', 'the cold mill')
        .replace('nobody fell in', 'nobody ever fell in'),
    );
    expect(await standing()).toEqual([
      ['hill', expect.any(String), 'time'],
      ['nobody fell in', 'nobody ever fell in', 'anchor'],
      ['the old mill', 'the cold mill', 'anchor'],
      ['the river in May', 'the River in may', 'anchor'],
    ]);
    expect(await highlights()).toEqual([[expect.stringMatching(/^We met at the River in may.*boat/), 'anchor']]);
    expect(await renewal()).toEqual({ kept: 4, lost: 1, done: true });
    await restore(version);
    expect(await standing()).toEqual(before);
    expect(await highlights()).toEqual(marked);
  });

  test('stand in the layers of a review as well, and nobody is told how many', async () => {
    const { id, ann, ben, view, at, edit, restore, replace, standing, renewal, ok } = await scene();
    const [layer = ''] = await makeLayers(house, id, ann, [{ held: [[ben, ['read', 'comment']]] }]);
    await ok(ben.post(`/api/meetings/${layer}/comments`, { ...(await at('borrowed from')), text: 'Whose?' }));
    const outcome = { type: 'actionItems', text: '', ...(await at('nobody had brought')) };
    await ok(ben.post(`/api/meetings/${layer}/outcomes`, { outcome }));
    const before = [
      ['borrowed from', 'borrowed from', 'anchor'],
      ['nobody had brought', 'nobody had brought', 'anchor'],
    ];
    expect(await standing(ben, layer)).toEqual(before);
    const { version } = await view();
    await edit('We met', 'Long ago we met');
    await restore(version);
    expect(await standing(ben, layer)).toEqual(before);
    expect(await renewal()).toEqual({ kept: 0, lost: 0, done: true });
    await replace(file.replace('We met at the river in May', 'Well').replace('the old mill', 'a cold mill'));
    expect(await standing(ben, layer)).toEqual(before);
    expect(await renewal()).toEqual({ kept: 0, lost: 0, done: true });
  });

  test('also one that was begun before the restore and arrives behind it', async () => {
    const { id, ann, view, at, edit, restore, standing, ok } = await scene();
    const { version } = await view();
    await edit('We met', 'Long ago we met');
    const begun = await at('borrowed from');
    await restore(version);
    await ok(ann.post(`/api/meetings/${id}/comments`, { ...begun, text: 'borrowed from' }));
    expect(await standing()).toEqual([['borrowed from', 'borrowed from', 'anchor']]);
  });

  test('also where the process ended before it had carried them over', async () => {
    const { id, view, ann, say, edit, standing, renewal, ok } = await scene();
    const { version } = await view();
    await say(ann, 'borrowed from');
    await edit('We met', 'Long ago we met');
    const other = await openBeside(house);
    failReading((nth) => nth > 1, other);
    await ok(ann.by(other.port).post(`/api/meetings/${id}/versions/${version}/restore`));
    await other.stop();
    expect((await standing())[0]?.[2]).toBe('quote');
    expect(await renewal()).toMatchObject({ done: false });
    await carryForgotten(house.house);
    expect(await renewal()).toMatchObject({ done: false });
    house.clock.forward(120);
    await carryForgotten(house.house);
    expect(await standing()).toEqual([['borrowed from', 'borrowed from', 'anchor']]);
    expect(await renewal()).toMatchObject({ kept: 1, lost: 0, done: true });
  });

  test('also where the first tries failed: the process that renewed it tries again soon', async () => {
    const { view, ann, say, edit, restore, standing, renewal } = await scene();
    const { version } = await view();
    await say(ann, 'borrowed from');
    await edit('We met', 'Long ago we met');
    let isBroken = true;
    failReading((nth) => nth > 1 && isBroken);
    await restore(version);
    expect((await standing())[0]?.[2]).toBe('quote');
    expect(await renewal()).toMatchObject({ done: false });
    isBroken = false;
    await expect.poll(renewal).toMatchObject({ kept: 1, lost: 0, done: true });
    expect(await standing()).toEqual([['borrowed from', 'borrowed from', 'anchor']]);
  });

  test('but not one that its author moved meanwhile', async () => {
    const { id, ann, view, at, tag, edit, restore, standing, ok } = await scene();
    const { version } = await view();
    const { id: outcome } = await tag(ann, 'borrowed from');
    await edit('We met', 'Long ago we met');
    const { documents } = house.house;
    const inRoom = documents.inRoom.bind(documents);
    let moved = false;
    vi.spyOn(documents, 'inRoom').mockImplementation(async (meeting, work, place) => {
      const found = await inRoom(meeting, work, place);
      if (!moved && place?.part === 'outcomes') {
        moved = true;
        const where = await at('nobody had brought');
        await ok(ann.post(`/api/meetings/${id}/outcomes/${outcome}/update`, { outcome: where }));
      }
      return found;
    });
    await restore(version);
    expect(moved).toBe(true);
    expect(await standing()).toEqual([['nobody had brought', 'nobody had brought', 'anchor']]);
  });
});

describe('R9b: versions', () => {
  test('rise by one with each edit, and go on over restores and replacements', async () => {
    const { view, ann, id, edit, restore, replace, ok } = await scene();
    const seen = [(await view()).version];
    const next = async () => {
      seen.push((await view()).version);
      return (seen.at(-1) ?? 0) - (seen.at(-2) ?? 0);
    };
    await edit('We met', 'Long ago we met');
    expect(await next()).toBe(1);
    await ok(ann.put(`/api/meetings/${id}`, { meeting: { 'doc.title': 'The river' }, version: seen.at(-1) }));
    expect(await next()).toBe(1);
    // The text before is kept as a version.
    const back = await restore(seen[0] ?? 0);
    expect(back.kept).toBe(seen.at(-1));
    expect(await next()).toBe(back.version - back.kept);
    expect(back.version - back.kept).toBeLessThanOrEqual(3);
    await edit('We met', 'Once we met');
    expect(await next()).toBe(1);
    await replace(file.replace('the old mill', 'the new mill'));
    const step = await next();
    expect(step).toBeGreaterThan(0);
    expect(step).toBeLessThanOrEqual(3);
    await edit('We met', 'At last we met');
    expect(await next()).toBe(1);
  });

  test('above 2^31, as they once were, are a conflict that names the current one', async () => {
    const { ann, id, view } = await scene();
    const { version } = await view();
    const put = (from: number) => ann.put(`/api/meetings/${id}`, { meeting: { 'doc.title': 'x' }, version: from });
    const { status, problem } = await put(2 ** 32 + 1);
    expect([status, problem.info]).toMatchObject([409, { version }]);
    expect((await put(version)).status).toBe(200);
  });
});
