import { stemLexeme, stemmersOf, tokensOf } from './tokens.ts';

/** Words of a query that must stand in a row, each so many places after the first; usually a single one. */
export interface Term {
  words: readonly { word: string; offset: number }[];
  /** In quotation marks: these forms alone, not other forms of the words. */
  exact: boolean;
  /** The last word is the beginning of one. */
  prefix: boolean;
  /** With a minus before it: recordings without these words. */
  negated: boolean;
  /** Other spellings of a name that these words are, or are a part of. */
  also?: readonly Term[];
}

export const longestQuery = 200;
const mostWords = 16;

const chunk = /(?<minus>-?)(?:"(?<quoted>[^"]*)"?|(?<bare>[^\s"]+))/gu;

const straight = (query: string): string => query.slice(0, longestQuery).replaceAll(/[“”„«»＂]/gu, '"');

/** Terms of a query in their order; null if it has too many words. */
export function termsOf(query: string): Term[] | null {
  const typed = straight(query);
  const terms: Term[] = [];
  for (const { 0: whole, index, groups } of typed.matchAll(chunk)) {
    const { minus = '', quoted, bare = '' } = groups ?? {};
    const tokens = tokensOf(quoted ?? bare);
    const words = tokens.flatMap(({ word, kind }, offset) =>
      // The pairs before it contain the last character already.
      kind === 'last' && tokens[offset - 1]?.kind === 'pair' ? [] : [{ word, offset, kind }],
    );
    const last = words.at(-1);
    if (!last) continue;
    const atEnd = index + whole.length === typed.length;
    terms.push({
      words: words.map(({ word, offset }) => ({ word, offset })),
      exact: quoted !== undefined,
      prefix:
        last.kind === 'last' ||
        (atEnd && quoted === undefined && minus === '' && last.kind === 'word' && last.word.length >= 2),
      negated: minus !== '',
    });
  }
  return terms.reduce((sum, { words }) => sum + words.length, 0) > mostWords ? null : terms;
}

/** Most words of a name that is typed without quotation marks. */
const longestName = 4;

/** Terms in a row that may be a name, by its words. */
function* namesIn(terms: readonly Term[]): Generator<{ key: string; from: number; to: number }> {
  for (let from = 0; from < terms.length; from += 1) {
    const words: string[] = [];
    for (let to = from; to < terms.length; to += 1) {
      const term = terms[to];
      if (!term || term.exact || term.negated) break;
      words.push(...term.words.map(({ word }) => word));
      if (words.length > longestName && to > from) break;
      yield { key: words.join(' '), from, to: to + 1 };
    }
  }
}

/** Words of names that a query may have, as `termKey` of shared/glossary.ts gives them. */
export const nameKeys = (terms: readonly Term[]): string[] => [...new Set([...namesIn(terms)].map(({ key }) => key))];

/** The terms with other spellings of the names in them. Each word of a name brings all of its other spellings along. */
export function withSpellings(terms: readonly Term[], spellings: ReadonlyMap<string, readonly string[]>): Term[] {
  const also = terms.map((): Term[] => []);
  for (const { key, from, to } of namesIn(terms))
    for (const spelling of spellings.get(key) ?? []) {
      const words = spelling.split(' ').map((word, offset) => ({ word, offset }));
      for (const list of also.slice(from, to)) list.push({ words, exact: false, prefix: false, negated: false });
    }
  return terms.map((term, nth) => ({ ...term, also: also[nth] ?? [] }));
}

/** A term and its other spellings. */
export const spellingsOf = (term: Term): Term[] => [term, ...(term.also ?? [])];

/** The words of a query without quotation marks, and without those with a minus. */
export const plainQuery = (query: string): string =>
  [...straight(query).matchAll(chunk)]
    .flatMap(({ groups }) => (groups?.['minus'] ? [] : [groups?.['quoted'] ?? groups?.['bare'] ?? '']))
    .join(' ');

/** Lexemes that a word of a query matches. */
interface Matcher {
  lexemes: readonly string[];
  /** Beginning of a lexeme; null for none. */
  prefix: string | null;
}

/** Stems of words, from the database. */
export type StemsOf = (word: string) => readonly string[];

/** Matchers of a term's words, in their order. */
export const matchersOf = ({ words, exact, prefix }: Term, stemsOf: StemsOf): Matcher[] =>
  words.map(({ word }, nth) => ({
    lexemes: exact ? [word] : [...new Set([word, ...stemsOf(word).flatMap((stem) => [stem, stemLexeme(stem)])])],
    prefix: prefix && nth === words.length - 1 ? word : null,
  }));

export const matches = ({ lexemes, prefix }: Matcher, lexeme: string): boolean =>
  lexemes.includes(lexeme) || (prefix !== null && lexeme.startsWith(prefix));

/** Ends the lexeme of a word that is said often, or that names something. */
export const loudMark = '+';

const quote = (lexeme: string): string => `'${lexeme.replaceAll("'", "''")}'`;

/** Text of a tsquery, with `mark` behind each lexeme. Words consist of letters and digits alone, so nothing typed can be an operator. */
export function tsqueryOf(term: Term, stemsOf: StemsOf, mark: '' | typeof loudMark = ''): string {
  const parts = matchersOf(term, stemsOf).map(
    ({ lexemes, prefix }) =>
      `(${[...lexemes.map((one) => quote(one + mark)), ...(prefix === null || mark ? [] : [`${quote(prefix)}:*`])].join(' | ')})`,
  );
  return term.words.reduce((text, { offset }, nth) => {
    const part = parts[nth] ?? '';
    return nth === 0 ? part : `${text} <${offset - (term.words[nth - 1]?.offset ?? 0)}> ${part}`;
  }, '');
}

/** Words of a query that have stems. */
export const stemmable = (terms: readonly Term[]): string[] => [
  ...new Set(
    terms
      .flatMap(spellingsOf)
      .flatMap(({ words, exact }) => (exact ? [] : words.map(({ word }) => word).filter((one) => stemmersOf(one)[0]))),
  ),
];
