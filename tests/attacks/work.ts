// G15: small frames that once made a server work for seconds, each with the document it aims at.
import * as Y from 'yjs';
import { asQuestion, asState, asUpdate, stateVector, struct, update } from './forge.ts';

/** Frames of one person against a document. */
export interface WorkAttack {
  what: string;
  /** The document before. */
  document: () => Uint8Array;
  /** The sender of the frames; a writer by default. */
  as?: 'reader';
  frames: () => Uint8Array[];
  /** Close code of the socket, or null if it stays open. */
  ends: number | null;
}

const low = 5;
const own = 9;
const text = { root: 'text' };
const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const nothing = () => Y.encodeStateAsUpdate(new Y.Doc());
/** One stretch of letters. */
const stretch = (letters: number) => () =>
  update([{ client: low, clock: 0, structs: [struct.string(text, 'x'.repeat(letters))] }]);
/** Letters that were each typed at the start, every one a structure of its own. */
const letters = (count: number) => () =>
  update([
    {
      client: low,
      clock: 0,
      structs: repeat(count, (n) => struct.string(n === 0 ? text : { before: { client: low, clock: n - 1 } }, 'a')),
    },
  ]);
const roots = (client: number, count: number, clock = 0) =>
  update([{ client, clock, structs: repeat(count, () => struct.string(text, 'a')) }]);
const values = (client: number, count: number) =>
  update([
    { client, clock: 0, structs: repeat(count, () => struct.binary({ root: 'timings', key: '1' }, Uint8Array.of(1))) },
  ]);
/** A document of many structures, half of them deleted here and there. */
const shredded = (count: number) => () =>
  update(
    [{ client: low, clock: 0, structs: [struct.string(text, 'x'.repeat(count))] }],
    [{ client: low, ranges: repeat(count / 2, (n): [number, number] => [2 * n, 1]) }],
  );

export const workAttacks: WorkAttack[] = [
  {
    what: 'letters at the start, behind as many of a lower client id',
    document: () => roots(low, 8000),
    frames: () => [asUpdate(roots(own, 8000))],
    ends: 4400,
  },
  {
    what: 'the same, one by one',
    document: () => roots(low, 20_000),
    frames: () => repeat(290, (n) => asUpdate(roots(own, 1, n))),
    ends: 4429,
  },
  {
    what: 'values of one key, behind as many of a lower client id',
    document: () => values(low, 3000),
    frames: () => [asUpdate(values(own, 5000))],
    ends: 4400,
  },
  {
    what: 'two new client ids in each update',
    document: letters(20_000),
    frames: () =>
      repeat(50, (n) =>
        asUpdate(
          update(
            [1, 2].map((k) => ({
              client: 100 + 2 * n + k,
              clock: 0,
              structs: [struct.string({ behind: { client: low, clock: 0 } }, 'a')],
            })),
          ),
        ),
      ),
    ends: null,
  },
  {
    what: 'letters between neighbours far apart',
    document: letters(40_000),
    frames: () => [
      asUpdate(
        update([
          {
            client: own,
            clock: 0,
            structs: repeat(4000, (n) =>
              struct.string({ behind: { client: low, clock: 39_990 - n }, before: { client: low, clock: n } }, 'a'),
            ),
          },
        ]),
      ),
    ],
    ends: 4400,
  },
  {
    what: 'structures of two clients that hang on each other in a circle',
    document: letters(20_000),
    frames: () => [
      asUpdate(
        update([
          { client: 11, clock: 0, structs: [struct.string({ behind: { client: 12, clock: 0 } }, 'a')] },
          { client: 12, clock: 0, structs: [struct.string({ behind: { client: 11, clock: 0 } }, 'a')] },
        ]),
      ),
    ],
    ends: 4400,
  },
  {
    what: 'every other letter of a long stretch deleted',
    document: stretch(40_000),
    frames: () => [
      asUpdate(update([], [{ client: low, ranges: repeat(20_000, (n): [number, number] => [2 * n, 1]) }])),
    ],
    ends: null,
  },
  {
    what: 'every other letter of a very long stretch deleted',
    document: stretch(400_000),
    frames: () => [
      asUpdate(update([], [{ client: low, ranges: repeat(110_000, (n): [number, number] => [2 * n, 1]) }])),
    ],
    ends: 4400,
  },
  {
    what: 'letters far apart in a long stretch, as many as one update may bring',
    document: stretch(400_000),
    frames: () => [
      asUpdate(
        update([
          {
            client: own,
            clock: 0,
            structs: repeat(19_000, (n) =>
              struct.string(
                { behind: { client: low, clock: 20 * n }, before: { client: low, clock: 20 * n + 1 } },
                'a',
              ),
            ),
          },
        ]),
      ),
    ],
    ends: null,
  },
  {
    what: 'what is deleted deleted again, over and over',
    document: () =>
      update(
        [
          {
            client: low,
            clock: 0,
            structs: repeat(20_000, (n) =>
              struct.deleted(n === 0 ? text : { before: { client: low, clock: n - 1 } }, 1),
            ),
          },
        ],
        [{ client: low, ranges: [[0, 20_000]] }],
      ),
    frames: () =>
      repeat(20, () =>
        asUpdate(update([], [{ client: low, ranges: repeat(2000, (): [number, number] => [0, 20_000]) }])),
      ),
    ends: 4400,
  },
  {
    what: 'the same by somebody who may only read',
    as: 'reader',
    document: shredded(40_000),
    frames: () =>
      repeat(20, () =>
        asState(update([], [{ client: low, ranges: repeat(10_000, (n): [number, number] => [2 * n, 1]) }])),
      ),
    ends: null,
  },
  {
    what: 'questions with a new state vector each, by somebody who may only read',
    as: 'reader',
    document: letters(40_000),
    frames: () => repeat(15, (n) => asQuestion(stateVector([[low, 40_000 - n]]))),
    ends: 4429,
  },
  {
    what: 'an update of as many structures as one may have',
    document: nothing,
    frames: () => [
      asUpdate(
        update([
          {
            client: own,
            clock: 0,
            structs: repeat(20_000, (n) =>
              struct.string(n === 0 ? text : { before: { client: own, clock: n - 1 } }, 'a'),
            ),
          },
        ]),
      ),
    ],
    ends: null,
  },
  {
    what: 'a document of many structures deleted by one range',
    document: letters(60_000),
    frames: () => [asUpdate(update([], [{ client: low, ranges: [[0, 60_000]] }]))],
    ends: null,
  },
];
