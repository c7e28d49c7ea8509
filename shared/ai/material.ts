import type * as Y from 'yjs';
import { redact, redactText } from '../formats/redact.ts';
import { spokenDocument } from '../formats/spoken.ts';
import { readTimed } from '../meetings/entries.ts';
import type { Word } from '../meetings/words.ts';
import type { AnswerPart } from './answer.ts';
import { clockTime, linesOf, oneLine, type Line } from './lines.ts';
import { quoteFinder } from './verify.ts';
import type { StoredPart } from './views.ts';

// Material that an assistant reads of a recording, and the places in it that an assistant cites.

type SaidWord = Pick<Word, 'at' | 'text' | 'from' | 'to'>;

/** A paragraph, without what is hidden in it. */
interface Turn {
  speaker: string;
  /** Milliseconds. */
  from: number;
  segment: { text: string; words: readonly SaidWord[] };
}

export interface Material {
  turns: readonly Turn[];
  lines: readonly Line[];
  chapters: readonly string[];
}

/** Material of a transcript’s document. */
export function materialIn(doc: Y.Doc): Material {
  const { turns } = redact(spokenDocument(doc));
  const lines = linesOf(turns.map(({ name, from, segment }) => ({ name, from, text: segment.text })));
  const chapters = readTimed(doc, 'toc').map(
    ({ start, title }) => `${clockTime(start * 1000)} ${oneLine(redactText(title))}`,
  );
  return { turns, lines, chapters };
}

// ---- Material between threads ---------------------------------------------------------------------

/** Place, length, begin and end of each word. */
const numbers = 4;

/** Packs material with its words as numbers, which take no time on the way from thread to thread. */
export function packMaterial({ turns, lines, chapters }: Material) {
  /** Index of the first word of each turn. */
  const firsts = new Uint32Array(turns.length + 1);
  for (const [nth, { segment }] of turns.entries()) firsts[nth + 1] = (firsts[nth] ?? 0) + segment.words.length;
  const words = new Float64Array((firsts.at(-1) ?? 0) * numbers);
  let next = 0;
  for (const { segment } of turns)
    for (const { at, text, from, to } of segment.words) {
      words.set([at, text.length, from, to], next);
      next += numbers;
    }
  return {
    turns: turns.map(({ speaker, from, segment }) => ({ speaker, from, text: segment.text })),
    ...{ lines, chapters, words, firsts },
  };
}

/** The words of a paragraph become objects where somebody asks for them. */
export const unpackMaterial = ({
  turns,
  lines,
  chapters,
  words,
  firsts,
}: ReturnType<typeof packMaterial>): Material => ({
  turns: turns.map(({ speaker, from, text }, nth) => ({
    ...{ speaker, from },
    segment: {
      text,
      get words(): SaidWord[] {
        const first = firsts[nth] ?? 0;
        return Array.from({ length: (firsts[nth + 1] ?? first) - first }, (_, i) => {
          const at = (first + i) * numbers;
          const [place = 0, length = 0, begin = 0, end = 0] = words.subarray(at, at + numbers);
          return { at: place, text: text.slice(place, place + length), from: begin, to: end };
        });
      },
    },
  })),
  lines,
  chapters,
});

// ---- Quotes ---------------------------------------------------------------------------------------

/** Words of a place in a paragraph and when they were said, in seconds. */
function quoteAt(turn: Turn, from: number, to: number): { text: string; start: number; end: number } {
  const { text, words } = turn.segment;
  const said = words.filter((word) => word.at < to && word.at + word.text.length > from);
  const start = said[0]?.from ?? turn.from;
  const end = said.reduce((last, word) => Math.max(last, word.to), start);
  return { text: oneLine(text.slice(from, to)), start: start / 1000, end: end / 1000 };
}

/** Looks up a quote in the lines that were sent; `speaker` is the id of the person who said it. */
export function quoteLookup(material: Material, lines: readonly Line[]) {
  const find = quoteFinder(lines);
  return (cite: AnswerPart['cites'][number]): { quote: ReturnType<typeof quoteAt>; speaker: string } | null => {
    const place = find(cite);
    const turn = place && material.turns[place.paragraph];
    return turn ? { quote: quoteAt(turn, place.from, place.to), speaker: turn.speaker } : null;
  };
}

/** The same for the quotes of a part. */
export function partChecker(material: Material, lines: readonly Line[]): (part: AnswerPart) => StoredPart {
  const look = quoteLookup(material, lines);
  return ({ text, cites }) => {
    const quotes = cites.flatMap((cite) => look(cite)?.quote ?? []);
    return { text, quotes, struck: cites.length - quotes.length };
  };
}

/**
 * Parts that were checked earlier, with those of their quotes that the transcript has now: what was deleted from it since
 * is shown to nobody, and what moved plays where it is.
 */
export function partsNow(material: Material, parts: readonly StoredPart[]): StoredPart[] {
  const check = partChecker(material, material.lines);
  return parts.map((part) => {
    const cites = part.quotes.map(({ text, start }) => ({
      quote: text,
      line: material.lines.findLast(({ from }) => from <= start * 1000)?.nth ?? 1,
    }));
    const { quotes, struck } = check({ text: part.text, cites });
    return { ...part, quotes, struck: part.struck + struck };
  });
}
