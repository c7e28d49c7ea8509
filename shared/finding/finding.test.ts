// Index, query and marked words agree (shared/finding/): one function cuts all three.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hitsIn } from './hits.ts';
import { passagesOf, placedTokens, unpackTimes, vectorOf, type Paragraph } from './passages.ts';
import { termsOf, tsqueryOf } from './query.ts';
import { stemmersOf, tokensOf } from './tokens.ts';

const words: Record<string, string[]> = {
  en: ['The', 'budgets', 'don’t', 'co-operate', 'ﬁnal', 'NAÏVE', 'naïve', '3rd', 'Straße', 'x'],
  es: ['reunión', 'Mañana', 'años', 'cigüeña', '¿qué?', 'pingüino', 'decisiones'],
  ru: ['Ещё', 'решения', 'бюджета', 'собрание', 'йод', 'ПРИНЯТО', 'всё-таки'],
  zh: ['会议', '预算', '我们讨论了预算。', '的', '二〇二六年', 'AI会议室', '😀好'],
  ja: ['会議', 'コーヒー', 'を飲みました', 'ﾃｽﾄ', 'がぎぐ', '人々'],
};
const language = fc.constantFrom(...Object.keys(words));
const textIn = (lang: string) =>
  fc.array(fc.constantFrom(...(words[lang] ?? []), ...(words['en'] ?? []), '', '…', '{'), {
    minLength: 1,
    maxLength: 25,
  });
const texts = language.chain((lang) => textIn(lang).map((list) => list.join(['zh', 'ja'].includes(lang) ? '' : ' ')));

/** As a dictionary does, the same for forms of one word. */
const stem = (word: string): string => (word.length > 4 ? word.slice(0, 4) : word);
const stemOf = (word: string): string | null => (stemmersOf(word)[0] ? stem(word) : null);
const stemsOf = (word: string): string[] => (stemmersOf(word)[0] ? [stem(word)] : []);
const vector = (body: string) => vectorOf(placedTokens(body), stemOf);
const find = (body: string, query: string) => hitsIn(body, vector(body), termsOf(query) ?? [], stemsOf);

test('each word of 10,000 texts in five languages is found by itself, where it stands, in any case', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.boolean(), (body, nth, loud) => {
      const tokens = tokensOf(body);
      const one = tokens[nth % Math.max(1, tokens.length)];
      if (!one) return;
      const typed = body.slice(one.at, one.at + one.length);
      const query = loud ? typed.toUpperCase() : typed;
      const hits = find(body, query);
      expect(hits.map(({ first }) => tokens[first]?.at)).toContain(one.at);
      const { words: marked, before } = hits.find(({ first }) => tokens[first]?.at === one.at) ?? {
        words: '',
        before: '',
      };
      expect(typed.startsWith(marked) || marked.startsWith(typed)).toBe(true);
      expect(body).toContain(before.replace(/^… /u, '') + marked);
    }),
    { numRuns: 10_000, seed: 20_261_124 },
  );
});

test('any two neighbours in quotation marks are found together', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (body, nth) => {
      const runs = tokensOf(body).filter(({ kind }) => kind === 'word');
      const [one, next] = [runs[nth % Math.max(1, runs.length)], runs[(nth % Math.max(1, runs.length)) + 1]];
      if (!one || !next || placedTokens(body.slice(one.at, next.at + next.length)).length !== 2) return;
      const phrase = body.slice(one.at, next.at + next.length).replaceAll(/["“”]/gu, ' ');
      expect(find(body, `"${phrase}"`).some(({ words: marked }) => tokensOf(marked).length === 2)).toBe(true);
    }),
    { numRuns: 2000, seed: 7 },
  );
});

test('a query of any text has a form, and no operator of it reaches the database', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (query) => {
      for (const term of termsOf(query) ?? [])
        expect(tsqueryOf(term, stemsOf).replaceAll(/'[~\p{L}\p{N}\p{M}]+'(:\*)?/gu, '')).toMatch(/^[()| <>\d]*$/);
    }),
    { numRuns: 2000, seed: 7 },
  );
});

describe('queries', () => {
  test.each([
    ['预算', '我们讨论了预算。', ['预算']],
    ['讨论了预算', '我们讨论了预算。', ['讨论了预算']],
    ['论', '我们讨论了预算。', ['论了']],
    ['预算', '预先计算', []],
    ['ещё', 'Еще раз', ['Еще']],
    ['budget', 'All budgets and budgetary', ['budgets', 'budgetary']],
    ['"budget"', 'All budgets, one budget', ['budget']],
    ['bud', 'All buds', ['buds']],
    ['bud gone', 'All buds are gone', ['gone']],
    ['STRASSE', 'Die Straße', ['Straße']],
    ['-budget gone', 'gone', ['gone']],
    ['"all are"', 'are all\nall are', ['all are']],
    ['"end begin"', 'the end\nbegin', []],
    ['“the end”', 'the end', ['the end']],
  ])('%s in “%s” marks %j', (query, body, marked) => {
    expect(find(body, query).map((hit) => hit.words)).toEqual(marked);
  });

  test('17 words are too many', () => {
    expect(termsOf('w '.repeat(16))).toHaveLength(16);
    expect(termsOf('w '.repeat(17))).toBeNull();
  });
});

describe('passages', () => {
  const said = (texts: readonly string[]): Paragraph[] =>
    texts.map((text, nth) => ({
      segment: `s${nth}`,
      speaker: 'a',
      text,
      words: tokensOf(text).map(({ at }, word) => ({
        at,
        from: nth * 1000 + word * 10,
        to: nth * 1000 + word * 10 + 9,
      })),
    }));
  const passages = (list: readonly string[], redacted = true) =>
    passagesOf([{ kind: 'words', key: '', fromMs: null, paragraphs: said(list) }], redacted);

  test('words in braces are in a passage of their own, and no letter of them is in the other', () => {
    const [open, whole] = passages(['My name is {Maria} Lo{pez}!', 'and so on']);
    expect(open).toMatchObject({ braces: false, body: 'My name is \uFFFC \uFFFC!\nand so on' });
    expect(whole).toMatchObject({ braces: true, body: 'My name is {Maria} Lo{pez}!\nand so on' });
    expect(hitsIn(open?.body ?? '', vector(open?.body ?? ''), termsOf('name') ?? [], stemsOf)[0]?.after).toBe(
      ' is [redacted] [redacted]!',
    );
    expect(passages(['{Maria}'], false).map(({ body }) => body)).toEqual(['{Maria}']);
  });

  test('each token has the time of its word, also behind hidden ones', () => {
    const [open] = passages(['one {two} three']);
    expect(unpackTimes(open?.times ?? new Uint8Array()).map(({ from }) => from)).toEqual([0, 20]);
  });

  test('an edit changes its own passage alone, and all words are in one', () => {
    const long = Array.from({ length: 400 }, (_, nth) => `${'so '.repeat(nth % 40)}w${nth}`);
    const before = passages(long);
    const after = passages(long.map((text, nth) => (nth === 200 ? `${text} more` : text)));
    const bodies = new Set(before.map(({ body }) => body));
    expect(after.filter(({ body }) => !bodies.has(body))).toHaveLength(1);
    expect(before.map(({ body }) => body).join('\n')).toBe(long.join('\n'));
    expect(Math.max(...before.map(({ body }) => tokensOf(body).length))).toBeLessThanOrEqual(400);
  });

  test('a paragraph that is too long is cut into overlapping ones, each word with its time', () => {
    const cut = passages([Array.from({ length: 1000 }, (_, nth) => `w${nth}`).join(' ')]);
    expect(cut.map(({ key }) => key)).toEqual(['s0', 's0#1', 's0#2']);
    expect(cut[1]?.body).toMatch(/^w380 .* w779\b/);
    expect(unpackTimes(cut[1]?.times ?? new Uint8Array())[0]).toEqual({ from: 3800, to: 3809 });
  });

  test('two segments of one id have two passages', () => {
    const twice = said(['a '.repeat(300), 'b '.repeat(300)]).map((one) => ({ ...one, segment: 's' }));
    const keys = passagesOf([{ kind: 'words', key: '', fromMs: null, paragraphs: twice }], true).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });
});
