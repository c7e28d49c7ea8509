import type * as Y from 'yjs';
import type { Visibility } from './visibility.ts';
import { isSameAnchor, readAnchor, type Anchor, type Anchored } from './anchors.ts';

// Outcomes and comments of a recording. Each is one plain value under its id, written by the server alone; private ones
// have the same shape in the room of their author.

export const authorKinds = ['user', 'reviewer', 'deleted'] as const;

export interface Author {
  id: string;
  /** `reviewer`: `id` is that of a row in the list of reviewers, and only that list names people. */
  kind: (typeof authorKinds)[number];
  name: string;
}

export interface Annotation extends Anchored {
  id: string;
  /** Rises with each change; a page that already shows its own change can tell which version is newer. */
  rev: number;
  author: Author;
  private: boolean;
  createdAt: string;
  /** Time of the last change; null if never changed. */
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
  /** URL of the voice note; null for other outcomes. */
  url: string | null;
}

export interface Comment extends Annotation {
  /** Id of the comment this one replies to. */
  parent: string | null;
  /** Rich text, as JSON. */
  text: string;
  /** Time of resolving, and by whom. */
  resolved: { at: string; by: Author } | null;
  url: string | null;
}

export interface AnnotationOf {
  outcome: Outcome;
  comment: Comment;
}
export type AnnotationKind = keyof AnnotationOf;
export const annotationKinds = ['outcome', 'comment'] as const satisfies readonly AnnotationKind[];

/** Map that holds a kind of annotation in the shared room. */
export const rootOf = { outcome: 'outcomes', comment: 'comments' } as const satisfies Record<AnnotationKind, string>;

/** Map in a private room; ids are the same after publishing. */
export const privateRoot = 'private';

const mapOf = (doc: Y.Doc, kind: AnnotationKind, visibility: Visibility): Y.Map<unknown> =>
  doc.getMap(visibility === 'private' ? privateRoot : rootOf[kind]);

/** Keys in a private room carry the kind, because one map holds all kinds. */
const keyOf = (kind: AnnotationKind, id: string, visibility: Visibility): string =>
  visibility === 'private' ? `${kind}:${id}` : id;

/** An annotation as it is stored under its key; an unchanged one is the same value. */
export interface StoredAnnotation<K extends AnnotationKind = AnnotationKind> {
  kind: K;
  key: string;
  value: unknown;
}

/** All that stands where annotations of a kind do. */
export function storedAnnotations<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  visibility: Visibility,
): StoredAnnotation<K>[] {
  const found: StoredAnnotation<K>[] = [];
  for (const [key, value] of mapOf(doc, kind, visibility)) found.push({ kind, key, value });
  return found;
}

/** The annotation; null for anything else. */
export function annotationIn<K extends AnnotationKind>(
  { kind, key, value }: StoredAnnotation<K>,
  visibility: Visibility,
): AnnotationOf[K] | null {
  const item = annotationOf(kind, value);
  return item && key === keyOf(kind, item.id, visibility) ? { ...item, private: visibility === 'private' } : null;
}

export const readAnnotations = <K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  visibility: Visibility,
): AnnotationOf[K][] =>
  storedAnnotations(doc, kind, visibility)
    .flatMap((one) => annotationIn(one, visibility) ?? [])
    .sort(inOrder);

export function readAnnotation<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  id: string,
  visibility: Visibility,
): AnnotationOf[K] | null {
  const item = annotationOf(kind, mapOf(doc, kind, visibility).get(keyOf(kind, id, visibility)));
  return item && { ...item, private: visibility === 'private' };
}

/**
 * Calls `visit` with the id of each annotation of a shared room, and with who wrote its value and when: as long as both
 * numbers are the same, so is the value.
 */
export function visitAnnotations(
  doc: Y.Doc,
  kind: AnnotationKind,
  visit: (id: string, client: number, clock: number) => void,
): void {
  for (const [id, item] of mapOf(doc, kind, 'shared')._map) if (!item.deleted) visit(id, item.id.client, item.id.clock);
}

/** Whether this id is or was in use: the map remembers deleted keys. */
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

/** Puts annotations on other characters, by their ids; those that have another anchor than `from` meanwhile stay. */
export function moveAnchors<K extends AnnotationKind>(
  doc: Y.Doc,
  kind: K,
  moves: ReadonlyMap<string, { from: Anchor; to: Anchor }>,
  visibility: Visibility,
  origin: unknown,
): void {
  for (const [id, { from, to }] of moves) {
    const item = readAnnotation(doc, kind, id, visibility);
    if (!item?.anchor || !isSameAnchor(item.anchor, from)) continue;
    writeAnnotation(doc, kind, { ...item, anchor: to, rev: item.rev + 1 }, visibility, origin);
  }
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

type Ordered = Pick<Annotation, 'start' | 'createdAt' | 'id'>;

/** Orders by time in the recording, then by creation. */
export const inOrder = (one: Ordered, other: Ordered): number =>
  one.start - other.start || compare(one.createdAt, other.createdAt) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

// ---- Reading stored values ----------------------------------------------------------------------

const string = (value: unknown): string => (typeof value === 'string' ? value : '');
const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
/** Fallback for unreadable times. */
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
    kind: authorKinds.find((kind) => kind === given['kind']) ?? 'user',
    name: string(given['name']),
  };
}

/** Annotation from untrusted data: private rooms are written by any client. Null for anything else. */
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
  const readers: { [one in AnnotationKind]: () => AnnotationOf[one] } = {
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
  return readers[kind]();
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
