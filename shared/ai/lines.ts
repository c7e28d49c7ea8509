// Numbered lines: what an assistant reads of a transcript. The numbers are ours and new each time, so that what it cites
// can be looked up.

/** A paragraph, without what is hidden in it. */
interface Spoken {
  name: string;
  /** Milliseconds. */
  from: number;
  text: string;
}

export interface Line {
  /** From 1 on. */
  nth: number;
  /** Index of its paragraph, and where the line begins in the text of that. */
  paragraph: number;
  at: number;
  /** As long as in the paragraph: characters that are left out became blanks. */
  text: string;
  name: string;
  /** Milliseconds at which its paragraph begins. */
  from: number;
}

/** Longest line; a longer paragraph becomes several, so that a citation is near its words. */
export const longestLine = 1200;
const longestName = 80;

/** Characters that nobody sees and a model reads: controls, direction marks, tags, and what joins nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Blanks in place of characters that are not seen; a text stays as long as it was. */
export const seen = (text: string): string => text.replace(unseen, (one) => ' '.repeat(one.length));

export const oneLine = (text: string): string => seen(text).replace(/\s+/gu, ' ').trim();

const sentenceEnd = /[.!?。！？…]["'”’»)\]]*(?:\s|(?<=[。！？]))/gu;

/** Cuts of a text that is too long: after a sentence, else at a blank, else where the space ends. */
function cutsOf(text: string): number[] {
  const cuts: number[] = [];
  for (let from = 0; text.length - from > longestLine;) {
    const part = text.slice(from, from + longestLine);
    const end = [...part.matchAll(sentenceEnd)].at(-1);
    const sentence = end ? end.index + end[0].length : 0;
    const blank = part.lastIndexOf(' ') + 1;
    const pair = /[\uD800-\uDBFF]$/.test(part) ? 1 : 0;
    const length = sentence > longestLine / 4 ? sentence : blank > longestLine / 4 ? blank : longestLine - pair;
    cuts.push((from += length));
  }
  return cuts;
}

export function linesOf(spoken: readonly Spoken[]): Line[] {
  const lines: Line[] = [];
  for (const [paragraph, { name, from, text }] of spoken.entries()) {
    const cuts = [0, ...cutsOf(text), text.length];
    for (const [i, at] of cuts.slice(0, -1).entries()) {
      const part = seen(text.slice(at, cuts[i + 1])).replace(/\s/gu, ' ');
      if (part.trim() === '') continue;
      const nth = lines.length + 1;
      lines.push({ nth, paragraph, at, text: part, name: oneLine(name).slice(0, longestName), from });
    }
  }
  return lines;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Time of a line, as `01:02:03`. */
export function clockTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export const writtenLine = ({ nth, from, name, text }: Line): string =>
  `#${nth} ${clockTime(from)} ${name === '' ? '?' : name}: ${text.trim()}`;
