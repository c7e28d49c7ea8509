import { blanked, changedComment, changedOutcome } from '#shared/meetings/annotation-changes.ts';
import type { CommentChange, GradeChange, OutcomeChange } from '#shared/meetings/annotation-inputs.ts';
import type { Author, AnnotationKind, AnnotationOf } from '#shared/meetings/annotations.ts';
import { changedGrade, noGrade, type SheetGrade } from '#shared/meetings/grades.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import type { FieldError } from '#shared/problems.ts';

// Changes of outcomes, comments and grades that the server has not confirmed: shown at once, sent in order.

interface ChangeOf {
  outcome: OutcomeChange;
  comment: CommentChange;
}

/** Kinds of what commands change: annotations, and the grades of a sheet by their keys. */
export type CommandKind = AnnotationKind | 'grade';

interface Order<K extends CommandKind> {
  /** Id of the request; the server executes a repeated one only once. */
  id: string;
  kind: K;
  itemId: string;
  /** Time and author, shown until the server's version arrives. */
  at: string;
  by: Author;
  /** Time of the first attempt, in milliseconds of this browser's clock: the server may have executed it since. */
  sentAt?: number;
  /** Refused by the server: stored for its author, and sent again only on their request. */
  refused?: true;
}

type What<K extends AnnotationKind> =
  /** With a voice note, which is uploaded first. */
  | { do: 'add'; item: AnnotationOf[K]; voice?: Blob }
  | { do: 'change'; change: ChangeOf[K] }
  | { do: 'delete' }
  | { do: 'reveal' };

export type CommandOf<K extends AnnotationKind> = Order<K> & What<K>;
/** A grade is only ever changed. */
export type GradeCommand = Order<'grade'> & { do: 'change'; change: GradeChange };
export type Command = CommandOf<'outcome'> | CommandOf<'comment'> | GradeCommand;

/** Annotation or grade as the server returned it; null if it no longer exists. */
export type Answer = AnnotationOf[AnnotationKind] | SheetGrade | null;

export interface Answered {
  command: Command;
  answer: Answer;
}

/** Annotations of both kinds by id, and grades by their keys. */
export type Annotations = { [K in AnnotationKind]: ReadonlyMap<string, AnnotationOf[K]> } & {
  grade: ReadonlyMap<string, SheetGrade>;
};

/** Annotations of the rooms, overlaid with the server's responses and with the commands that wait. */
export function layOver(items: Annotations, answered: readonly Answered[], waiting: readonly Command[]): Annotations {
  const outcomes = new Map(items.outcome);
  const comments = new Map(items.comment);
  const grades = new Map(items.grade);
  for (const { command, answer } of answered) {
    if (command.kind === 'outcome') applyAnswer(outcomes, command.itemId, answer as AnnotationOf['outcome'] | null);
    else if (command.kind === 'comment')
      applyAnswer(comments, command.itemId, answer as AnnotationOf['comment'] | null);
    else applyAnswer(grades, command.itemId, answer as SheetGrade | null);
  }
  for (const command of waiting) {
    if (command.kind === 'outcome') put(outcomes, command.itemId, outcomeAfter(command, outcomes));
    else if (command.kind === 'comment') put(comments, command.itemId, commentAfter(command, comments));
    else grades.set(command.itemId, gradeAfter(command, grades));
  }
  return { outcome: outcomes, comment: comments, grade: grades };
}

const gradeAfter = ({ itemId, change, by }: GradeCommand, grades: ReadonlyMap<string, SheetGrade>): SheetGrade =>
  changedGrade(grades.get(itemId) ?? noGrade(itemId, by.id), change, by.id);

function applyAnswer<T extends { rev: number }>(items: Map<string, T>, id: string, answer: T | null): void {
  const now = items.get(id);
  if (answer === null) items.delete(id);
  else if (!now || now.rev < answer.rev) items.set(id, answer);
}

function put<T>(items: Map<string, T>, id: string, item: T | undefined): void {
  if (item) items.set(id, item);
  else items.delete(id);
}

function outcomeAfter(
  command: CommandOf<'outcome'>,
  items: ReadonlyMap<string, AnnotationOf['outcome']>,
): AnnotationOf['outcome'] | undefined {
  const now = items.get(command.itemId);
  switch (command.do) {
    case 'add':
      return now ?? command.item;
    case 'change':
      return now && changedOutcome(now, command.change, command.by, command.at);
    case 'delete':
      return undefined;
    case 'reveal':
      return now && { ...now, private: false };
  }
}

function commentAfter(
  command: CommandOf<'comment'>,
  items: ReadonlyMap<string, AnnotationOf['comment']>,
): AnnotationOf['comment'] | undefined {
  const now = items.get(command.itemId);
  switch (command.do) {
    case 'add':
      return now ?? command.item;
    case 'change':
      return now && changedComment(now, command.change, command.by, command.at);
    case 'delete':
      if (!now || ![...items.values()].some(({ parent }) => parent === now.id)) return undefined;
      return blanked(now, command.at);
    case 'reveal':
      return now && { ...now, private: false };
  }
}

/** Whether the room has the state of the server's response, or a newer one. */
export function isShown(items: Annotations, { command, answer }: Answered): boolean {
  const now = items[command.kind].get(command.itemId);
  return answer === null ? now === undefined : now !== undefined && now.rev >= answer.rev;
}

/** Text that a command contains. */
export function wordsOf(command: Command): string {
  if (command.do === 'add') return command.kind === 'comment' ? plainOf(command.item.text) : command.item.text;
  if (command.do !== 'change') return '';
  if (command.kind === 'grade') return command.change.words ?? '';
  const { text = '' } = command.change;
  return command.kind === 'comment' ? plainOf(text) : text;
}

const hasContent = (command: Command): boolean =>
  wordsOf(command) !== '' || (command.do === 'add' && command.voice !== undefined);

/** Commands with content among those refused together, each in the form for another attempt. */
export function unsentAfter(commands: readonly Command[], error: unknown): Command[] {
  const unsent = new Map<string, Command>();
  for (const [i, command] of commands.entries()) {
    const on = `${command.kind} ${command.itemId}`;
    const made = unsent.get(on);
    if (command.do === 'add') unsent.set(on, i === 0 ? retryOf(command, error) : command);
    else if (made?.do !== 'add') unsent.set(command.id, command);
    else {
      const next = becoming(made, command);
      if (next) unsent.set(on, next);
      else unsent.delete(on);
    }
  }
  return [...unsent.values()].filter(hasContent).map((command) => ({ ...command, refused: true }));
}

/** Merges a later command into one that adds an annotation; null if that deletes it. */
function becoming(made: Command & { do: 'add' }, next: Command): Command | null {
  const none: Annotations = { outcome: new Map(), comment: new Map(), grade: new Map() };
  const item = layOver(none, [], [made, next])[made.kind].get(made.itemId);
  return item ? ({ ...made, item } as Command) : null;
}

/** Form of a refused command for another attempt: a reply to a deleted comment becomes a comment of its own. */
export function retryOf(command: Command, error: unknown): Command {
  const { errors = [] } = (error ?? {}) as { errors?: readonly FieldError[] };
  if (command.kind !== 'comment' || command.do !== 'add') return command;
  const isGone = errors.some(({ field, code }) => field === 'parent' && code === 'unknown');
  return isGone ? { ...command, item: { ...command.item, parent: null } } : command;
}
