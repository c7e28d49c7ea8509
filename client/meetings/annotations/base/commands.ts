import { blanked, changedComment, changedOutcome } from '#shared/meetings/annotation-changes.ts';
import type { CommentChange, OutcomeChange } from '#shared/meetings/annotation-inputs.ts';
import type { Author, AnnotationKind, AnnotationOf } from '#shared/meetings/annotations.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import type { FieldError } from '#shared/problems.ts';

// What people do to outcomes and comments, before the server has done it: each is shown at once and sent in its turn.

interface ChangeOf {
  outcome: OutcomeChange;
  comment: CommentChange;
}

interface Order<K extends AnnotationKind> {
  /** The request's: asked twice, the server does it once. */
  id: string;
  kind: K;
  itemId: string;
  /** When and by whom, as it is shown until the server has said it. */
  at: string;
  by: Author;
  /** When it first left, in milliseconds by this browser's clock: it may have arrived then. */
  sentAt?: number;
  /** The server would not do it: it is kept for whoever gave it, and sent only if they say so. */
  refused?: true;
}

type What<K extends AnnotationKind> =
  /** With what was spoken, which is sent first. */
  | { do: 'add'; item: AnnotationOf[K]; voice?: Blob }
  | { do: 'change'; change: ChangeOf[K] }
  | { do: 'delete' }
  | { do: 'reveal' };

export type CommandOf<K extends AnnotationKind> = Order<K> & What<K>;
export type Command = CommandOf<'outcome'> | CommandOf<'comment'>;

/** What the server made of a command: the item as it is now, or null where it is gone. */
export type Answer = AnnotationOf[AnnotationKind] | null;

export interface Answered {
  command: Command;
  answer: Answer;
}

/** Both kinds, by their id. */
export type Annotations = { [K in AnnotationKind]: ReadonlyMap<string, AnnotationOf[K]> };

/** What stands in the rooms, with what the server has answered since and what is on its way laid over it. */
export function layOver(items: Annotations, answered: readonly Answered[], waiting: readonly Command[]): Annotations {
  const outcomes = new Map(items.outcome);
  const comments = new Map(items.comment);
  for (const { command, answer } of answered) {
    if (command.kind === 'outcome') settle(outcomes, command.itemId, answer as AnnotationOf['outcome'] | null);
    else settle(comments, command.itemId, answer as AnnotationOf['comment'] | null);
  }
  for (const command of waiting) {
    if (command.kind === 'outcome') put(outcomes, command.itemId, outcomeAfter(command, outcomes));
    else put(comments, command.itemId, commentAfter(command, comments));
  }
  return { outcome: outcomes, comment: comments };
}

function settle<T extends { rev: number }>(items: Map<string, T>, id: string, answer: T | null): void {
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

/** Whether a room shows what the server answered, or something newer. */
export function isShown(items: Annotations, { command, answer }: Answered): boolean {
  const now = items[command.kind].get(command.itemId);
  return answer === null ? now === undefined : now !== undefined && now.rev >= answer.rev;
}

/** What somebody wrote with a command. */
export function wordsOf(command: Command): string {
  if (command.do === 'add') return command.kind === 'comment' ? plainOf(command.item.text) : command.item.text;
  if (command.do !== 'change') return '';
  const { text = '' } = command.change;
  return command.kind === 'comment' ? plainOf(text) : text;
}

const saysSomething = (command: Command): boolean =>
  wordsOf(command) !== '' || (command.do === 'add' && command.voice !== undefined);

/** What is left to somebody of commands that were refused together: words and voices, each as it is to be sent another time. */
export function leftOf(commands: readonly Command[], error: unknown): Command[] {
  const left = new Map<string, Command>();
  for (const [i, command] of commands.entries()) {
    const on = `${command.kind} ${command.itemId}`;
    const made = left.get(on);
    if (command.do === 'add') left.set(on, i === 0 ? nextTime(command, error) : command);
    else if (made?.do !== 'add') left.set(command.id, command);
    else {
      const next = becoming(made, command);
      if (next) left.set(on, next);
      else left.delete(on);
    }
  }
  return [...left.values()].filter(saysSomething).map((command) => ({ ...command, refused: true }));
}

/** An item that was never made, as what was done to it since makes it; null where it was deleted. */
function becoming(made: Command & { do: 'add' }, next: Command): Command | null {
  const none: Annotations = { outcome: new Map(), comment: new Map() };
  const item = layOver(none, [], [made, next])[made.kind].get(made.itemId);
  return item ? ({ ...made, item } as Command) : null;
}

/** As a refused command is sent the next time: where what it answers is gone, it begins a talk of its own. */
export function nextTime(command: Command, error: unknown): Command {
  const { errors = [] } = (error ?? {}) as { errors?: readonly FieldError[] };
  if (command.kind !== 'comment' || command.do !== 'add') return command;
  const isGone = errors.some(({ field, code }) => field === 'parent' && code === 'unknown');
  return isGone ? { ...command, item: { ...command.item, parent: null } } : command;
}
