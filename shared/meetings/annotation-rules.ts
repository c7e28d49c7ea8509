import { holds, type Permission } from '../roles.ts';
import type { Comment, Annotation, AnnotationKind } from './annotations.ts';

// Who may do what with what is said about a recording: asked by the server before it writes, and by screens before they
// offer it.

export interface Asking {
  userId: string | null;
  held: ReadonlySet<Permission>;
}

/** What is private needs no more than to read: it is seen by nobody else. */
export function mayAdd({ userId, held }: Asking, own: boolean): boolean {
  return userId !== null && held.has('read') && (own || holds(held, 'comment'));
}

const isAuthor = ({ userId }: Asking, { author }: Annotation): boolean =>
  author.kind === 'user' && author.id === userId;

/** What somebody said is theirs; an outcome is work of all who may write. */
export function mayChange(asking: Asking, kind: AnnotationKind, item: Annotation): boolean {
  if (!mayAdd(asking, item.private)) return false;
  return isAuthor(asking, item) || (!item.private && kind === 'outcome' && asking.held.has('write'));
}

export function mayDelete(asking: Asking, kind: AnnotationKind, item: Annotation): boolean {
  return mayChange(asking, kind, item) || (asking.userId !== null && !item.private && asking.held.has('own'));
}

/** Who takes part in a talk may say that it is settled. */
export const mayResolve = (asking: Asking, comment: Comment): boolean => mayAdd(asking, comment.private);

/** Shown to everybody: only by who said it, and only where that one may say things to everybody. */
export const mayReveal = (asking: Asking, item: Annotation): boolean =>
  item.private && isAuthor(asking, item) && mayAdd(asking, false);
