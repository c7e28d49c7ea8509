// Answers made of a long transcript are the same bytes in a thread as on the server's own one, which builds nothing for
// them; what costs most to make, nobody can have made for so long that others wait (docs/decisions/130-long-answers-in-a-thread.md).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { aiAnalyses } from '#db/schema/ai.ts';
import type { Running } from '#server/start.ts';
import type { ExportInput } from '#shared/export.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { readSegments, replaceRanges, textOf } from '#shared/meetings/transcript.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';
import { suggestIn } from '#tests/support/suggestions.ts';

let house: TestHouse;
/** Answers without threads. */
let beside: Running;
beforeAll(async () => {
  house = await openHouse();
  beside = await openBeside(house);
  beside.house.wholes.long = Infinity;
});
afterAll(async () => {
  await beside?.stop();
  await house?.close();
});

/** Numbers from 0 to 1, always the same. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const odd = ['{hidden', 'away}', '"quoted"', '你好', 'ещё', '😀', 'a\u0301', '<b>', '\\', '-->', '"isBlocked":false'];

/** A transcript of some thousand words as an import writes it, then edited by people, so that it has a history. */
async function makeLong(ann: Person, ben: Person, seed: number): Promise<{ id: string; versions: number[] }> {
  const next = chance(seed);
  const some = (most: number) => Math.floor(next() * most);
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, ['read', 'write']);
  let time = 0;
  const word = () => {
    const from = (time += next());
    const w = some(12) === 0 ? (odd[some(odd.length)] ?? '') : `word${some(900)}`;
    return {
      w,
      f: from,
      t: from + 0.2,
      ...(some(3) === 0 && { confidence: next() }),
      ...(some(50) === 0 && { p: true }),
    };
  };
  const segments = Array.from({ length: 300 }, (_, i) => ({
    ...{ id: `s${i}`, speaker: `p${some(3)}` },
    words: Array.from({ length: 1 + some(60) }, word),
  }));
  const speakers = [0, 1].map((i) => ({ id: `p${i}`, name: `Speaker "${i}"`, color: i, sortId: i }));
  const state = seedState({ about: { title: 'Long {talk}', lang: 'en-US' }, tags: ['one'], speakers, segments });
  const { rooms, documents } = house.house;
  const write = (userId: string | null, work: (doc: Y.Doc) => void) =>
    rooms.change(id, 'transcript', { userId, origin: 'test' }, work);
  await write(null, (doc) => Y.applyUpdate(doc, state));
  const versions = [await documents.read(id, (_doc, { version }) => version)];
  for (let i = 0; i < 30; i += 1) {
    await write((i % 2 ? ann : ben).id, (doc) => {
      const at = some(textOf(doc).length - 20);
      const places = readSegments(doc).map(({ start }) => start);
      // A boundary stays.
      const remove = places.some((start) => start > at - 2 && start <= at + 6) ? 0 : some(6);
      replaceRanges(doc, [{ at, remove, insert: [`new${i} {x} `] }], 'test');
      doc.getMap('toc').set(`c${i}`, { start: i * 10, title: `Chapter {${i}}` });
    });
    versions.push((versions.at(-1) ?? 0) + 1);
  }
  return { id, versions };
}

const exports: ExportInput[] = [
  ...(['OTTERAI', 'SRT', 'VTT', 'MARKDOWN', 'JSON', 'ZOOM', 'TURBOSCRIBE'] as const).map((format) => ({
    ...{ format, options: { contents: true, outcomes: true, comments: true, redacted: format === 'MARKDOWN' } },
  })),
  ...(['RAE', 'REV', 'TRME'] as const).map((format) => ({
    ...{ format, options: { fileType: 'docx' as const, contents: true, comments: true, outcomes: true } },
  })),
];

/** Answer of one of the two servers, whose addresses differ. */
async function answerOf(person: Person, path: string, body?: object): Promise<[status: number, text: string]> {
  const { status, bytes } = await (body ? person.post(path, body) : person.get(path));
  return [status, Buffer.from(bytes).toString('latin1').replaceAll(person.origin, 'here')];
}

describe.each([1, 2])('a random long transcript (%i)', (seed) => {
  test('is answered the same in a thread as on the server’s own one, which builds nothing for it', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const { id, versions } = await makeLong(ann, ben, seed);
    const { id: set, types } = await makeSet(ann);
    const [parent] = types;
    const [child] = parent?.children ?? [];
    const outcome = {
      start: 3,
      end: 9,
      type: parent?.id,
      grade: 3,
      text: 'So it is',
      children: [{ type: child?.id, grade: 1 }],
    };
    for (const [path, body] of [
      ['comments', { start: 3, end: 9, text: 'Why?' }],
      ['outcome-models', { id: set }],
      ['outcomes', { outcome }],
    ] as const) {
      const said = await ann.post(`/api/meetings/${id}/${path}`, body);
      expect(said.status, said.text).toBe(200);
    }
    const words = Array.from({ length: 1024 }, (_, i) => i);
    const parts = [
      {
        text: 'A point',
        quotes: [
          { text: 'word7', start: 4, end: 5 },
          { text: 'gone', start: 1, end: 2 },
        ],
        struck: 1,
      },
    ];
    const made = { model: 'm', host: 'h', words, createdAt: new Date(0) };
    await house.database.orm.insert(aiAnalyses).values({ meetingId: id, parts, ...made });
    const at = `/api/meetings/${id}`;
    const [first = 0, last = 0] = [versions[0], versions.at(-1)];
    const paths = [
      ...['', '/vtt', '/analysis', `/versions/${first}`, `/versions/${last - 3}`, `/versions/${first}/changes`],
      ...[`/versions/${last}/changes`, `/versions/${last}/changes?since=${first}`, '/original'],
    ].map((path) => at + path);
    const asked: [Person, string, object?][] = [
      ...[ann, ben].flatMap((one) => paths.map((path): [Person, string] => [one, path])),
      ...exports.map((one): [Person, string, object] => [ann, `/api/export/${id}`, one]),
    ];

    const { rooms, wholes } = house.house;
    (await rooms.enter(id, 'transcript', null)).room.drop('test', 1012);
    const before = new Map(wholes.answered);
    for (const [who, path, body] of asked) {
      const threaded = await answerOf(who, path, body);
      // Annotations are read in rooms of their own, and the original transcript is looked up in the document.
      if (!path.endsWith('/original')) expect([path, rooms.isBuilt(id, 'transcript', null)]).toEqual([path, false]);
      else (await rooms.enter(id, 'transcript', null)).room.drop('test', 1012);
      const own = await answerOf(who.by(beside.port), path, body);
      expect([path, threaded[0], own[0]]).toEqual([path, 200, 200]);
      expect(threaded[1] === own[1], `${path} ${JSON.stringify(body)}`).toBe(true);
      // A thread has not learnt the sets that people made.
      if (body && 'format' in body && body.format === 'MARKDOWN')
        expect(threaded[1]).toContain('Greeting 3 (Says the name 1)');
    }
    const kinds = ['plain', 'subtitles', 'exported', 'analysis', 'authors', 'changesBy'];
    expect(kinds.filter((kind) => (wholes.answered.get(kind) ?? 0) === (before.get(kind) ?? 0))).toEqual([]);
    expect([...beside.house.wholes.answered]).toEqual([]);
  });
});

describe('what people do with a long transcript', () => {
  /** Forgets the built document, and tells how often a thread was given work of a kind since. */
  async function begun(id: string): Promise<(kind: string) => number> {
    const { rooms, wholes } = house.house;
    (await rooms.enter(id, 'transcript', null)).room.drop('test', 1012);
    const before = new Map(wholes.answered);
    return (kind) => (wholes.answered.get(kind) ?? 0) - (before.get(kind) ?? 0);
  }
  const ok = ({ status, text, body }: Awaited<ReturnType<Person['post']>>) => {
    expect(status, text).toBe(200);
    return body;
  };

  test('is looked up in a thread where reviewers have marked words', async () => {
    const [ann, ben, cid, kim, kay] = (await house.people(5)) as [Person, Person, Person, Person, Person];
    const { id } = await makeLong(ann, ben, 3);
    const roles = [[ben, 'required'] as const, [cid, 'required'] as const];
    // People of a key do not assess by it.
    const makers = [[kim, 'required'] as const, [kay, 'required'] as const];
    const key = await askFor(ann, id, { policy: 'strict', roles: makers, outcomeModel: 'coaching' });
    const assess = async (one: typeof key, people: Person[]) => {
      for (const [nth, person] of people.entries()) {
        const { cloneId } = await seenBy(person, one);
        const counts = await begun(id);
        for (const start of [30, 300 + nth])
          ok(
            await person.post(`/api/meetings/${cloneId}/outcomes`, {
              outcome: { start, end: start + 9, type: 'trust', grade: 2 + nth, text: 'So it is' },
            }),
          );
        // The words at a time are found there; no page asks like this.
        expect(counts('anchored')).toBe(2);
        expect(house.house.rooms.isBuilt(id, 'transcript', null)).toBe(false);
        ok(await person.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 2 + nth }));
        await setStatus(person, one, 'complete');
      }
    };
    await assess(key, [kim, kay]);
    const review = await askFor(ann, id, { policy: 'strict', roles, outcomeModel: 'coaching', keyOf: key.id });
    await assess(review, [ben, cid]);
    const relaxed = await askFor(ann, id, { policy: 'relaxed', roles, outcomeModel: 'coaching' });
    await suggestIn(house, relaxed, { type: 'trust', quote: 'gone', start: 40, end: 44 });
    const [{ text: quote }] = (await ann.get(`/api/meetings/${id}`)).body.doc.transcript.segments.slice(7);
    await suggestIn(house, relaxed, { id: `q-${id}`, type: 'trust', quote: quote.slice(0, 60), start: 100, end: 110 });
    const { cloneId } = await seenBy(ben, relaxed);

    const asked: [person: Person, path: string, kind: string, found: string][] = [
      [ann, `/api/meetings/${id}/reviews/${review.id}/agreement`, 'markedWords', '"quote":"'],
      [ann, `/api/meetings/${id}/reviews/${review.id}/report`, 'quotes', '"quote":"'],
      [ann, `/api/meetings/${id}/reviews/${review.id}/calibration`, 'calibrated', '"quote":"'],
      [ben, `/api/meetings/${cloneId}/outcomes/autodetect`, 'suggested', `q-${id}`],
      [ben, `/api/meetings/${id}/reviews/${relaxed.id}/agreement`, 'markedBeside', '"machine":'],
    ];
    for (const [person, path, kind, found] of asked) {
      const counts = await begun(id);
      const threaded = await answerOf(person, path);
      expect([path, threaded[0], counts(kind) > 0]).toEqual([path, 200, true]);
      expect([path, house.house.rooms.isBuilt(id, 'transcript', null)]).toEqual([path, false]);
      expect(threaded).toEqual(await answerOf(person.by(beside.port), path));
      expect(threaded[1]).toContain(found);
    }
  });

  test('is judged by an earlier state, restored, and followed by its annotations in a thread', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const { id, versions } = await makeLong(ann, ben, 4);
    const [first = 0] = versions;
    const at = `/api/meetings/${id}`;
    const doc = async (person: Person, path = '') => {
      const { transcript } = (await person.get(at + path)).body.doc;
      // Nobody may change what is past.
      for (const segment of transcript.segments) delete segment.isBlocked;
      return transcript;
    };
    const was = await doc(ann, `/versions/${first}`);
    const outcome = { start: 60, end: 66, type: 'decisions', text: 'So it is' };
    ok(await ann.post(`${at}/outcomes`, { outcome }));
    const outcomeNow = async () => (await ann.get(at)).body.doc.outcomes[0];
    const placed = await outcomeNow();

    for (const person of [ann, ann.by(beside.port)]) {
      const counts = await begun(id);
      // An edit by what somebody read before all others: it applies where the text still stands.
      const now = await doc(person);
      const standing = was.segments.findIndex(
        ({ id: one, text }: { id: string; text: string }) =>
          text !== '' &&
          now.segments.some((other: { id: string; text: string }) => other.id === one && other.text === text),
      );
      // By its index, which says nothing without the state it was read in.
      const { id: pos, text: old } = was.segments[standing];
      const edit = { pos: standing, old, new: `${old} indeed`, version: first };
      ok(await person.post(`${at}/edit`, edit));
      expect((await doc(person)).segments.find((one: { id: string }) => one.id === pos).text).toBe(`${old} indeed`);
      ok(await person.post(`${at}/versions/${first}/restore`));
      expect(await doc(person)).toEqual(was);
      const { anchor, ...carried } = await outcomeNow();
      expect(anchor.g).toBeGreaterThan(placed.anchor.g);
      expect(carried).toMatchObject({ start: placed.start, end: placed.end, quote: placed.quote });
      const isThreaded = person === ann ? 1 : 0;
      expect(['texts', 'restored', 'carried'].map((kind) => Math.min(1, counts(kind)))).toEqual(
        Array.from({ length: 3 }, () => isThreaded),
      );
    }
  });
});
