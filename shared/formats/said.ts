import type { TimedEntry } from '../meetings/entries.ts';
import type { Comment, Annotation, ChildGrade, Outcome } from '../meetings/annotations.ts';
import type { SheetGrade } from '../meetings/grades.ts';
import { negative } from '../meetings/outcome-types.ts';
import { plainOf } from '../meetings/rich-text.ts';
import type { Quoted } from '../meetings/quoted.ts';
import type { SummaryItem } from '../meetings/summary.ts';
import { printable } from './spoken.ts';

// Annotations for an export, as far as the person who exports may read them, for formats that can hold them.

/** Lists that are missing do not go into the file. */
export interface Said {
  summary?: readonly (SummaryItem & { private?: boolean })[];
  /** Chapters. */
  contents?: readonly TimedEntry[];
  /** Grades of an assessment's sheet. */
  grades?: readonly SheetGrade[];
  /** Names of the people who set them, by their ids. */
  graders?: ReadonlyMap<string, string>;
  outcomes?: readonly Outcome[];
  comments?: readonly Comment[];
  words: SaidWords;
  /** Passages in the words there are now, by the ids of annotations; without it, those they were made on. */
  quotes?: ReadonlyMap<string, Quoted>;
  /** Origin for the URLs of voice notes. */
  origin?: string;
}

/** Texts in the language of the person who exports. */
export interface SaidWords {
  summary: string;
  contents: string;
  grades: string;
  outcomes: string;
  comments: string;
  /** Placeholder for deleted comments with replies. */
  deleted: string;
  /** Label before private annotations. */
  private: string;
  /** Label before the words that were there. */
  was: string;
  types: Readonly<Record<string, string>>;
}

/** Line of a list: time, text, author and quote of an annotation, with the replies. */
export interface SaidLine {
  /** Milliseconds; null for annotations of the whole recording. */
  from: number | null;
  head: string;
  text: string;
  name: string;
  quote: string;
  /** The words that were there, with their label, where hardly any is left. */
  was: string;
  answers: readonly { name: string; text: string }[];
}

export interface SaidList {
  of: 'summary' | 'contents' | 'grades' | 'outcomes' | 'comments';
  title: string;
  /** Above the text instead of below it. */
  above: boolean;
  lines: readonly SaidLine[];
}

export function saidLists(said: Said): SaidList[] {
  const { summary, contents, grades, graders, outcomes, comments, words } = said;
  return [
    ...(summary ? [{ of: 'summary' as const, title: words.summary, above: true, lines: points(summary, words) }] : []),
    ...(contents ? [{ of: 'contents' as const, title: words.contents, above: true, lines: chapters(contents) }] : []),
    ...(grades
      ? [{ of: 'grades' as const, title: words.grades, above: false, lines: sheet(grades, graders, words) }]
      : []),
    ...(outcomes
      ? [
          {
            of: 'outcomes' as const,
            title: words.outcomes,
            above: false,
            lines: outcomes.map((one) => lineOf(one, said)),
          },
        ]
      : []),
    ...(comments
      ? [{ of: 'comments' as const, title: words.comments, above: false, lines: threads(comments, said) }]
      : []),
  ].filter(({ lines }) => lines.length > 0);
}

const points = (summary: NonNullable<Said['summary']>, words: SaidWords): SaidLine[] =>
  summary
    .filter(({ text }) => printable(text) !== '')
    .map((point) => ({
      from: null,
      head: '',
      text: marked(point, printable(point.text), words),
      name: '',
      quote: '',
      was: '',
      answers: [],
    }));

const marked = (item: { private?: boolean }, text: string, words: SaidWords): string =>
  item.private === true ? `(${words.private}) ${text}`.trim() : text;

const chapters = (contents: readonly TimedEntry[]): SaidLine[] =>
  contents.map(({ start, title }) => ({
    from: Math.round(start * 1000),
    head: '',
    text: printable(title),
    name: '',
    quote: '',
    was: '',
    answers: [],
  }));

const about = ({ id, start, quote, author }: Annotation, { quotes, words }: Said) => {
  const now = quotes?.get(id) ?? { quote, before: null };
  return {
    from: Math.round(start * 1000),
    quote: printable(now.quote),
    was: now.before === null ? '' : `${words.was} ${printable(now.before)}`,
    name: printable(author.name),
  };
};

/** Text followed by the URL of its voice note. */
const spoken = (text: string, url: string | null, origin: string): string =>
  url === null ? text : `${text} ${printable(origin + url)}`.trim();

/** Grades that are set, and what was written about them. */
function sheet(grades: readonly SheetGrade[], names: Said['graders'], words: SaidWords): SaidLine[] {
  return grades
    .filter(({ grade, words: about }) => grade !== null || about !== '')
    .map(({ type, grade, words: text, by }) => ({
      from: null,
      head: graded({ type, grade }, words),
      text: printable(text),
      name: printable(names?.get(by) ?? ''),
      quote: '',
      was: '',
      answers: [],
    }));
}

const graded = ({ type, grade }: Pick<ChildGrade, 'type' | 'grade'>, { types }: SaidWords): string =>
  `${types[type] ?? printable(type)}${gradeOf(grade)}`;

function lineOf(outcome: Outcome, said: Said): SaidLine {
  const { words, origin = '' } = said;
  const children =
    outcome.children.length > 0 ? ` (${outcome.children.map((one) => graded(one, words)).join(', ')})` : '';
  return {
    ...about(outcome, said),
    head: `${graded(outcome, words)}${children}`,
    text: marked(outcome, spoken(printable(outcome.text), outcome.url, origin), words),
    answers: [],
  };
}

const gradeOf = (grade: number | null): string =>
  grade === null ? '' : grade === negative ? ' −' : ` ${String(grade)}`;

function threads(comments: readonly Comment[], said: Said): SaidLine[] {
  const { words, origin = '' } = said;
  const textOf = (comment: Comment) =>
    comment.author.kind === 'deleted'
      ? words.deleted
      : marked(comment, spoken(printable(plainOf(comment.text)), comment.url, origin), words);
  const answers = (id: string) =>
    comments
      .filter(({ parent }) => parent === id)
      .toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1))
      .map((answer) => ({ name: printable(answer.author.name), text: textOf(answer) }));
  const ids = new Set(comments.map(({ id }) => id));
  return (
    comments
      // Replies to a comment that the reader may not see are lines of their own.
      .filter(({ parent }) => parent === null || !ids.has(parent))
      .map((comment) => ({ ...about(comment, said), head: '', text: textOf(comment), answers: answers(comment.id) }))
  );
}
