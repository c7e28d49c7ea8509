import { redactedWord } from '../formats/redact.ts';
import { hiddenMark, placedTokens, type Placed } from './passages.ts';
import { matches, matchersOf, spellingsOf, type StemsOf, type Term } from './query.ts';

/** Words shown on each side of a hit; characters in scripts without blanks. */
const aroundWords = 20;
const aroundCharacters = 40;

export interface Snippet {
  before: string;
  words: string;
  after: string;
  /** Paragraph of the body. */
  paragraph: number;
  /** Tokens of the body that were found. */
  first: number;
  last: number;
}

/** The first places of a query in a body, by the positions that the index has of its lexemes. */
export function hitsIn(
  body: string,
  vector: ReadonlyMap<string, readonly number[]>,
  terms: readonly Term[],
  stemsOf: StemsOf,
  most = Infinity,
): Snippet[] {
  const tokens = placedTokens(body);
  const nthAt = new Map(tokens.map(({ position }, nth) => [position, nth]));
  const found = new Map<number, number>();
  for (const term of terms.flatMap(spellingsOf)) {
    if (term.negated) continue;
    const places = matchersOf(term, stemsOf).map((matcher) => {
      const positions = new Set<number>();
      for (const [lexeme, at] of vector) if (matches(matcher, lexeme)) for (const one of at) positions.add(one);
      return positions;
    });
    for (const position of places[0] ?? []) {
      if (!term.words.every(({ offset }, nth) => places[nth]?.has(position + offset) === true)) continue;
      const first = nthAt.get(position);
      const last = nthAt.get(position + (term.words.at(-1)?.offset ?? 0));
      if (first !== undefined && last !== undefined) found.set(first, Math.max(last, found.get(first) ?? 0));
    }
  }
  return [...found]
    .sort(([one], [other]) => one - other)
    .slice(0, most)
    .map(([first, last]) => snippetOf(body, tokens, first, last));
}

const shown = (text: string): string => text.replaceAll(hiddenMark, redactedWord);

/** The words around tokens `first` to `last` of a body, within their paragraph. */
function snippetOf(body: string, tokens: readonly Placed[], first: number, last: number): Snippet {
  const [one, end] = [tokens[first], tokens[last]];
  const at = one?.at ?? 0;
  const to = (end?.at ?? 0) + (end?.length ?? 0);
  const begins = body.lastIndexOf('\n', at) + 1;
  const newline = body.indexOf('\n', to);
  const ends = newline === -1 ? body.length : newline;
  const around = one?.kind === 'word' ? aroundWords : aroundCharacters;
  const right = tokens[last + around];
  const from = Math.max(begins, tokens[first - around]?.at ?? 0);
  const until = Math.min(ends, right ? right.at + right.length : ends);
  return {
    before: (from > begins ? '… ' : '') + shown(body.slice(from, at)).trimStart(),
    words: body.slice(at, to),
    after: shown(body.slice(to, until)).trimEnd() + (until < ends ? ' …' : ''),
    paragraph: body.slice(0, at).split('\n').length - 1,
    first,
    last,
  };
}

/** Words shown of a place that is known by its time alone. */
const atTime = { words: 12, characters: 24 };

/** The words that begin at a time or else after it, with those around them; null for a body without times. */
export function wordsFrom(body: string, times: readonly { from: number }[], ms: number): Snippet | null {
  const tokens = placedTokens(body);
  // Times of annotations are rounded.
  const next = times.findIndex(({ from }) => from >= ms - 1);
  const first = next === -1 ? times.length - 1 : next;
  const begin = tokens[first];
  if (!begin) return null;
  const newline = body.indexOf('\n', begin.at);
  const ends = newline === -1 ? body.length : newline;
  const most = first + (begin.kind === 'word' ? atTime.words : atTime.characters) - 1;
  const last = tokens.findLastIndex(({ at }, nth) => nth <= most && at < ends);
  return snippetOf(body, tokens, first, last);
}
