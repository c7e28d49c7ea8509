import type * as Y from 'yjs';
import type { Visibility } from './visibility.ts';
import { readAnchor, type Anchored } from './anchors.ts';

// What people say about a recording beside its text: outcomes and comments. Each is one plain value under its id, written
// by the server alone; what somebody keeps private stands in the room of their own, in the same shape.

export interface Author {
  id: string;
  kind: 'user' | 'deleted';
  name: string;
}

export interface Annotation extends Anchored {
  id: string;
  /** Rises with each change: who has shown a change before it came tells by it which is the newer one. */
  rev: number;
  author: Author;
  private: boolean;
  createdAt: string;
  /** When it was last changed by somebody; null where it is as it was made. */
  editTimestamp: string | null;
}

export interface ChildGrade {
  type: string;
  grade: number | null;
}

export interface Outcome extends Annotation {
  type: string;
  text: string;
  children: ChildGrade[];
  grade: number | null;
  automatic: boolean;
  wasAutomatic: boolean;
  /** Of a voice note. */
  url: string | null;
}

export interface Comment extends Annotation {
  /** The comment this one answers. */
  parent: string | null;
  /** Rich text, as JSON. */
  text: string;
  /** When it was settled, and by whom. */
  resolved: { at: string; by: Author } | null;
  url: string | null;
}

export interface AnnotationOf {
  outcome: Outcome;
  comment: Comment;
}
export type AnnotationKind = keyof AnnotationOf;
export const annotationKinds = ['outcome', 'comment'] as const satisfies readonly AnnotationKind[];

/** The map a kind stands in, in the room everybody reads. */
export const rootOf = { outcome: 'outcomes', comment: 'comments' } as const satisfies Record<AnnotationKind, string>;

/** Of one's own room: ids are those the items have when they are revealed. */
export const privateRoot = 'private';

const mapOf = (doc: Y.Doc, kind: AnnotationKind, visibility: Visibility): Y.Map<unknown> =>
  doc.getMap(visibility === 'private' ? privateRoot : rootOf[kind]);

/** In one's own room several kinds stand beside each other. */
const keyOf = (kind: AnnotationKind, id: string, visibility: Visibility): string =>
  visibility === 'private' ? `${kind}:${id}` : id;

export function readAnnotations<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  visibility: Visibility,
): AnnotationOf[K][] {
  const found: AnnotationOf[K][] = [];
  for (const [key, value] of mapOf(doc, kind, visibility)) {
    const item = annotationOf(kind, value);
    if (item && key === keyOf(kind, item.id, visibility)) found.push({ ...item, private: visibility === 'private' });
  }
  return found.sort(inOrder);
}

export function readAnnotation<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  id: string,
  visibility: Visibility,
): AnnotationOf[K] | null {
  const item = annotationOf(kind, mapOf(doc, kind, visibility).get(keyOf(kind, id, visibility)));
  return item && { ...item, private: visibility === 'private' };
}

/** Whether there is or was an item of that name: a document remembers what was deleted of it. */
export const everStood = (doc: Y.Doc, kind: AnnotationKind, id: string, visibility: Visibility): boolean =>
  mapOf(doc, kind, visibility)._map.has(keyOf(kind, id, visibility));

export function writeAnnotation<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  item: AnnotationOf[K],
  visibility: Visibility,
  origin: unknown,
): void {
  doc.transact(() => mapOf(doc, kind, visibility).set(keyOf(kind, item.id, visibility), { ...item }), origin);
}

export function dropAnnotation(
  doc: Y.Doc,
  kind: AnnotationKind,
  id: string,
  visibility: Visibility,
  origin: unknown,
): void {
  doc.transact(() => mapOf(doc, kind, visibility).delete(keyOf(kind, id, visibility)), origin);
}

/** As they come in the recording; what was said about the same moment, in the order it was said. */
export const inOrder = (one: Annotation, other: Annotation): number =>
  one.start - other.start || compare(one.createdAt, other.createdAt) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

// ---- Reading what stands there -----------------------------------------------------------------

const string = (value: unknown): string => (typeof value === 'string' ? value : '');
const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
/** Of a moment nobody can read, only that it was. */
const begin = new Date(0).toISOString();
const momentOf = (value: unknown): string | null =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function authorOf(value: unknown): Author {
  const given = record(value) ?? {};
  return {
    id: string(given['id']),
    kind: given['kind'] === 'deleted' ? 'deleted' : 'user',
    name: string(given['name']),
  };
}

/** One's own room is written by whatever program somebody uses: what is no item there is none. */
function annotationOf<K extends AnnotationKind>(kind: K, value: unknown): AnnotationOf[K] | null {
  const given = record(value);
  if (!given || string(given['id']) === '') return null;
  const item: Annotation = {
    id: string(given['id']),
    rev: number(given['rev']),
    anchor: readAnchor(given['anchor']),
    start: number(given['start']),
    end: number(given['end']),
    quote: string(given['quote']),
    author: authorOf(given['author']),
    private: given['private'] === true,
    createdAt: momentOf(given['createdAt']) ?? begin,
    editTimestamp: momentOf(given['editTimestamp']),
  };
  const own: { [one in AnnotationKind]: () => AnnotationOf[one] } = {
    outcome: () => ({
      ...item,
      type: string(given['type']),
      text: string(given['text']),
      children: gradesOf(given['children']),
      grade: numberOrNull(given['grade']),
      automatic: given['automatic'] === true,
      wasAutomatic: given['wasAutomatic'] === true,
      url: stringOrNull(given['url']),
    }),
    comment: () => ({
      ...item,
      parent: stringOrNull(given['parent']),
      text: string(given['text']),
      resolved: resolvedOf(given['resolved']),
      url: stringOrNull(given['url']),
    }),
  };
  return own[kind]();
}

function gradesOf(value: unknown): ChildGrade[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const type = string(record(one)?.['type']);
    return type === '' ? [] : [{ type, grade: numberOrNull(record(one)?.['grade']) }];
  });
}

function resolvedOf(value: unknown): Comment['resolved'] {
  const given = record(value);
  return given ? { at: momentOf(given['at']) ?? begin, by: authorOf(given['by']) } : null;
}
