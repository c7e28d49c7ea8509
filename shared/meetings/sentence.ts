// Beginnings and ends of sentences when segments are split and merged, in any script: letters without case stay as they
// are, and a Chinese sentence ends with its own full stop.

/** Preferences of a person's profile. */
export interface SentencePreferences {
  disableAutoPeriod?: boolean;
  disableAutoCapitalize?: boolean;
  disableAutoDecapitalize?: boolean;
}

/** Punctuation at the end, also before closing brackets or quotes; an apostrophe may end a word as well. */
const ended = /(?!['’])\p{P}$|[.!?…。！？｡؟।][\p{Pe}\p{Pf}"'’]*$/u;
const blanklessEnd = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]$/u;
const danda = /[\p{sc=Deva}]$/u;
/** Scripts without a full stop. */
const stopless = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]$/u;
/** Non-speech tag such as [laughter]: it ends no sentence. */
const tagAtEnd = /\[[^[\]]*\]$/u;

/** Adds a full stop, unless the text ends with punctuation; trailing blanks stay. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed === '' || ended.test(trimmed) || tagAtEnd.test(trimmed) || stopless.test(trimmed)) return text;
  const stop = blanklessEnd.test(trimmed) ? '。' : danda.test(trimmed) ? '।' : '.';
  return trimmed + stop + text.slice(trimmed.length);
}

/** Characters before the first letter of a sentence: blanks, quotes, brackets, dashes, ¿ and ¡. */
const opening = /^[\s\p{P}]*/u;

function first(text: string): { at: number; letter: string; word: string } | null {
  const at = opening.exec(text)?.[0].length ?? 0;
  const letter = [...text.slice(at, at + 2)][0] ?? '';
  if (!/\p{L}/u.test(letter)) return null;
  // A non-speech tag in front is not the first word.
  if (text.slice(0, at).includes('[')) return null;
  return { at, letter, word: /^[\p{L}\p{M}\p{N}'’]+/u.exec(text.slice(at))?.[0] ?? '' };
}

const put = (text: string, at: number, old: string, now: string) =>
  text.slice(0, at) + now + text.slice(at + old.length);

/** Locale for case rules: Turkish and related languages dot the capital i. */
const inLanguage = (lang: string | undefined): string => {
  try {
    return lang ? (Intl.getCanonicalLocales(lang)[0] ?? 'en') : 'en';
  } catch {
    return 'en';
  }
};

export function capitalize(text: string, lang?: string): string {
  const found = first(text);
  return found ? put(text, found.at, found.letter, found.letter.toLocaleUpperCase(inLanguage(lang))) : text;
}

/**
 * Words that keep their capital within a sentence, as far as letters tell: the English I, and AI, U.S., iPhone, McKay.
 */
const proper = (word: string, after: string) =>
  /^I(['’]\p{L}+)?$/u.test(word) ||
  [...word].slice(1).some((letter) => /\p{Lu}/u.test(letter)) ||
  (word.length === 1 && after.startsWith('.'));

/** German and Luxembourgish capitalise every noun, and no rule tells which words are nouns. */
const keepsCapitals = (lang: string | undefined) => /^(de|lb)\b/i.test(lang ?? '');

export function decapitalize(text: string, lang?: string): string {
  const found = first(text);
  if (!found || keepsCapitals(lang)) return text;
  const { at, letter, word } = found;
  if (proper(word, text.slice(at + word.length))) return text;
  return put(text, at, letter, letter.toLocaleLowerCase(inLanguage(lang)));
}

/** Both parts of a split text: blanks at the cut are removed, one sentence ends and the next begins. */
export function splitSentence(
  left: string,
  right: string,
  { disableAutoPeriod, disableAutoCapitalize }: SentencePreferences,
  lang?: string,
): [string, string] {
  const [before, after] = [left.trimEnd(), right.trimStart()];
  return [
    after === '' || disableAutoPeriod ? before : endSentence(before),
    disableAutoCapitalize ? after : capitalize(after, lang),
  ];
}

/** Second part of a merge; in lower case unless the first part ends a sentence. */
export function continueSentence(
  left: string,
  right: string,
  { disableAutoDecapitalize }: SentencePreferences,
  lang?: string,
): string {
  const trimmed = left.trimEnd();
  const continues = trimmed !== '' && !/[.!?…。！？｡؟।][\p{Pe}\p{Pf}"'’]*$/u.test(trimmed) && !tagAtEnd.test(trimmed);
  return continues && !disableAutoDecapitalize ? decapitalize(right, lang) : right;
}

const blanks = /[\s\u200B\uFEFF]+/gu;

/**
 * Text to paste: on one line, with single blanks. A blank at its ends stays, because text may be pasted between two
 * words; line breaks there are removed.
 */
export const collapse = (text: string): string =>
  text.replace(/^[^\S\n]*\n\s*|[^\S\n]*\n\s*$/gu, '').replace(blanks, ' ');

/** Non-speech tags in a transcript. */
export const nonSpeechTags = ['inaudible', 'crosstalk', 'laughter', 'music', 'applause', 'silence', 'foreign'] as const;
export type NonSpeechTag = (typeof nonSpeechTags)[number];

/** With the time in milliseconds at which it is heard, as transcribers write it: `[inaudible 00:01:02]`. */
export function writeTag(tag: NonSpeechTag, ms: number | null): string {
  if (ms === null) return `[${tag}]`;
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `[${tag} ${parts.join(':')}]`;
}

const timedTag = /\[[^[\]]*?(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\]/g;

/** Tags with a time in a text, also those that other programs wrote; times in milliseconds. */
export const timedTagsIn = (text: string): { from: number; to: number; ms: number }[] =>
  [...text.matchAll(timedTag)].map(({ 0: tag, index, 1: hours = 0, 2: minutes, 3: seconds }) => ({
    from: index,
    to: index + tag.length,
    ms: (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000,
  }));

/** Time in milliseconds of the tag around a position. */
export const timeOfTagAt = (text: string, at: number): number | null =>
  timedTagsIn(text).find(({ from, to }) => at >= from && at <= to)?.ms ?? null;

const end = /[.!?…。！？｡؟।][\p{Pe}\p{Pf}"'’]*$/u;

/** Whether a sentence ends with this word. */
export const endsSentence = (word: string): boolean => end.test(word);
