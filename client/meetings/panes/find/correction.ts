/** Words that a person wrote in the place of others, as a name is spelled. */
export interface Correction {
  heard: string;
  term: string;
}

const inWord = /[\p{L}\p{M}\p{N}'’_-]/u;
const mostWords = 4;
const longest = 100;

/** Words that differ between two states of a paragraph, grown to whole words; null unless one run was replaced. */
export function correctionOf(before: string, after: string): Correction | null {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const isIn = (text: string, at: number) => inWord.test(text[at] ?? '');
  const cutsBefore = () => isIn(before, from - 1) && (isIn(before, from) || isIn(after, from));
  while (from > 0 && cutsBefore()) from -= 1;
  const cutsBehind = () =>
    isIn(before, before.length - end) && (isIn(before, before.length - end - 1) || isIn(after, after.length - end - 1));
  while (end > 0 && cutsBehind()) end -= 1;
  const heard = before.slice(from, before.length - end).trim();
  const term = after.slice(from, after.length - end).trim();
  const isRun = (text: string) => text !== '' && text.length <= longest && text.split(/\s+/).length <= mostWords;
  return isRun(heard) && isRun(term) && heard !== term ? { heard, term } : null;
}

/** A capital that no sentence begins with, a digit, or a hyphen within a word. */
export function isNameLike({ term }: Correction, after: string): boolean {
  if (/\p{N}|[\p{L}\p{N}]-[\p{L}\p{N}]/u.test(term)) return true;
  const at = after.indexOf(term);
  const beginsSentence = /(^|[.!?…。！？]["'”’»)]*)\s*$/u.test(after.slice(0, Math.max(0, at)));
  return /\p{Lu}/u.test(beginsSentence ? term.replace(/^\P{L}*\p{L}/u, '') : term);
}
