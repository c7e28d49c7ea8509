import type { CommentChange, OutcomeChange } from './annotation-inputs.ts';
import type { Author, Comment, Annotation, Outcome } from './annotations.ts';
import { mergeTexts } from './summary.ts';

// What becomes of an item that is changed: the server writes it, and the page of whoever asked for it shows it before.

export function changedOutcome(item: Outcome, change: OutcomeChange, by: Author, at: string): Outcome {
  const { type, text, textWas, children, mark, grade, start, end, quote, anchor } = change;
  const another = type !== undefined && type !== item.type;
  return {
    ...item,
    editTimestamp: at,
    ...(start !== undefined && end !== undefined && { start, end, quote: quote ?? item.quote, anchor: anchor ?? null }),
    ...(text !== undefined && { text: textWas === undefined ? text : mergeTexts(textWas, item.text, text) }),
    // What was marked below the old type says nothing about the new one.
    ...(another && { type, children: [], grade: null }),
    ...(children && { children }),
    ...(mark && { children: withMark(another ? [] : item.children, mark) }),
    ...(grade !== undefined && { grade }),
    // Whoever says what the machine has found is something else answers for it.
    ...(another && item.automatic && { automatic: false, wasAutomatic: true, author: by }),
  };
}

/** One mark in the place of what was said of the same. */
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

/** That it was settled is no change of what was said. */
export function changedComment(item: Comment, { text, resolved }: CommentChange, by: Author, at: string): Comment {
  return {
    ...item,
    ...(text !== undefined && { text, editTimestamp: at }),
    ...(resolved === true && { resolved: item.resolved ?? { at, by } }),
    ...(resolved === false && { resolved: null }),
  };
}

/** The same without the names of these people; null where none of them stands in it. */
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

/** Of what has been answered, author and words go, and its place stays. */
export const blanked = (item: Comment, at: string): Comment => ({
  ...item,
  text: '',
  author: { id: '', kind: 'deleted', name: '' },
  url: null,
  editTimestamp: at,
});

const stamped: readonly string[] = ['id', 'rev', 'author', 'private', 'createdAt', 'editTimestamp'];

/**
 * What became of an item between two moments, put on a copy of it that others may have changed since the first; null where
 * they have changed the same.
 */
export function carriedOver<T extends Annotation>(copy: T, before: T, after: T): T | null {
  const text = (item: T, key: string) => JSON.stringify(item[key as keyof T] ?? null);
  const keys = Object.keys(after).filter((key) => !stamped.includes(key) && text(before, key) !== text(after, key));
  const clash = keys.some((key) => text(copy, key) !== text(before, key) && text(copy, key) !== text(after, key));
  return clash ? null : { ...copy, ...Object.fromEntries(keys.map((key) => [key, after[key as keyof T]])) };
}
