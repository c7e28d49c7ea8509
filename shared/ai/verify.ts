import { fold } from '../meetings/search.ts';
import type { Line } from './lines.ts';

// Quotes are looked up in the transcript before an answer is shown. Case, blanks and punctuation between words do not
// matter; each word does, and so do signs that change a number.

interface Cite {
  line: number;
  quote: string;
}

/** Place of a quote: its paragraph, and from where to where in the text of that. */
interface Place {
  line: number;
  paragraph: number;
  from: number;
  to: number;
}

/** Characters of a text without case and punctuation, each with its place. */
interface Plain {
  text: string;
  /** Place of each character, and behind the last. */
  begins: number[];
  ends: number[];
}

const blankless = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u30FC]$/u;
const inWord = /^[\p{L}\p{N}\p{M}]$/u;
/** Change a number, and are written with a blank or without. */
const sign = /^[\p{Sc}%‰°+]$/u;
const apostrophe = /^['’ʼ＇]$/u;
const digit = /^\p{Nd}$/u;
const betweenDigits = /^[.,:/]$/u;
const minus = /^[-−–]$/u;

function plainOf(original: string): Plain {
  const { text, origin } = fold(original, false);
  const placeOf = (index: number): number => (origin ? (origin[index] ?? original.length) : index);
  const marks = [...text];
  const plain: Plain = { text: '', begins: [], ends: [] };
  let index = 0;
  let blank = false;
  let before = '';
  const put = (one: string, from: number, to: number) => {
    if (blank && plain.text !== '' && !blankless.test(before) && !blankless.test(one)) {
      plain.text += ' ';
      plain.begins.push(from);
      plain.ends.push(from);
    }
    for (const _ of one.split('')) {
      plain.begins.push(from);
      plain.ends.push(to);
    }
    plain.text += one;
    blank = false;
    before = one;
  };
  for (const [nth, mark] of marks.entries()) {
    const [last = '', next = ''] = [marks[nth - 1], marks[nth + 1]];
    const from = placeOf(index);
    index += mark.length;
    // Letters that one character became end together, behind it.
    const to = Math.max(placeOf(index), Math.min(original.length, from + 1));
    if (inWord.test(mark)) put(mark, from, to);
    else if (sign.test(mark)) {
      blank = true;
      put(mark, from, to);
      blank = true;
    } else if (apostrophe.test(mark) && /\p{L}/u.test(last) && /\p{L}/u.test(next)) put("'", from, to);
    else if (betweenDigits.test(mark) && digit.test(last) && digit.test(next)) put(mark, from, to);
    else if (minus.test(mark) && digit.test(next) && !/[\p{L}\p{N}]/u.test(last)) {
      blank = true;
      put('-', from, to);
    } else blank = true;
  }
  return plain;
}

/** Three words, or six characters of a script without blanks: what is shorter stands in every transcript. */
function isLongEnough(plain: string): boolean {
  let halves = 0;
  for (const word of plain.split(' ')) {
    const characters = [...word].filter((one) => blankless.test(one)).length;
    halves += characters + (characters === [...word].length ? 0 : 2);
  }
  return halves >= 6;
}

/** Looks up quotes in these lines. */
export function quoteFinder(lines: readonly Line[]): (cite: Cite) => Place | null {
  let whole = '';
  const parts = lines.map((line, i) => {
    const plain = plainOf(line.text);
    const previous = lines[i - 1];
    // A quote may reach over the cut of one paragraph, and never into another one.
    const joins = previous?.paragraph === line.paragraph && previous.at < line.at;
    if (i > 0) whole += joins ? seam(whole, plain.text) : '\n';
    const start = whole.length;
    whole += plain.text;
    return { line, plain, start };
  });
  const partAt = (at: number) => {
    let [low, high] = [0, parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((parts[middle]?.start ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return parts[low - 1];
  };
  const isWhole = (at: number, to: number): boolean => edge(whole, at) && edge(whole, to);
  const indexOf = new Map(lines.map(({ nth }, i) => [nth, i]));

  return ({ line, quote }) => {
    const { text } = plainOf(quote);
    if (text === '' || !isLongEnough(text)) return null;
    const wanted = indexOf.get(line);
    const found: { place: Place; near: boolean }[] = [];
    for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + 1)) {
      if (!isWhole(at, at + text.length)) continue;
      const [first, last] = [partAt(at), partAt(at + text.length - 1)];
      if (!first || !last) continue;
      const place = {
        line: first.line.nth,
        paragraph: first.line.paragraph,
        from: first.line.at + (first.plain.begins[at - first.start] ?? 0),
        to: last.line.at + (last.plain.ends[at + text.length - 1 - last.start] ?? 0),
      };
      const near = wanted !== undefined && parts.indexOf(first) <= wanted + 1 && parts.indexOf(last) >= wanted - 1;
      if (near && first.line.nth === line) return place;
      found.push({ place, near });
    }
    const near = found.find((one) => one.near);
    return near?.place ?? (found.length === 1 ? (found[0]?.place ?? null) : null);
  };
}

const seam = (before: string, after: string): string =>
  blankless.test([...before.slice(-2)].at(-1) ?? '') || blankless.test([...after][0] ?? '') ? '' : ' ';

/** No word is cut in two at this position. */
function edge(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ' ';
  const [after = ' '] = text.slice(at, at + 2);
  const bounds = (one: string) => one === ' ' || one === '\n' || blankless.test(one);
  return bounds(before) || bounds(after);
}
