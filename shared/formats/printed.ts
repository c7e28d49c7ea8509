import type { Printed } from './page.ts';
import type { SaidLine, SaidList } from './said.ts';
import type { SpokenDocument, SpokenTurn } from './spoken.ts';
import { shortTime, wholeTime } from './times.ts';

// Our own format as a PDF: to be read and printed. It holds what the Word document shows, but is never read back.

/** Texts in the language of the person who exports. */
export interface PrintedWords {
  date: string;
  length: string;
  language: string;
  speakers: string;
  transcript: string;
  unknown: string;
}

export const plainWords: PrintedWords = {
  date: 'Date',
  length: 'Length',
  language: 'Language',
  speakers: 'Speakers',
  transcript: 'Transcript',
  unknown: 'Unknown speaker',
};

/** Letters and emoji that no font of the PDF has: they are printed as boxes, and can still be copied and searched. */
export const unprintable =
  /(?!\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Common}|\p{Script=Inherited})\p{L}|\p{Emoji_Presentation}/u;

/** Chapters are headings above the paragraph that begins with them or after them. */
export function printed(
  document: SpokenDocument,
  said: readonly SaidList[] = [],
  chapters: readonly { start: number; title: string }[] = [],
  words: PrintedWords = plainWords,
): Printed[] {
  const { title, date, lasts, voices, turns } = document;
  const facts: [string, string][] = [
    [words.date, date],
    [words.length, wholeTime(lasts)],
    [words.speakers, voices.join(', ')],
  ];
  return [
    { kind: 'title', text: title },
    ...facts.flatMap(([name, value]): Printed[] => (value === '' ? [] : [{ kind: 'fact', name, value }])),
    ...said.flatMap((list): Printed[] => [
      { kind: 'heading', level: 1, text: list.title },
      ...list.lines.flatMap(annotation),
    ]),
    { kind: 'heading', level: 1, text: words.transcript },
    ...withChapters(turns, chapters, words),
  ];
}

function withChapters(
  turns: readonly SpokenTurn[],
  chapters: readonly { start: number; title: string }[],
  words: PrintedWords,
): Printed[] {
  const open = chapters.toSorted((one, other) => other.start - one.start);
  const begun = (until: number): Printed[] => {
    const headings: Printed[] = [];
    for (let next = open.at(-1); next && next.start * 1000 <= until; next = open.at(-1)) {
      open.pop();
      headings.push({ kind: 'heading', level: 2, text: next.title });
    }
    return headings;
  };
  const blocks = turns.flatMap(({ name, from, text }): Printed[] => [
    ...begun(from),
    { kind: 'segment', name: name || words.unknown, time: shortTime(from), text },
  ]);
  return [...blocks, ...begun(Infinity)];
}

const annotation = ({ from, head, text, name, quote, was, answers }: SaidLine): Printed[] => [
  {
    kind: 'said',
    time: from === null ? '' : shortTime(from),
    head,
    text: [text, name, was].filter(Boolean).join(' \u2014 '),
    quote,
    reply: false,
  },
  ...answers.map((answer): Printed => ({
    kind: 'said',
    time: '',
    head: answer.name,
    text: answer.text,
    quote: '',
    reply: true,
  })),
];
