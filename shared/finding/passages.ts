import { hiddenParts, mayHide, type Stretch } from '../formats/redact.ts';
import { stemLexeme, tokensOf, type Token } from './tokens.ts';

// Passages: what is indexed of a recording, and where in it a word stands.

export const passageKinds = [
  'title',
  'tag',
  'speaker',
  'chapter',
  'outcome',
  'grade',
  'comment',
  'summary',
  'note',
  'words',
] as const;
export type PassageKind = (typeof passageKinds)[number];

/** Indexed part of a room: its texts, in their order. */
export interface Source {
  kind: PassageKind;
  /** Id of the annotation, chapter or speaker. */
  key: string;
  /** Milliseconds; null for what has no place in the recording. */
  fromMs: number | null;
  paragraphs: readonly Paragraph[];
  /** For outcomes, and grades of a sheet. */
  type?: string | null;
  grade?: number | null;
}

export interface Paragraph {
  /** Id of its segment; empty outside transcripts. */
  segment: string;
  /** Speaker, as an open brace hides no words of others. */
  speaker: string;
  text: string;
  /** Times of its words, ascending by position. */
  words: readonly { at: number; from: number; to: number }[];
}

export interface Passage {
  kind: PassageKind;
  key: string;
  /** With the words in curly braces, for people who may write; the same passage without them is another one. */
  braces: boolean;
  fromMs: number | null;
  /** Paragraphs, with a line end between them. */
  body: string;
  /** Segment of each paragraph. */
  segments: string[];
  /** Milliseconds at which each token begins and ends, packed; empty without times. */
  times: Uint8Array;
  type: string | null;
  grade: number | null;
}

/** Names a passage in its room. */
export const passageId = ({ kind, key, braces }: Pick<Passage, 'kind' | 'key' | 'braces'>): string =>
  `${kind} ${braces ? 1 : 0} ${key}`;

/** Stands in a body for text that is not shown; no letter, so it is never found. */
export const hiddenMark = '\uFFFC';

/** Paragraphs of a passage are so far apart that no phrase reaches from one into the next. */
const gap = 20;
const fewestWords = 200;
const mostWords = 400;
const overlap = 20;

export interface Placed extends Token {
  /** Position in the passage's vector. */
  position: number;
}

/** Tokens of a body with their positions, the same whenever they are computed. */
export function placedTokens(body: string): Placed[] {
  const placed: Placed[] = [];
  let position = 0;
  let start = 0;
  for (const paragraph of body.split('\n')) {
    for (const { word, kind, at, length } of tokensOf(paragraph)) {
      position += 1;
      placed.push({ word, kind, at: at + start, length, position });
    }
    position += gap;
    start += paragraph.length + 1;
  }
  return placed;
}

/** Positions of a body's lexemes: each word by its form, and by its stem where that is another. */
export function vectorOf(placed: readonly Placed[], stemOf: (word: string) => string | null): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  const add = (lexeme: string, position: number) => {
    const known = positions.get(lexeme);
    if (known) known.push(position);
    else positions.set(lexeme, [position]);
  };
  for (const { word, kind, position } of placed) {
    add(word, position);
    const stem = kind === 'word' ? stemOf(word) : null;
    if (stem !== null && stem !== word) add(stemLexeme(stem), position);
  }
  return positions;
}

const plain = (text: string): string => text.replaceAll(/[\n\r\uFFFC\0]/g, ' ');

/** Text with hidden parts replaced, widened to whole words: the rest of a word would give it away. */
function withoutHidden(text: string, hidden: readonly Stretch[]): { text: string; originOf: (at: number) => number } {
  const cuts: { at: number; shift: number }[] = [];
  let shown = '';
  let end = 0;
  const letter = /[\p{L}\p{N}\p{M}]/u;
  for (const { from, to } of hidden) {
    let [first, last] = [Math.max(from, end), Math.max(to, end)];
    while (first > end && letter.test(text[first - 1] ?? '')) first -= 1;
    while (last < text.length && letter.test(text[last] ?? '')) last += 1;
    if (first === last) continue;
    shown += text.slice(end, first) + hiddenMark;
    end = last;
    cuts.push({ at: shown.length, shift: last - shown.length });
  }
  shown += text.slice(end);
  return { text: shown, originOf: (at) => at + (cuts.findLast((cut) => cut.at <= at)?.shift ?? 0) };
}

interface Line {
  segment: string;
  text: string;
  times: (readonly [from: number, to: number])[];
  tokens: readonly Token[];
}

function lineOf({ segment, text, words }: Paragraph, hidden: readonly Stretch[]): Line {
  const { text: shown, originOf } = withoutHidden(plain(text), hidden);
  const tokens = tokensOf(shown);
  let next = 0;
  const times =
    words.length === 0
      ? []
      : tokens.map(({ at }) => {
          const origin = originOf(at);
          while ((words[next + 1]?.at ?? Infinity) <= origin) next += 1;
          const { from = 0, to = 0 } = words[next] ?? {};
          return [Math.round(from), Math.round(Math.max(from, to))] as const;
        });
  return { segment, text: shown, times, tokens };
}

/** Passages of a room's texts. With `redacted`, those with words in braces come in both forms. */
export function passagesOf(sources: readonly Source[], redacted: boolean): Passage[] {
  const passages: Passage[] = [];
  const known = new Set<string>();
  for (const source of sources) {
    const { paragraphs } = source;
    const texts = paragraphs.map(({ text }) => text);
    const hidden =
      redacted && texts.some(mayHide) ? hiddenParts(texts, (nth) => paragraphs[nth]?.speaker) : texts.map(() => []);
    for (const [from, to] of groupsOf(paragraphs)) {
      const group = paragraphs.slice(from, to);
      const hides = hidden.slice(from, to).some((one) => one.length > 0);
      let key = source.kind === 'words' ? (group[0]?.segment ?? '') : source.key;
      // Programs may write two segments of one id.
      while (known.has(`${source.kind} ${key}`)) key += '~';
      known.add(`${source.kind} ${key}`);
      const open = group.map((one, nth) => lineOf(one, hidden[from + nth] ?? []));
      passages.push(...cut(source, key, false, open));
      if (hides)
        passages.push(
          ...cut(
            source,
            key,
            true,
            group.map((one) => lineOf(one, [])),
          ),
        );
    }
  }
  return passages;
}

/**
 * Paragraphs of each passage. A passage ends where a paragraph's id says so, and so an edit moves no other border than
 * those beside it.
 */
function* groupsOf(paragraphs: readonly Paragraph[]): Generator<[from: number, to: number]> {
  let from = 0;
  let words = 0;
  for (const [nth, { segment, text }] of paragraphs.entries()) {
    const count = tokensOf(text).length;
    if (nth > from && words + count > mostWords) {
      yield [from, nth];
      [from, words] = [nth, 0];
    }
    words += count;
    if (words >= fewestWords && hash(segment) % 4 === 0) {
      yield [from, nth + 1];
      [from, words] = [nth + 1, 0];
    }
  }
  if (from < paragraphs.length) yield [from, paragraphs.length];
}

function hash(text: string): number {
  let sum = 2_166_136_261;
  for (const letter of text) sum = Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return sum >>> 0;
}

/** Rows of one passage: more than one where a single paragraph is too long, which then overlap. */
function cut(
  { kind, fromMs, type = null, grade = null }: Source,
  key: string,
  braces: boolean,
  lines: Line[],
): Passage[] {
  const make = (nth: number, part: readonly Line[]): Passage => {
    const times = part.flatMap((line) => line.times);
    return {
      kind,
      key: nth === 0 ? key : `${key}#${nth}`,
      braces,
      fromMs: kind === 'words' ? (times[0]?.[0] ?? 0) : fromMs,
      body: part.map(({ text }) => text).join('\n'),
      segments: part.map(({ segment }) => segment),
      times: packTimes(times),
      // The parts of a long text are one outcome.
      type: nth === 0 ? type : null,
      grade: nth === 0 ? grade : null,
    };
  };
  const [only] = lines;
  const found: Passage[] = [];
  if (lines.length === 1 && only && only.tokens.length > mostWords)
    for (let from = 0, nth = 0; from < only.tokens.length; from += mostWords - overlap, nth += 1) {
      const to = Math.min(only.tokens.length, from + mostWords);
      const begin = from === 0 ? 0 : (only.tokens[from]?.at ?? 0);
      const end = only.tokens[to]?.at ?? only.text.length;
      const times = only.times.slice(from, to);
      const text = only.text.slice(begin, end);
      found.push(make(nth, [{ segment: only.segment, text, times, tokens: [] }]));
      if (to === only.tokens.length) break;
    }
  // Without words, it is found by its type and grade.
  else if (type !== null || lines.some(({ tokens }) => tokens.length > 0)) found.push(make(0, lines));
  return found;
}

// ---- Times --------------------------------------------------------------------------------------

/** Differences as variable-length numbers: 2-3 bytes a word. */
function packTimes(times: readonly (readonly [number, number])[]): Uint8Array {
  const bytes: number[] = [];
  const put = (value: number) => {
    // Zigzag: times of edited words may go back.
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    while (rest > 127) {
      bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    bytes.push(rest);
  };
  let before = 0;
  for (const [from, to] of times) {
    put(from - before);
    put(to - from);
    before = from;
  }
  return Uint8Array.from(bytes);
}

export function unpackTimes(bytes: Uint8Array): { from: number; to: number }[] {
  const values: number[] = [];
  let [value, unit] = [0, 1];
  for (const byte of bytes) {
    value += (byte % 128) * unit;
    unit *= 128;
    if (byte > 127) continue;
    values.push(value % 2 === 1 ? -(value + 1) / 2 : value / 2);
    [value, unit] = [0, 1];
  }
  const times: { from: number; to: number }[] = [];
  let from = 0;
  for (let i = 0; i + 1 < values.length; i += 2) {
    from += values[i] ?? 0;
    times.push({ from, to: from + (values[i + 1] ?? 0) });
  }
  return times;
}
