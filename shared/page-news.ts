import type { Progress } from './intake.ts';

/** What open pages are told without asking: that the line stands, that something may have been missed, how far one is. */
export type ProgressNews =
  | { kind: 'here' }
  | { kind: 'again' }
  | { kind: 'progress'; meeting: string; progress: Progress };

/** And that a comment speaks to this person. */
export interface MentionNews {
  kind: 'mention';
  meeting: string;
  comment: string;
  author: string;
  title: string;
}

/** And that something came into this person's lists, or left them. */
interface LibraryNews {
  kind: 'library';
}

export type PageNews = ProgressNews | MentionNews | LibraryNews;
