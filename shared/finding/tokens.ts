import { fold } from '../meetings/search.ts';

// Words as search knows them: one function for the index, for queries, and for the words that a hit marks.

/** Raised with every change of what is indexed of a text: indexes of an older number are built again. */
export const tokensVersion = 2;

/**
 * `word`: a run of letters and digits. Scripts without blanks are cut into overlapping `pair`s of characters, and the
 * `last` character of the run alone.
 */
type TokenKind = 'word' | 'pair' | 'last';

export interface Token {
  /** Folded, without case. */
  word: string;
  kind: TokenKind;
  /** Position and length in the text. */
  at: number;
  length: number;
}

/** Longest word that is looked at; PostgreSQL takes 2 KB. */
const longestWord = 100;

/** Any character of the scripts without blanks, which most texts have none of. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u30FC]/u;
/** The text has characters of scripts without blanks. */
export const isUnspaced = (text: string): boolean => unspaced.test(text);
const run = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const stretch = new RegExp(
  String.raw`(?<apart>[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u30FC]\p{M}*)+|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u30FC])[^])+`,
  'gu',
);
const cluster = /\P{M}\p{M}*/gu;

/** Russians type е for ё, and engines write either. */
const usual = (word: string): string => word.slice(0, longestWord).replaceAll('ё', 'е');

/** The words of a text in their order. */
export function tokensOf(text: string): Token[] {
  const { text: folded, origin } = fold(text, false);
  const placeOf = (index: number): number => (origin ? (origin[index] ?? text.length) : index);
  const tokens: Token[] = [];
  const add = (kind: TokenKind, word: string, from: number, to: number) => {
    const at = placeOf(from);
    tokens.push({ word: usual(word), kind, at, length: placeOf(to) - at });
  };
  const blanksOnly = !isUnspaced(folded);
  for (const { 0: letters, index } of folded.matchAll(run)) {
    if (blanksOnly) {
      add('word', letters, index, index + letters.length);
      continue;
    }
    for (const part of letters.matchAll(stretch)) {
      const from = index + part.index;
      if (part.groups?.['apart'] === undefined) add('word', part[0], from, from + part[0].length);
      else {
        const characters = [...part[0].matchAll(cluster)];
        for (const [nth, { 0: one, index: at }] of characters.entries()) {
          const next = characters[nth + 1];
          const end = at + one.length + (next?.[0].length ?? 0);
          add(next ? 'pair' : 'last', one + (next?.[0] ?? ''), from + at, from + end);
        }
      }
    }
  }
  return tokens;
}

/** Dictionaries of word stems in the database (`said_en` and so on). */
type Stemmer = 'en' | 'es' | 'ru';

const latin = /^[\p{sc=Latin}\p{M}]+$/u;
const cyrillic = /^[\p{sc=Cyrillic}\p{M}]+$/u;

/** All dictionaries that a word of a query may have been indexed by. */
export const stemmersOf = (word: string): readonly Stemmer[] =>
  latin.test(word) ? ['en', 'es'] : cyrillic.test(word) ? ['ru'] : [];

/** Languages whose speakers use English words among their own, which are then stemmed as English ones. */
const besideEnglish = ['', 'en', 'ru', 'zh', 'ja', 'ko'];

/** The dictionary for a word in a recording of that language; null: only its own form is indexed. */
export function stemmerOf(word: string, lang: string): Stemmer | null {
  const language = lang.slice(0, 2).toLowerCase();
  if (latin.test(word)) return language === 'es' ? 'es' : besideEnglish.includes(language) ? 'en' : null;
  if (cyrillic.test(word)) return ['', 'ru', 'en', 'zh', 'es'].includes(language) ? 'ru' : null;
  return null;
}

/** Lexeme of a stem in the index: another namespace than forms, so that a quoted form finds that form alone. */
export const stemLexeme = (stem: string): string => `~${stem}`;
