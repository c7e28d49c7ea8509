import type { Progress } from './intake.ts';

/**
 * Events for open pages: the connection is up (`here`), events may have been missed (`again`), progress of a recording.
 */
export type ProgressNews =
  | { kind: 'here' }
  | { kind: 'again' }
  | { kind: 'progress'; meeting: string; progress: Progress };

/** A comment mentions somebody, answers a thread of theirs, or is on their recording. */
export type Telling = 'mention' | 'reply' | 'comment';

/** A comment concerns this person. */
export interface CommentNews {
  kind: Telling;
  meeting: string;
  comment: string;
  author: string;
  title: string;
}

/** The lists of this person have changed. */
interface LibraryNews {
  kind: 'library';
}

/** A team of this person has changed: who is in it, or what it is shown to be. */
interface GroupNews {
  kind: 'groups';
}

/** The balance of this person has changed, or what is reserved of it. */
interface BalanceNews {
  kind: 'balance';
}

/** An answer to this person has changed: how many parts of it there are. */
export interface AnswerNews {
  kind: 'ai';
  run: string;
  state: string;
  parts: number;
}

/** A review shows this person something else now. */
export interface ReviewNews {
  kind: 'review';
  meeting: string;
  review: string;
}

/** An assessment of a review that this person reads has changed. */
interface AssessmentNews {
  kind: 'assessment';
  meeting: string;
  review: string;
}

export type PageNews =
  | ProgressNews
  | CommentNews
  | LibraryNews
  | GroupNews
  | BalanceNews
  | AnswerNews
  | ReviewNews
  | AssessmentNews;
