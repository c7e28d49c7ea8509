import type { Author, Annotation } from '../meetings/annotations.ts';
import { plainText, readRichText, type RichNode } from '../meetings/rich-text.ts';
import type { Word } from '../meetings/words.ts';
import type { Said } from './said.ts';
import { printable, type SpokenDocument, type SpokenTurn } from './spoken.ts';

// Curly braces mark personal data: TranscribeMe delivers them, and anybody may type them.

export const redactedWord = '[redacted]';
/**
 * Reach of an unclosed brace: so many texts of the same speaker, because a split may have separated it from its end.
 */
const mostUnclosed = 5;

export interface Stretch {
  from: number;
  to: number;
}

// Full-width braces count too; Chinese keyboards have them on the same keys.
const brace = /[{}｛｝]/g;
const opening = /[{｛]/;
const isOpening = (mark: string): boolean => opening.test(mark);

export const mayHide = (text: string): boolean => opening.test(text);

/** Hidden part of one text; `begins` is false for the continuation of a part in an earlier text. */
interface Part extends Stretch {
  begins: boolean;
}

const endsOf = (texts: readonly string[]): number[] => {
  let end = 0;
  return texts.map(({ length }) => (end += length));
};

/** Index of the text that contains a position of the joined texts. */
function textAt(ends: readonly number[], place: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Hidden ranges in consecutive texts. Matching braces hide everything between them, over any number of texts; each
 * closing brace matches the last open one. An unclosed brace hides up to the end of its text and of a few more of the
 * same speaker: rather too much than too little, but never the rest of a recording.
 */
function hiddenIn(texts: readonly string[], voiceOf: (nth: number) => unknown): Stretch[] {
  if (!texts.some(mayHide)) return [];
  const ends = endsOf(texts);
  const endAt = (nth: number) => ends[nth] ?? 0;
  const reachOf = (nth: number): number => {
    let last = nth;
    const most = Math.min(texts.length, nth + mostUnclosed);
    while (last + 1 < most && voiceOf(last + 1) === voiceOf(nth)) last += 1;
    return endAt(last);
  };
  const hidden: (Stretch & { unclosed: boolean })[] = [];
  for (const { from, to } of pairsIn(texts.join(''))) {
    const before = hidden.at(-1);
    const inside = before !== undefined && from < before.to;
    const unclosed = to === null || (inside && before.unclosed);
    // Within the reach of an unclosed brace, a pair that ends in a later text hides that text to its end.
    const until = to === null ? reachOf(textAt(ends, from)) : unclosed ? endAt(textAt(ends, to - 1)) : to;
    if (inside) before.to = Math.max(before.to, until);
    else hidden.push({ from, to: until, unclosed });
  }
  return hidden;
}

/** Hidden ranges cut into the parts of each text. */
function partsOf(texts: readonly string[], hidden: readonly Stretch[]): Part[][] {
  const parts = texts.map((): Part[] => []);
  const ends = endsOf(texts);
  for (const { from, to } of hidden)
    for (let nth = textAt(ends, from); nth < texts.length; nth += 1) {
      const begin = nth === 0 ? 0 : (ends[nth - 1] ?? 0);
      if (begin >= to) break;
      const part = { from: Math.max(begin, from) - begin, to: Math.min(ends[nth] ?? 0, to) - begin };
      if (part.from < part.to) parts[nth]?.push({ ...part, begins: from >= begin });
    }
  return parts;
}

/** Pairs in the order they open; `to` is null for an unclosed brace. */
function pairsIn(whole: string): { from: number; to: number | null }[] {
  const pairs: { from: number; to: number | null }[] = [];
  const open: { to: number | null }[] = [];
  for (const { 0: mark, index } of whole.matchAll(brace)) {
    if (isOpening(mark)) {
      const pair = { from: index, to: null };
      pairs.push(pair);
      open.push(pair);
    } else {
      const pair = open.pop();
      if (pair) pair.to = index + 1;
    }
  }
  return pairs;
}

function without<T extends Stretch>(
  text: string,
  hidden: readonly T[],
  wordFor: (one: T) => string = () => redactedWord,
) {
  let at = 0;
  const shownParts = hidden.map((one) => {
    const before = text.slice(at, one.from);
    at = one.to;
    return before + wordFor(one);
  });
  return shownParts.join('') + text.slice(at);
}

/** Hidden parts of each of these consecutive texts; `voiceOf` tells who speaks one. */
export const hiddenParts = (texts: readonly string[], voiceOf: (nth: number) => unknown): Stretch[][] =>
  partsOf(texts, hiddenIn(texts, voiceOf));

/** Hidden parts of paragraphs, extended to whole words. */
export const hiddenWords = (
  paragraphs: readonly { text: string; words: readonly Word[]; speaker: string }[],
): Stretch[][] =>
  hiddenParts(
    paragraphs.map(({ text }) => text),
    (nth) => paragraphs[nth]?.speaker,
  ).map((hidden, nth) => {
    const { text = '', words = [] } = paragraphs[nth] ?? {};
    return hidden.length === 0 ? [] : widened(text, hidden, words).map(({ from, to }) => ({ from, to }));
  });

function textsWithout(texts: readonly string[]): string[] {
  const parts = partsOf(
    texts,
    hiddenIn(texts, (nth) => nth),
  );
  return texts.map((text, nth) => without(text, parts[nth] ?? []));
}

export const redactText = (text: string): string => textsWithout([text])[0] ?? '';

/** Hidden range extended to whole words, whose remaining letters would give them away. Closing punctuation stays. */
interface Wide extends Stretch {
  words: { first: Word; last: Word } | null;
}

const endOf = ({ at, text }: Word): number => at + text.length;
const tells = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

function widened(text: string, hidden: readonly Stretch[], words: readonly Word[]): Wide[] {
  const wide: Wide[] = [];
  let next = 0;
  for (const { from, to } of hidden) {
    let one = words[next];
    while (one && endOf(one) <= from) one = words[++next];
    const first = one && one.at < to ? one : null;
    let last = first;
    // The last word is not passed: the next hidden range may begin in it.
    for (let more = words[next + 1]; last && more && more.at < to; more = words[next + 1]) {
      last = more;
      next += 1;
    }
    const found: Wide = { from, to, words: first && last && { first, last } };
    if (first && tells(text.slice(first.at, from))) found.from = first.at;
    if (last && tells(text.slice(to, endOf(last)))) found.to = endOf(last);
    const before = wide.at(-1);
    if (before && (found.from <= before.to || (first !== null && first === before.words?.last))) {
      before.to = Math.max(before.to, found.to);
      if (before.words && last) before.words.last = last;
      else before.words ??= found.words;
    } else wide.push(found);
  }
  return wide;
}

function turnWithout(turn: SpokenTurn, marked: readonly Stretch[]): SpokenTurn {
  const name = redactText(turn.name);
  if (marked.length === 0) return name === turn.name ? turn : { ...turn, name };
  const { text, words } = turn.segment;
  const hidden = widened(text, marked, words);
  const shownWords: Word[] = [];
  let next = 0;
  let shift = 0;
  const put = ({ from, to, words: gone }: Wide) => {
    if (gone) {
      const { first, last } = gone;
      const at = Math.min(first.at, from);
      const shown = text.slice(at, from) + redactedWord + text.slice(to, endOf(last));
      shownWords.push({ ...first, at: at + shift, text: shown, to: last.to, flags: 0, confidence: null, source: null });
    }
    shift += redactedWord.length - (to - from);
    next += 1;
  };
  for (const word of words) {
    for (
      let one = hidden[next];
      one && Math.max(one.to, one.words ? endOf(one.words.last) : 0) <= word.at;
      one = hidden[next]
    )
      put(one);
    const one = hidden[next];
    if (!one || word.at < Math.min(one.from, one.words?.first.at ?? one.from))
      shownWords.push({ ...word, at: word.at + shift });
  }
  for (let one = hidden[next]; one; one = hidden[next]) put(one);
  const segment = { text: without(text, hidden), words: shownWords };
  return { ...turn, text: printable(segment.text), name, segment };
}

export function redact(document: SpokenDocument): SpokenDocument {
  const { turns } = document;
  const texts = turns.map(({ segment }) => segment.text);
  const hidden = partsOf(
    texts,
    hiddenIn(texts, (nth) => turns[nth]?.speaker),
  );
  return {
    ...document,
    title: redactText(document.title),
    tags: document.tags.map(redactText),
    speakers: document.speakers.map((one) => ({ ...one, name: redactText(one.name) })),
    voices: document.voices.map(redactText),
    turns: turns.map((turn, nth) => turnWithout(turn, hidden[nth] ?? [])),
  };
}

const leavesOf = (node: RichNode): RichNode[] => (node.content ? node.content.flatMap(leavesOf) : [node]);

/**
 * Redacts stored rich text as one text: braces reach over marks and paragraphs, and a link goes with any of its words.
 */
function richWithout(stored: string): string {
  const doc = readRichText(stored);
  if (!doc) return '';
  const leaves = leavesOf(doc);
  const texts = leaves.map(plainText);
  const hidden = partsOf(
    texts,
    hiddenIn([texts.join('')], () => null),
  );
  const gone = new Set(leaves.flatMap((leaf, nth) => (hidden[nth]?.length ? [linkOf(leaf)] : [])));
  const marksOf = (leaf: RichNode): Pick<RichNode, 'marks'> => {
    const href = linkOf(leaf);
    const without = href !== null && (gone.has(href) || mayHide(href));
    const marks = (leaf.marks ?? []).filter(({ type }) => !without || type !== 'link');
    return marks.length > 0 ? { marks } : {};
  };
  let next = 0;
  const redacted = (node: RichNode): RichNode[] => {
    if (node.content) return [{ ...node, content: node.content.flatMap(redacted) }];
    const [parts, whole] = [hidden[next] ?? [], texts[next] ?? ''];
    next += 1;
    const isText = node.type === 'text';
    if (parts.length === 0) return [isText ? { type: 'text', text: whole, ...marksOf(node) } : node];
    const begins = parts.some((part) => part.begins);
    // Mentions are hidden as a whole: half a name would give away the rest.
    const taken = isText ? parts : [{ from: 0, to: whole.length, begins }];
    const text = without(whole, taken, (part) => (part.begins ? redactedWord : ''));
    return text === '' ? [] : [{ type: 'text', text, ...marksOf(node) }];
  };
  return JSON.stringify(redacted(doc)[0]);
}

const linkOf = ({ marks = [] }: RichNode): string | null =>
  marks.find(({ type }) => type === 'link')?.attrs?.href ?? null;

const authorWithout = (author: Author): Author => ({ ...author, name: redactText(author.name) });

/** Redacts annotations. Quotes are removed, because they may be a part of a text in braces. */
export function redactSaid({ summary, contents, grades, graders, outcomes, comments, words, origin }: Said): Said {
  const authored = <T extends Annotation>(one: T): T => ({ ...one, quote: '', author: authorWithout(one.author) });
  const points = summary && textsWithout(summary.map(({ text }) => text));
  return {
    words,
    ...(origin !== undefined && { origin }),
    ...(summary && { summary: summary.map((one, nth) => ({ ...one, text: points?.[nth] ?? '' })) }),
    ...(contents && { contents: contents.map((one) => ({ ...one, title: redactText(one.title) })) }),
    ...(grades && { grades: grades.map((one) => ({ ...one, words: redactText(one.words) })) }),
    ...(graders && { graders: new Map([...graders].map(([id, name]) => [id, redactText(name)])) }),
    ...(outcomes && { outcomes: outcomes.map((one) => ({ ...authored(one), text: redactText(one.text) })) }),
    ...(comments && {
      comments: comments.map((one) => ({
        ...authored(one),
        text: richWithout(one.text),
        resolved: one.resolved && { ...one.resolved, by: authorWithout(one.resolved.by) },
      })),
    }),
  };
}
