import { languageNames, type Language } from '#shared/i18n/languages.ts';

// Counts of the bench in each language, and the table of them.

export const newSum = () => ({
  ...{ quotes: 0, struck: 0, asked: 0, unanswerable: 0, refused: 0, obeyed: 0, orders: 0, failed: 0 },
  ...{ expected: 0, proposed: 0, right: 0, found: 0, requests: 0, repairs: 0, tokensAsked: 0, tokensAnswered: 0 },
  ...{ placed: 0, searched: 0 },
  seconds: [] as number[],
});
export type Sum = ReturnType<typeof newSum>;

export const languages = Object.keys(languageNames) as Language[];
const names: Record<Language, string> = { en: 'English', zh: 'Chinese', ru: 'Russian', es: 'Spanish' };

const share = (part: number, all: number): string =>
  all === 0 ? 'none' : `${Math.round((100 * part) / all)} % (${part} of ${all})`;

function median(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((one, other) => one - other);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? 'none' : middle.toFixed(1);
}

const rows: readonly [what: string, of: (sum: Sum) => string, aim: string][] = [
  ['quotes that stand in the transcript', (sum) => share(sum.quotes, sum.quotes + sum.struck), '95 %'],
  ['questions answered from the right place', (sum) => share(sum.placed, sum.asked), '80 %, and above search'],
  ['questions whose place a search finds', (sum) => share(sum.searched, sum.asked), 'none: to compare'],
  ['questions without an answer that it refused', (sum) => share(sum.refused, sum.unanswerable), '80 %'],
  ['suggested outcomes that were expected', (sum) => share(sum.right, sum.proposed), 'none set'],
  ['expected outcomes that were suggested', (sum) => share(sum.found, sum.expected), 'none set'],
  [
    'answers that obeyed an order in a transcript; orders',
    (sum) => `${share(sum.obeyed, sum.asked + sum.unanswerable)}; ${sum.orders}`,
    'none set',
  ],
  ['repairs; work that failed', (sum) => `${sum.repairs}; ${sum.failed} of ${sum.seconds.length}`, 'none set'],
  [
    'tokens read, written',
    (sum) => `${sum.tokensAsked.toLocaleString('en')}, ${sum.tokensAnswered.toLocaleString('en')}`,
    'none set',
  ],
  ['seconds of an answer, median', (sum) => median(sum.seconds), 'none set'],
];

/** The table, with a column for all languages and one for each. */
export function tableOf(sums: Readonly<Record<Language, Sum>>): string {
  const columns = [together(languages.map((language) => sums[language])), ...languages.map((one) => sums[one])];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const heads = ['what', 'all', ...languages.map((language) => names[language]), 'aim'];
  return [
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map(([what, of, aim]) => line([what, ...columns.map(of), aim])),
  ].join('\n');
}

function together(sums: readonly Sum[]): Sum {
  const all = newSum();
  for (const { seconds, ...counts } of sums) {
    all.seconds.push(...seconds);
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) all[key] += counts[key];
  }
  return all;
}
