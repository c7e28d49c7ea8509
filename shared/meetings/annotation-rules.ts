import { holds, type Permission } from '../roles.ts';
import type { Comment, Annotation, AnnotationKind } from './annotations.ts';

// Permissions for annotations: checked by the server before it writes, and by screens before they offer an action.

export interface Asking {
  userId: string | null;
  held: ReadonlySet<Permission>;
  /** Row in the list of reviewers that stands in the place of the account, in an anonymous review. */
  reviewerId?: string | null;
  /** Nothing can be kept private here, as in an assessment. */
  shared?: boolean;
}

/** Private annotations need only `read`, because nobody else sees them. */
export function mayAdd({ userId, held, shared = false }: Asking, own: boolean): boolean {
  return userId !== null && held.has('read') && ((own && !shared) || holds(held, 'comment'));
}

export const isAuthor = ({ userId, reviewerId = null }: Asking, { author }: Annotation): boolean =>
  author.kind === 'reviewer' ? author.id === reviewerId : author.kind === 'user' && author.id === userId;

/** Annotations belong to their authors; shared outcomes may also be changed with `write`. */
export function mayChange(asking: Asking, kind: AnnotationKind, item: Annotation): boolean {
  if (!mayAdd(asking, item.private)) return false;
  return isAuthor(asking, item) || (!item.private && kind === 'outcome' && asking.held.has('write'));
}

/** People who may write can put shared comments of others on words, too, as they can change the words below them. */
export const mayMove = (asking: Asking, kind: AnnotationKind, item: Annotation): boolean =>
  mayChange(asking, kind, item) || (mayAdd(asking, item.private) && !item.private && asking.held.has('write'));

export function mayDelete(asking: Asking, kind: AnnotationKind, item: Annotation): boolean {
  return mayChange(asking, kind, item) || (asking.userId !== null && !item.private && asking.held.has('own'));
}

/** Everyone who may reply may resolve. */
export const mayResolve = (asking: Asking, comment: Comment): boolean => mayAdd(asking, comment.private);

/** Only the author may publish a private annotation, and only with permission to comment. */
export const mayReveal = (asking: Asking, item: Annotation): boolean =>
  item.private && isAuthor(asking, item) && mayAdd(asking, false);
