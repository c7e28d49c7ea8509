import { endsSentence } from './sentence.ts';
import { speakerColors } from './palette.ts';

// Facts that tell recordings apart at a glance: who speaks when, and how it begins. Lists show them on tiles.

export interface Glance {
  /** A letter for each of equal parts of the talk, as `lanesIn` reads them; empty without speech. */
  lanes: string;
  /** First words, without what is in curly braces. */
  opening: string;
}

interface Spoken {
  text: string;
  /** Milliseconds. */
  from: number;
  to: number;
  /** Index in the palette; null for a speaker without a colour. */
  color: number | null;
}

const parts = 80;
const levels = 4;
const silence = '-';
const colors = [...Array.from({ length: speakerColors }, (_, color) => color), null];

/** Share of a part below which it counts as silent. */
const leastShare = 0.05;
const fewestLetters = 24;
const mostLetters = 160;
const brace = /[{}｛｝]/gu;

export const glanceOf = (spoken: Iterable<Spoken>, end: number): Glance => {
  const all = [...spoken];
  return { lanes: lanesOf(all, end), opening: openingOf(all.map(({ text }) => text)) };
};

function lanesOf(spoken: readonly Spoken[], end: number): string {
  if (end <= 0) return '';
  const step = end / parts;
  const talk = Array.from({ length: parts }, () => colors.map(() => 0));
  for (const { from, to, color } of spoken) {
    const lane = colors.indexOf(color);
    for (let part = Math.max(0, Math.floor(from / step)); part < parts && part * step < to; part += 1) {
      const inside = Math.min(to, (part + 1) * step) - Math.max(from, part * step);
      const shares = talk[part];
      if (shares && inside > 0) shares[lane] = (shares[lane] ?? 0) + inside;
    }
  }
  return talk
    .map((shares) => {
      const most = Math.max(...shares);
      const share = Math.min(1, shares.reduce((sum, one) => sum + one, 0) / step);
      if (share < leastShare) return silence;
      return (shares.indexOf(most) * levels + Math.ceil(share * levels) - 1).toString(36);
    })
    .join('');
}

/** One part of the talk: who speaks most in it, and how much is spoken, from 0 to 1. */
export interface LanePart {
  color: number | null;
  share: number;
}

/** Parts of a talk; null for a silent one. */
export const lanesIn = (lanes: string): (LanePart | null)[] =>
  [...lanes].map((letter) => {
    if (letter === silence) return null;
    const code = Number.parseInt(letter, 36);
    return { color: colors[Math.floor(code / levels)] ?? null, share: ((code % levels) + 1) / levels };
  });

/** The first sentence, or its beginning. A brace without an end hides all that follows it. */
function openingOf(texts: readonly string[]): string {
  let depth = 0;
  let shown = '';
  for (const text of texts)
    for (const word of text.split(/\s+/u)) {
      const hidden = depth > 0 || word.search(brace) >= 0;
      for (const [mark] of word.matchAll(brace)) depth = Math.max(0, depth + (/[{｛]/u.test(mark) ? 1 : -1));
      if (hidden || word === '') continue;
      const longer = shown === '' ? word : `${shown} ${word}`;
      if (longer.length > mostLetters)
        return `${[...longer]
          .slice(0, mostLetters)
          .join('')
          .replace(/\s+\S*$/u, '')}…`;
      shown = longer;
      if (shown.length >= fewestLetters && endsSentence(word)) return shown;
    }
  return shown;
}
