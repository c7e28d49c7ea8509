import type { Comment } from '#shared/meetings/annotations.ts';

/** What began a talk, and what was answered to it, in that order. */
export interface Thread {
  root: Comment;
  answers: Comment[];
}

export const isBlank = ({ author }: Comment): boolean => author.kind === 'deleted';

/** An answer to what is no longer there begins a talk of its own. */
export function threadsOf(comments: ReadonlyMap<string, Comment>): Thread[] {
  const rootOf = (comment: Comment): Comment => {
    let at = comment;
    // A circle is of nobody's making, and would never end.
    for (let i = 0; i < 20 && at.parent !== null; i += 1) {
      const parent = comments.get(at.parent);
      if (!parent) break;
      at = parent;
    }
    return at;
  };
  const threads = new Map<string, Thread>();
  for (const comment of comments.values()) {
    const root = rootOf(comment);
    const thread = threads.get(root.id) ?? { root, answers: [] };
    threads.set(root.id, thread);
    if (comment !== root) thread.answers.push(comment);
  }
  for (const { answers } of threads.values())
    answers.sort((one, other) => (one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0));
  // Nothing hangs any more on what was kept only for its answers.
  return [...threads.values()].filter(({ root, answers }) => !isBlank(root) || answers.length > 0);
}

/** The id of the talk a comment belongs to. */
export const threadWith = (threads: readonly Thread[], id: string): Thread | undefined =>
  threads.find(({ root, answers }) => root.id === id || answers.some((answer) => answer.id === id));
