import type { TimedEntry } from '../meetings/entries.ts';
import type { Comment, Annotation, ChildGrade, Outcome } from '../meetings/annotations.ts';
import { negative } from '../meetings/outcome-types.ts';
import { ownName } from '../meetings/own-types.ts';
import { plainOf } from '../meetings/rich-text.ts';
import type { SummaryItem } from '../meetings/summary.ts';
import { printable } from './spoken.ts';

// Annotations for an export, as far as the person who exports may read them, for formats that can hold them.

/** Lists that are missing do not go into the file. */
export interface Said {
  summary?: readonly (SummaryItem & { private?: boolean })[];
  /** Chapters. */
  contents?: readonly TimedEntry[];
  outcomes?: readonly Outcome[];
  comments?: readonly Comment[];
  words: SaidWords;
  /** Origin for the URLs of voice notes. */
  origin?: string;
}

/** Texts in the language of the person who exports. */
export interface SaidWords {
  summary: string;
  contents: string;
  outcomes: string;
  comments: string;
  /** Placeholder for deleted comments with replies. */
  deleted: string;
  /** Label before private annotations. */
  private: string;
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
  answers: readonly { name: string; text: string }[];
}

export interface SaidList {
  title: string;
  /** Above the text instead of below it. */
  above: boolean;
  lines: readonly SaidLine[];
}

export function saidLists({ summary, contents, outcomes, comments, words, origin = '' }: Said): SaidList[] {
  return [
    ...(summary ? [{ title: words.summary, above: true, lines: points(summary, words) }] : []),
    ...(contents ? [{ title: words.contents, above: true, lines: chapters(contents) }] : []),
    ...(outcomes
      ? [{ title: words.outcomes, above: false, lines: outcomes.map((one) => lineOf(one, words, origin)) }]
      : []),
    ...(comments ? [{ title: words.comments, above: false, lines: threads(comments, words, origin) }] : []),
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
    answers: [],
  }));

const about = ({ start, quote, author }: Annotation) => ({
  from: Math.round(start * 1000),
  quote: printable(quote),
  name: printable(author.name),
});

/** Text followed by the URL of its voice note. */
const spoken = (text: string, url: string | null, origin: string): string =>
  url === null ? text : `${text} ${printable(origin + url)}`.trim();

function lineOf(outcome: Outcome, words: SaidWords, origin: string): SaidLine {
  const { types } = words;
  const nameOf = (type: string) => types[type] ?? printable(ownName(type) ?? type);
  const graded = ({ type, grade }: ChildGrade) => `${nameOf(type)}${gradeOf(grade)}`;
  const children = outcome.children.length > 0 ? ` (${outcome.children.map(graded).join(', ')})` : '';
  return {
    ...about(outcome),
    head: `${graded(outcome)}${children}`,
    text: marked(outcome, spoken(printable(outcome.text), outcome.url, origin), words),
    answers: [],
  };
}

const gradeOf = (grade: number | null): string =>
  grade === null ? '' : grade === negative ? ' −' : ` ${String(grade)}`;

function threads(comments: readonly Comment[], words: SaidWords, origin: string): SaidLine[] {
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
      .map((comment) => ({ ...about(comment), head: '', text: textOf(comment), answers: answers(comment.id) }))
  );
}
