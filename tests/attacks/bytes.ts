// Section 3.6: bytes that no honest client would send, each as an update and, where it is one, as step 2 as well.
import { expect } from 'vitest';
import * as Y from 'yjs';
import { limits } from '#sync/protocol.ts';
import {
  anything,
  asQuestion,
  asState,
  asUpdate,
  join,
  nested,
  number,
  one,
  presence,
  stateVector,
  struct,
  update,
  word,
} from './forge.ts';
import { framesOf, insiders, openingLength, openingText, ownersId, type Stage, type WireAttack } from './stage.ts';

type Bytes = Uint8Array;
type Rest = Omit<WireAttack, 'id' | 'what' | 'frames' | 'expect'>;

const hex = (text: string): Bytes => Buffer.from(text.replaceAll(' ', ''), 'hex');
const text = { root: 'text' };
const about = (key = 'title') => ({ root: 'about', key });
/** A client id that nobody had before. */
const mine = 4711;

/** One update in both of its wrappings. */
const both = (
  id: string,
  what: string,
  given: Bytes | Bytes[] | ((stage: Stage) => Bytes | Bytes[]),
  expected: WireAttack['expect'],
  rest: Rest = {},
): WireAttack[] =>
  [asUpdate, asState].map((wrap) => ({
    id,
    what: wrap === asUpdate ? what : `${what}, as step 2`,
    frames: (stage) => [typeof given === 'function' ? given(stage) : given].flat().map(wrap),
    expect: expected,
    ...rest,
  }));

const refused = (id: string, what: string, given: Parameters<typeof both>[2], rest?: Rest): WireAttack[] =>
  both(id, what, given, 4400, rest);
const taken = (id: string, what: string, given: Parameters<typeof both>[2], rest: Rest = {}): WireAttack[] =>
  both(id, what, given, 'taken', { stateEqual: false, seen: 1, ...rest });

const plain = one(mine, struct.string(text, 'abc'));
const vector687 = hex('0000000001000100010200001602000001fdffffffff7f0000');

// ---- Structures of no length, and bytes that are no update -------------------------------------

const lengths: WireAttack[] = [
  ...refused('G01', 'a collected structure of length 0 (V2)', hex('01010900000000')),
  ...refused('G01', 'deleted content of length 0 (V2)', one(mine, struct.deleted(text, 0))),
  ...refused('G01', 'a text of no letters', one(mine, struct.string(text, ''))),
  ...refused('G01', 'no values', one(mine, struct.any(about(), []))),
  ...refused('G01', 'a hole of length 0', one(mine, struct.skip(0), struct.string(text, 'a'))),
  ...refused('G01', 'length 0 behind something good', one(mine, struct.string(text, 'abc'), struct.gc(0))),
  ...refused('G01', 'a deletion of length 0', update([], [{ client: ownersId, ranges: [[0, 0]] }])),
];

const noUpdates: WireAttack[] = [
  ...refused('G09', 'nothing at all', new Uint8Array()),
  ...refused('G09', 'half of an update', plain.subarray(0, plain.byteLength >> 1)),
  ...refused('G09', 'a byte behind the update', join(plain, Uint8Array.of(0))),
  ...refused('G09', 'more clients than there are bytes', join(number(2 ** 40), plain)),
  ...refused('G09', 'more structures than there are bytes', join(number(1), number(2 ** 40), number(mine), number(0))),
  ...refused(
    'G09',
    'a client twice',
    update([0, 1].map((clock) => ({ client: mine, clock, structs: [struct.string(text, 'a')] }))),
  ),
  ...refused('G09', 'a number that never ends', new Uint8Array(400).fill(0xff)),
  ...refused('G09', 'a client id beyond all', one(2 ** 50, struct.string(text, 'a'))),
  ...refused('G09', 'a clock beyond all', update([{ client: mine, clock: 2 ** 52, structs: [struct.gc(1)] }])),
  ...refused('G09', 'a length beyond all', one(mine, struct.gc(2 ** 52))),
  ...refused('G09', 'a kind nobody knows', one(mine, join(Uint8Array.of(31), number(1), word('text'), word('a')))),
  ...refused('G09', 'a type nobody knows', one(mine, struct.type(about(), 7))),
  ...refused('G09', 'a value nobody knows', one(mine, struct.any(about(), [Uint8Array.of(1)]))),
  ...refused('G09', 'an embed that is no JSON', one(mine, struct.embed(text, '{'))),
  ...refused(
    'G09',
    'a string that is longer than the message',
    one(mine, join(struct.string(text, '').subarray(0, -1), number(99))),
  ),
  { id: 'G09', what: 'a message of no kind', frames: ['7f'], expect: 4400 },
  { id: 'G09', what: 'a step of no kind', frames: ['00 03 00'], expect: 4400 },
  { id: 'G09', what: 'bytes behind the message', frames: [join(asUpdate(plain), Uint8Array.of(0))], expect: 4400 },
  { id: 'G09', what: 'only half of the message', frames: [asUpdate(plain).subarray(0, -3)], expect: 4400 },
  ...['0a 01', '0b 01 01 01', '0c', '02 00 01 61'].map((frame): WireAttack => ({
    id: 'G09',
    what: `a message of the server: ${frame}`,
    frames: [frame],
    expect: 4400,
  })),
];

// ---- Structures of other clients ---------------------------------------------------------------

/** The clock of the owner's next change. */
const next = ({ owner }: Stage): number => Y.getState(owner.doc.store, ownersId);
const squats: WireAttack[] = [
  ...both(
    'G03',
    'clocks of the owner, as many as a million (V1)',
    (stage) => update([{ client: ownersId, clock: next(stage), structs: [struct.gc(999_000)] }]),
    4403,
    { reader: 'denied' },
  ),
  ...both('G03', 'the same from clocks that are known already', hex('010189060300c0843d00'), 4403, {
    reader: 'denied',
  }),
  ...both(
    'G03',
    'words in the mouth of the owner (V1)',
    (stage) =>
      update([
        {
          client: ownersId,
          clock: next(stage),
          structs: [struct.string({ behind: { client: ownersId, clock: next(stage) - 1 } }, 'I approve')],
        },
      ]),
    4403,
    { reader: 'denied' },
  ),
  ...both(
    'G03',
    'own words with one of the owner among them',
    (stage) =>
      update([
        { client: mine, clock: 0, structs: [struct.string(text, 'a')] },
        { client: ownersId, clock: next(stage), structs: [struct.gc(1)] },
      ]),
    4403,
    { reader: 'denied' },
  ),
  ...both('G03', 'what is known already, word for word', ({ owner }) => Y.encodeStateAsUpdate(owner.doc), 'taken', {
    reader: 'nothing',
  }),
];

const between = (left: number, right: number): Bytes =>
  one(
    mine,
    struct.string({ behind: { client: ownersId, clock: left }, before: { client: ownersId, clock: right } }, 'x'),
  );
const orders: WireAttack[] = [
  // The result depends on the order in which each peer receives updates: two people would see two texts for ever.
  ...refused('V1', 'a letter between two that stand the other way round', between(7, 3), { reader: 'denied' }),
  ...refused('V1', 'a letter behind and before the same one', between(5, 5), { reader: 'denied' }),
  ...taken('V1', 'a letter between two that have come to stand apart', between(3, 7)),
];

// ---- Deletions ---------------------------------------------------------------------------------

const deletions: WireAttack[] = [
  ...refused('G06', 'a deletion beyond what is known (V5)', hex('0001010100808080808020'), { reader: 'denied' }),
  ...refused(
    'G06',
    'all of the owner’s, and what they have yet to write',
    update([], [{ client: ownersId, ranges: [[0, 2 ** 31]] }]),
    { reader: 'denied' },
  ),
  ...taken(
    'G06',
    'all text, by a person who may write',
    update([], [{ client: ownersId, ranges: [[0, openingLength]] }]),
    {
      then: (stage) => {
        if (stage.actor === 'writer' || stage.actor === 'anonymous') expect(stage.witness.text.toString()).toBe('*');
      },
    },
  ),
];

// ---- Out of order ------------------------------------------------------------------------------

const gapped = (client: number, clock: number, letters: number): Bytes =>
  update([{ client, clock, structs: [struct.string(text, 'x'.repeat(letters))] }]);
const gaps: WireAttack[] = [
  ...both('G07', 'something that hangs on nothing', hex('010109e8070401047465787401780 0'), 'held'),
  ...both(
    'G07',
    'something behind a letter that nobody wrote',
    one(mine, struct.string({ behind: { client: 99, clock: 0 } }, 'a')),
    'held',
  ),
  ...both('G07', 'a hole where nobody has anything', one(mine, struct.skip(5), struct.string(text, 'a')), 'held'),
  {
    id: 'G07',
    what: 'more of it than a room keeps',
    frames: [1, 2, 3, 4, 5].map((n) => asUpdate(gapped(mine + n, 1000, 240_000))),
    expect: 4400,
    reader: 'denied',
  },
  {
    id: 'G08',
    what: '2000 of a kilobyte, each hanging on nothing (V7)',
    frames: Array.from({ length: 2000 }, (_, i) => asUpdate(gapped(mine, 900_000 - i * 400, 1000))),
    expect: 4429,
  },
  ...refused(
    'G07',
    'two letters that hang on each other',
    hex('02 01 09 00 84 08 00 01 78 01 08 00 84 09 00 01 79 00'),
    {
      reader: 'denied',
    },
  ),
  ...refused('G07', 'a letter that hangs on itself', one(9, struct.string({ behind: { client: 9, clock: 0 } }, 'x'))),
  ...refused('G07', 'a step of more than a million', gapped(mine, 1_000_001, 1)),
];

// ---- Content -----------------------------------------------------------------------------------

const contents: WireAttack[] = [
  ...taken('G10', 'U+0000 in the text (V12)', one(mine, struct.string(text, 'a\0b')), {
    then: ({ actor, witness }) => {
      if (actor === 'writer' || actor === 'anonymous') expect(witness.text.toString()).toContain('a\0b');
    },
  }),
  ...taken('G10', 'half of a letter of two (V12)', one(mine, struct.string(text, 'a\ud83d'))),
  ...taken(
    'G10',
    'characters that turn the direction, and invisible ones',
    one(mine, struct.string(text, '\u202eabc\u200b\ufeff')),
  ),
  ...refused('G14', 'a root nobody knows', hex('010109000401 0174 03 610062 00')),
  ...['__proto__', 'constructor', 'toString', ''].flatMap((root) =>
    refused('G14', `a root called ${root || 'nothing'}`, one(mine, struct.string({ root }, 'a'))),
  ),
  ...refused('G14', 'the text taken for a map', one(mine, struct.any({ root: 'text', key: 'a' }, [anything(1)]))),
  ...refused('G14', 'a map taken for a text', one(mine, struct.string({ root: 'speakers' }, 'a'))),
  ...refused('G14', 'a map taken for a list', one(mine, struct.any({ root: 'speakers' }, [anything(1)]))),
  ...refused('G14', 'an element in the transcript', one(mine, struct.type(text, 3, 'script'))),
  ...refused('G14', 'a fragment in a map of the transcript', one(mine, struct.type(about(), 4))),
  ...refused('G14', 'a document in a document', one(mine, struct.doc(about()))),
  ...refused('G14', 'content of an older Yjs', one(mine, struct.json(about(), ['1']))),
  ...refused('G14', 'formatting in the transcript', one(mine, struct.format(text, 'bold', 'true'))),
  ...[
    ['a script', struct.type({ root: 'notes' }, 3, 'script')],
    ['a frame', struct.type({ root: 'notes' }, 3, 'iframe')],
    ['a hook', struct.type({ root: 'notes' }, 5, 'hook')],
    ['an element called __proto__', struct.type({ root: 'notes' }, 3, '__proto__')],
  ].map((given): WireAttack => {
    const [what, content] = given as [string, Bytes];
    return {
      id: 'G14',
      what: `${what} in the notes`,
      part: 'notes',
      as: ['reader', 'writer'],
      frames: [asUpdate(one(mine, content))],
      expect: 4400,
    };
  }),
  ...(
    [
      ['onclick', 'alert(1)'],
      ['href', 'javascript:alert(1)'],
      ['style', 'background:url(https://evil.example)'],
    ] as const
  ).map(([name, value]): WireAttack => ({
    id: 'G14',
    what: `an attribute ${name} in the notes`,
    part: 'notes',
    as: ['reader', 'writer'],
    frames: [
      asUpdate(
        one(
          mine,
          struct.type({ root: 'notes' }, 3, 'paragraph'),
          struct.any({ inside: { client: mine, clock: 0 }, key: name }, [anything(value)]),
        ),
      ),
    ],
    expect: 4400,
  })),
  {
    id: 'G14',
    what: 'a link by a script in the notes',
    part: 'notes',
    as: ['reader', 'writer'],
    frames: [
      asUpdate(
        one(
          mine,
          struct.type({ root: 'notes' }, 3, 'paragraph'),
          struct.type({ inside: { client: mine, clock: 0 } }, 6),
          struct.format({ inside: { client: mine, clock: 1 } }, 'link', '{"href":"javascript:alert(1)"}'),
          struct.string({ behind: { client: mine, clock: 2 } }, 'here'),
        ),
      ),
    ],
    expect: 4400,
  },
  ...(['outcomes', 'comments'] as const).map((part): WireAttack => ({
    id: 'G24',
    what: `a structure of one’s own in the ${part}, which only the server writes (R8)`,
    part,
    frames: [asUpdate(one(mine, struct.any({ root: part, key: 'a' }, [anything({ author: 'Ann' })])))],
    expect: 'denied',
    reader: 'denied',
  })),
];

// ---- Values ------------------------------------------------------------------------------------

const values: WireAttack[] = [
  ...refused('V8', 'arrays in arrays, 5000 deep', one(mine, struct.any(about(), [nested(5000)]))),
  ...refused(
    'V8',
    `arrays in arrays, one deeper than ${limits.depth}`,
    one(mine, struct.any(about(), [nested(limits.depth + 2)])),
  ),
  ...taken('V8', `arrays in arrays, ${limits.depth} deep`, one(mine, struct.any(about(), [nested(limits.depth)]))),
  ...refused('V8', 'an embed 5000 deep', one(mine, struct.embed(text, '['.repeat(5000) + ']'.repeat(5000)))),
  ...refused(
    'V8',
    'maps in maps, 10,000 deep',
    () =>
      one(
        mine,
        struct.type(about(), 1),
        ...Array.from({ length: 10_000 }, (_, clock) => struct.type({ inside: { client: mine, clock }, key: 'a' }, 1)),
      ),
    // The fault only shows once the update is built, and nothing is built for people who may not write.
    { reader: 'denied' },
  ),
  ...refused('V9', 'a value with __proto__', one(mine, struct.any(about(), [bytesOfProto()]))),
  ...refused('V9', 'an embed with __proto__', one(mine, struct.embed(text, '{"__proto__":{"isAdmin":true}}'))),
  ...refused('V9', 'a key __proto__', one(mine, struct.any(about('__proto__'), [anything(true)]))),
  ...refused(
    'G01',
    'a value of more than 64 KiB',
    one(mine, struct.any(about(), [anything('x'.repeat(limits.valueBytes + 8))])),
  ),
  ...taken(
    'G01',
    'a value of a little less than 64 KiB',
    one(mine, struct.any(about(), [anything('x'.repeat(limits.valueBytes - 8))])),
  ),
];

function bytesOfProto(): Bytes {
  return join(Uint8Array.of(118), number(1), word('__proto__'), anything({ isAdmin: true }));
}

// ---- Questions ---------------------------------------------------------------------------------

/** Enough bytes for an answer to count as a large one. */
const grow = async ({ owner, witness }: Stage): Promise<void> => {
  owner.text.insert(0, 'x'.repeat(100_000));
  await owner.allSaved();
  await witness.until(() => witness.text.length > 100_000);
};
const emptyQuestion = hex('00 00 01 00');
const questions: WireAttack[] = [
  {
    id: 'G11',
    what: 'the whole of a large document, a hundred times (V10)',
    prepare: grow,
    frames: Array.from({ length: 100 }, () => emptyQuestion),
    expect: 4429,
    then: (_, socket) => {
      const answers = framesOf(socket).filter(({ kind }) => kind === 'state').length;
      expect(answers).toBeLessThanOrEqual(limits.largeAnswersPerMinute);
    },
  },
  {
    id: 'G11',
    what: 'the whole of a large document, as often as is allowed',
    prepare: grow,
    frames: Array.from({ length: limits.largeAnswersPerMinute - 1 }, () => emptyQuestion),
    expect: 'nothing',
  },
  {
    id: 'G12',
    what: 'a state vector of four million bytes',
    frames: () => [asQuestion(stateVector(Array.from({ length: 500_000 }, (_, i) => [2 ** 32 - i, 1])))],
    expect: 1009,
  },
  {
    id: 'G12',
    what: 'a state vector of more than 20,000 entries',
    frames: () => [asQuestion(stateVector(Array.from({ length: 20_001 }, (_, i) => [30_000 - i, 1])))],
    expect: 4400,
  },
  ...(
    [
      [
        'a client twice',
        stateVector([
          [9, 1],
          [9, 2],
        ]),
      ],
      ['fewer entries than it says', join(number(3), number(9), number(1))],
      ['bytes behind the last entry', join(stateVector([[9, 1]]), Uint8Array.of(7))],
      ['more entries than there are bytes', number(2 ** 40)],
      ['nothing at all', new Uint8Array()],
    ] as const
  ).map(([what, vector]): WireAttack => ({
    id: 'G12',
    what: `a state vector with ${what}`,
    frames: [asQuestion(vector)],
    expect: 4400,
  })),
  {
    id: 'G12',
    what: 'a state vector whose ids rise, as other implementations write it',
    frames: [
      asQuestion(
        stateVector([
          [9, 1],
          [10, 1],
        ]),
      ),
    ],
    expect: 'nothing',
  },
];

// ---- Many client ids ---------------------------------------------------------------------------

const letterOf = (client: number) => ({ client, clock: 0, structs: [struct.string(text, 'a')] });
const manyIds = (count: number): Bytes => update(Array.from({ length: count }, (_, i) => letterOf(1_000_000 - i)));
const ids: WireAttack[] = [
  ...both('G16', '20,000 new client ids in one update', () => manyIds(20_000), 1013, { reader: 'denied' }),
  ...both(
    'G16',
    'one client id more than a person has in a day',
    () => manyIds(limits.clientIdsPerPersonAndDay + 1),
    1013,
    {
      reader: 'denied',
    },
  ),
  ...taken('G16', 'as many client ids as a person has in a day', () => manyIds(limits.clientIdsPerPersonAndDay)),
];

// ---- The other format --------------------------------------------------------------------------

const secondFormat: WireAttack[] = [
  ...refused('G18', 'format 2, with the vector that makes merging endless', vector687),
  ...refused('G18', 'the same behind a leading byte', join(Uint8Array.of(0), vector687)),
  ...refused('G18', 'an honest update in format 2', () => {
    const doc = new Y.Doc();
    doc.getText('text').insert(0, 'abc');
    return Y.encodeStateAsUpdateV2(doc);
  }),
];

// ---- Presence ----------------------------------------------------------------------------------

/** Makes the owner present before the attack. */
const beSeen = async ({ owner, witness }: Stage): Promise<void> => {
  owner.say({ kind: 'presence', update: presence([{ client: ownersId, clock: 1, json: '{"at":7}' }]).subarray(2) });
  await witness.until(() => witness.heard.some(({ bytes }) => bytes.includes('"at":7')));
};
/** A newcomer sees the owner's true presence, and nobody else. */
const ownerIsSeen = async (stage: Stage): Promise<void> => {
  const fresh = await stage.fresh();
  const seen = fresh.heard.find(({ frame }) => frame.kind === 'presence')?.bytes.toString() ?? '';
  expect(seen).toContain('"at":7');
  expect(seen).toContain('"name":"Ann Test"');
  expect(seen).not.toContain('CEO');
};
const own = (json: string, clock = 1): Bytes => presence([{ client: mine, clock, json }]);
const seenAs = (stage: Stage): string =>
  stage.witness.heard.findLast(({ frame }) => frame.kind === 'presence')?.bytes.toString() ?? '';

const presences: WireAttack[] = [
  {
    id: 'G20',
    what: 'another person’s presence, at a clock that nobody passes (V11)',
    prepare: beSeen,
    frames: [presence([{ client: ownersId, clock: 2 ** 53 - 2, json: '{"user":{"name":"Ann (CEO)"}}' }])],
    expect: 'nothing',
    then: ownerIsSeen,
  },
  {
    id: 'G20',
    what: 'that another person is gone',
    prepare: beSeen,
    frames: [presence([{ client: ownersId, clock: 2, json: 'null' }])],
    expect: 'nothing',
    then: ownerIsSeen,
  },
  {
    id: 'G20',
    what: '5000 ghosts',
    frames: [presence(Array.from({ length: 5000 }, (_, i) => ({ client: i + 1, clock: 1, json: '{"at":1}' })))],
    expect: 'nothing',
    // One socket has one state.
    seen: 1,
    then: (stage) => expect(seenAs(stage).split('"at":1').length - 1).toBe(1),
  },
  {
    id: 'G20',
    what: 'a few ghosts',
    frames: [presence(Array.from({ length: 5 }, (_, i) => ({ client: i + 1, clock: 1, json: '{"at":1}' })))],
    expect: 'nothing',
    // One socket has one state.
    seen: 1,
    then: async (stage) => {
      const fresh = await stage.fresh();
      const seen = fresh.heard.find(({ frame }) => frame.kind === 'presence')?.bytes.toString() ?? '';
      expect(seen.split('"at":1').length - 1).toBe(1);
    },
  },
  {
    id: 'G20',
    what: 'a presence of a megabyte',
    frames: [own(JSON.stringify({ at: 'x'.repeat(1_040_000) }))],
    expect: 'nothing',
    // Others see the presence, without any of its content.
    seen: 1,
    then: (stage) => expect(seenAs(stage)).not.toContain('xxx'),
  },
  {
    id: 'G20',
    what: 'a presence 10,000 deep',
    frames: [own(`{"cursor":${'['.repeat(2000)}${']'.repeat(2000)}}`)],
    expect: 'nothing',
    seen: 1,
    then: (stage) => expect(seenAs(stage)).not.toContain('[['),
  },
  ...['', '{', '7', '"a"', '[]', '{"a":1}}', 'undefined'].map((json): WireAttack => ({
    id: 'G20',
    what: `a presence that is ${json || 'nothing'}`,
    frames: [own(json)],
    expect: 4400,
  })),
  { id: 'G20', what: 'a presence of blanks and null', frames: [own(' null ')], expect: 'nothing' },
  { id: 'G20', what: 'bytes behind the presence', frames: ['01 02 00 00'], expect: 4400 },
  {
    id: 'G20',
    what: 'a hundred a second: what is too much is dropped',
    frames: Array.from({ length: 100 }, (_, i) => own('{"at":1}', i + 1)),
    attack: async (_, stage) => {
      await stage.witness.until(() => stage.witness.heard.some(({ bytes }) => bytes.includes('"at":1')));
      // A second later there is room for a question.
      await new Promise((resolve) => setTimeout(resolve, 1000));
    },
    expect: 'nothing',
    seen: { most: limits.presencePerSecond * 2 + 10 },
  },
  {
    id: 'G20',
    what: 'a first clock that cannot be passed',
    frames: [own('{"at":1}', 2 ** 53 - 2)],
    expect: 'nothing',
    // Others receive it under a clock of the server's own.
    seen: 1,
  },
  {
    id: 'G21',
    what: 'invented name, colour and fields',
    frames: [
      own(
        JSON.stringify({
          user: { id: 'ann', name: '<img src=x onerror=alert(1)>', color: 'url(https://evil.example)' },
          name: 'Ann (CEO)',
          cursor: { anchor: 1, head: 2, note: '<b>evil.example</b>', __proto__: { a: 1 } },
          at: 'javascript:alert(1)',
          onclick: 'evil.example',
        }),
      ),
    ],
    expect: 'nothing',
    seen: 1,
    then: (stage) => {
      const seen = seenAs(stage);
      expect(seen).toContain('"anchor":1');
      expect(seen).not.toMatch(/evil\.example|CEO|onclick|<|alert/);
      const name = stage.person ? /"name":"\w+ Test"/ : /"name":""/;
      expect(seen).toMatch(name);
      expect(seen).toMatch(/"color":"#[0-9a-f]{6}"/);
    },
  },
  {
    id: 'G21',
    what: 'a name of 10 kB',
    frames: [own(JSON.stringify({ user: { name: 'x'.repeat(10_000) } }))],
    expect: 'nothing',
    seen: 1,
    then: (stage) => expect(seenAs(stage)).not.toContain('xxx'),
  },
];

// ---- Traces of deleted text --------------------------------------------------------------------

const traces: WireAttack[] = [
  {
    id: 'V21',
    what: 'a client that asks for everything is not sent deleted text',
    prepare: async ({ owner }) => {
      owner.text.insert(0, 'a canary that was let go');
      owner.text.delete(0, 24);
      await owner.allSaved();
    },
    frames: [],
    expect: 'nothing',
    then: async (stage) => {
      // Encodes the document as a snapshot, which is what newcomers get.
      const doc = new Y.Doc();
      const fresh = await stage.fresh();
      Y.applyUpdate(doc, Y.encodeStateAsUpdate(fresh.doc));
      expect(Buffer.from(Y.encodeStateAsUpdate(doc)).includes('canary')).toBe(false);
      expect(doc.getText('text').toString()).toContain(openingText);
    },
  },
];

export const byteAttacks: WireAttack[] = [
  ...lengths,
  ...noUpdates,
  ...squats,
  ...orders,
  ...deletions,
  ...gaps,
  ...contents,
  ...values,
  ...questions,
  ...ids,
  ...secondFormat,
  ...presences,
  ...traces,
].map((attack) => ({
  // In the other wrapping by one who may write and one who may not: from there on the two go the same way.
  as: attack.what.endsWith(', as step 2') ? ['reader', 'writer'] : insiders,
  ...attack,
}));
