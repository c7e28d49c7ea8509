import type { Anchored } from './anchors.ts';
import type { CommentChange, OutcomeChange } from './annotation-inputs.ts';
import type { Author, Comment, Annotation, Outcome } from './annotations.ts';
import { mergeTexts } from './summary.ts';

// Changes of an annotation: computed by the server before it writes, and by the page to show them at once.

export function changedOutcome(item: Outcome, change: OutcomeChange, by: Author, at: string): Outcome {
  const { type, text, textWas, children, mark, grade } = change;
  const another = type !== undefined && type !== item.type;
  return {
    ...item,
    editTimestamp: at,
    ...movedBy(item, change),
    ...(text !== undefined && { text: textWas === undefined ? text : mergeTexts(textWas, item.text, text) }),
    // Children and grade belong to the old type.
    ...(another && { type, children: [], grade: null }),
    ...(children && { children }),
    ...(mark && { children: withMark(another ? [] : item.children, mark) }),
    ...(grade !== undefined && { grade }),
    // Changing the type of an automatic outcome makes the person its author.
    ...(another && item.automatic && { automatic: false, wasAutomatic: true, author: by }),
  };
}

/** The passage that a change gives; none where it leaves the passage as it is. */
function movedBy(
  item: Annotation,
  { start, end, quote, anchor }: Pick<OutcomeChange, 'start' | 'end' | 'quote' | 'anchor'>,
): Anchored | null {
  if (start === undefined || end === undefined) return null;
  return { start, end, quote: quote ?? item.quote, anchor: anchor ?? null };
}

/** Sets or removes the grade of one child type. */
function withMark(
  children: Outcome['children'],
  { type, grade, on }: NonNullable<OutcomeChange['mark']>,
): Outcome['children'] {
  if (!on) return children.filter((one) => one.type !== type);
  const next = { type, grade };
  return children.some((one) => one.type === type)
    ? children.map((one) => (one.type === type ? next : one))
    : [...children, next];
}

/** Neither resolving nor another passage is an edit: `editTimestamp` stays as it is. */
export function changedComment(item: Comment, change: CommentChange, by: Author, at: string): Comment {
  const { text, resolved } = change;
  return {
    ...item,
    ...movedBy(item, change),
    ...(text !== undefined && { text, editTimestamp: at }),
    ...(resolved === true && { resolved: item.resolved ?? { at, by } }),
    ...(resolved === false && { resolved: null }),
  };
}

/** The annotation without the names of these people; null if it names none of them. */
export function withoutNames<T extends Annotation>(item: T, ids: ReadonlySet<string>): T | null {
  const named = (by: Author) => by.name !== '' && ids.has(by.id);
  const nameless = (by: Author) => (named(by) ? { ...by, name: '' } : by);
  const { author, resolved = null } = item as Annotation & Partial<Pick<Comment, 'resolved'>>;
  if (!named(author) && !(resolved && named(resolved.by))) return null;
  return {
    ...item,
    author: nameless(author),
    ...(resolved && { resolved: { ...resolved, by: nameless(resolved.by) } }),
  };
}

/** Deleted comment with replies: author and text are removed, its place in the thread stays. */
export const blanked = (item: Comment, at: string): Comment => ({
  ...item,
  text: '',
  author: { id: '', kind: 'deleted', name: '' },
  url: null,
  editTimestamp: at,
});

const stamped: readonly string[] = ['id', 'rev', 'author', 'private', 'createdAt', 'editTimestamp'];

/**
 * Applies the changes from `before` to `after` to a copy that may have been changed since; null if both changed the
 * same field differently.
 */
export function carriedOver<T extends Annotation>(copy: T, before: T, after: T): T | null {
  const text = (item: T, key: string) => JSON.stringify(item[key as keyof T] ?? null);
  const keys = Object.keys(after).filter((key) => !stamped.includes(key) && text(before, key) !== text(after, key));
  const clash = keys.some((key) => text(copy, key) !== text(before, key) && text(copy, key) !== text(after, key));
  return clash ? null : { ...copy, ...Object.fromEntries(keys.map((key) => [key, after[key as keyof T]])) };
}
