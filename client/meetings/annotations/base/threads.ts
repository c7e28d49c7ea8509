import type { Comment } from '#shared/meetings/annotations.ts';

/** First comment of a thread, and its replies in order. */
export interface Thread {
  root: Comment;
  answers: Comment[];
}

export const isBlank = ({ author }: Comment): boolean => author.kind === 'deleted';

/** Groups comments into threads; a reply to a missing comment begins its own. */
export function threadsOf(comments: ReadonlyMap<string, Comment>): Thread[] {
  const rootOf = (comment: Comment): Comment => {
    let at = comment;
    // Limit in case of a circle, which only corrupt data could have.
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
  // A deleted comment is listed only as long as it has replies.
  return [...threads.values()].filter(({ root, answers }) => !isBlank(root) || answers.length > 0);
}

/** Thread that contains a comment. */
export const threadWith = (threads: readonly Thread[], id: string): Thread | undefined =>
  threads.find(({ root, answers }) => root.id === id || answers.some((answer) => answer.id === id));
