import type * as Y from 'yjs';
import { placesOf, saidIn, type Anchored } from '../meetings/anchors.ts';
import type { Outcome } from '../meetings/annotations.ts';
import { voiceNotes, type OutcomeType } from '../meetings/outcome-types.ts';
import { readWords, type Reading } from '../meetings/words.ts';
import type { AgreementView } from './agreement-view.ts';
import type { Assessment } from './assessments.ts';
import { calibrate, type Calibrated } from './calibration.ts';
import { besidePeople } from './suggested.ts';
import { mostDisputed, overlap, wordAgreementOf, type Marking, type Passage } from './unitizing.ts';

// Passages that people of a review marked, as stretches of the present words. They take longer the longer a transcript is, so
// that of a long one a thread finds it (server/rooms/whole-readings.ts): all that goes in and comes out is plain data.

/** Outcomes of one person, or of the machine. */
export interface Marks {
  reviewerId?: string;
  outcomes: readonly (Anchored & Pick<Outcome, 'type'>)[];
}

type Competency = AgreementView['competencies'][number];

/** How far people agree on words, and the passages of each type on which they do not. */
export function markedWords(
  doc: Y.Doc,
  generation: number,
  assessed: readonly Marks[],
): Pick<AgreementView, 'words'> & { disputed: ReadonlyMap<string, Competency['passages']> } {
  const { markings, said } = markingsIn(doc, generation, assessed);
  const disputed = [...markings].map(([type, marking]) => {
    const passages = mostDisputed(marking).map(({ from, to, pairs }) => {
      const marks = marking.people.map((one) => one.some((passage) => overlap(passage, { from, to })));
      return {
        ...said({ from, to }),
        pairs,
        by: assessed.flatMap(({ reviewerId }, i) => (marks[i] ? (reviewerId ?? []) : [])),
      };
    });
    return [type, passages] as const;
  });
  return { words: wordAgreementOf(markings), disputed: new Map(disputed) };
}

/** Suggestions, the last ones, beside what people marked. */
export const markedBeside = (doc: Y.Doc, generation: number, all: readonly Marks[]): AgreementView['machine'] =>
  besidePeople(markingsIn(doc, generation, all).markings);

export interface Calibrating {
  types: readonly OutcomeType[];
  /** Assessments of the key, and those that are calibrated. */
  ofKey: readonly Marks[];
  people: readonly (Assessment & Marks)[];
  grades: ReadonlyMap<string, number>;
}

/** Assessments beside a key. */
export function calibrated(
  doc: Y.Doc,
  generation: number,
  { types, ofKey, people, grades }: Calibrating,
): Calibrated[] {
  const { markings, said } = markingsIn(doc, generation, [...ofKey, ...people]);
  return people.map((one, i) =>
    calibrate(
      types,
      one,
      grades,
      (type) => {
        const marking = markings.get(type);
        if (!marking) return null;
        const key = { words: marking.words, people: marking.people.slice(0, ofKey.length) };
        return { key, own: marking.people[ofKey.length + i] ?? [] };
      },
      said,
    ),
  );
}

interface Marked {
  markings: ReadonlyMap<string, Marking>;
  said(passage: Passage): { quote: string; start: number; end: number };
}

/** Passages of each person and type as stretches of the words there are now. */
function markingsIn(doc: Y.Doc, generation: number, assessed: readonly Marks[]): Marked {
  const reading = readWords(doc);
  const words = wordEdges(reading);
  const all = assessed.flatMap(({ outcomes }) => outcomes);
  const places = placesOf(doc, reading, generation, all);
  const placed = new Map(all.map((outcome, i) => [outcome, places[i] ?? null]));
  const types = [...new Set(all.map(({ type }) => type))].filter((type) => type !== voiceNotes.id);
  const markings = types.map((type): [string, Marking] => {
    const people = assessed.map(({ outcomes }) =>
      outcomes.flatMap((outcome): Passage[] => {
        const place = outcome.type === type ? (placed.get(outcome) ?? null) : null;
        return place ? [wordsIn(words, place)] : [];
      }),
    );
    return [type, { words: words.length, people }];
  });
  return {
    markings: new Map(markings),
    said: ({ from, to }) => saidIn(reading, words[from]?.from ?? 0, words[to - 1]?.to ?? 0),
  };
}

interface Edges {
  from: number;
  to: number;
}

/** Flat positions of all words, in their order. */
const wordEdges = ({ segments, starts }: Reading): Edges[] =>
  segments.flatMap((segment, i) =>
    segment.words.map(({ at, text }) => {
      const from = (starts[i] ?? 0) + at;
      return { from, to: from + text.length };
    }),
  );

/** Words that a stretch of text touches. */
function wordsIn(words: readonly Edges[], { from, to }: Edges): Passage {
  const first = firstWhere(words, (word) => word.to > from);
  return {
    from: first,
    to: Math.max(
      first,
      firstWhere(words, (word) => word.from >= to),
    ),
  };
}

/** Index of the first word that has what all later ones have, too. */
function firstWhere(words: readonly Edges[], has: (word: Edges) => boolean): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const word = words[middle];
    if (word && has(word)) high = middle;
    else low = middle + 1;
  }
  return low;
}
