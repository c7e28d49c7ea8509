import type * as Y from 'yjs';

/** Title and language of a transcript; `lang` is one of intake.ts. */
export interface About {
  title: string;
  lang: string;
}

const map = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('about');
const string = (value: unknown): string => (typeof value === 'string' ? value : '');
const keys = ['title', 'lang'] as const;

export const longestTitle = 500;
export const longestTag = 100;
export const mostTags = 300;
/** Letters of the id of a language model. */
export const longestChatModel = 200;

/** Collapses runs of whitespace and line ends to one blank. */
export const plainTitle = (typed: string): string => typed.replace(/\s+/g, ' ').trim();

export function readAbout(doc: Y.Doc): About {
  return { title: string(map(doc).get('title')), lang: string(map(doc).get('lang')) };
}

/** Writes only changed fields, so that saving an unchanged form does not overwrite a concurrent change. */
export function writeAbout(doc: Y.Doc, about: Partial<About>, origin: unknown): void {
  const now = readAbout(doc);
  doc.transact(() => {
    for (const key of keys) {
      const given = about[key];
      const value = given === undefined ? undefined : plainTitle(given).slice(0, longestTitle).trimEnd();
      if (value !== undefined && value !== now[key]) map(doc).set(key, value);
    }
  }, origin);
}

// Tags are map keys, so that two people who add different tags at the same time both keep theirs.
const tagMap = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('tags');
const tagOf = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, longestTag);

/** Tags in the order they were added. */
export function readTags(doc: Y.Doc): string[] {
  const order = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
  return [...tagMap(doc).entries()]
    .sort(([a, x], [b, y]) => order(x) - order(y) || (a < b ? -1 : 1))
    .map(([tag]) => tag);
}

/** Returns false for an empty tag and for an existing one, ignoring case. */
export function addTag(doc: Y.Doc, text: string, origin: unknown): boolean {
  const tag = tagOf(text);
  const existing = readTags(doc);
  if (tag === '' || existing.some((other) => other.toLowerCase() === tag.toLowerCase())) return false;
  const last = Math.max(0, ...[...tagMap(doc).values()].filter((value) => typeof value === 'number'));
  doc.transact(() => tagMap(doc).set(tag, last + 1), origin);
  return true;
}

export function removeTag(doc: Y.Doc, tag: string, origin: unknown): boolean {
  if (!tagMap(doc).has(tag)) return false;
  doc.transact(() => tagMap(doc).delete(tag), origin);
  return true;
}

/** Sets the tags; tags that stay are not touched. */
export function writeTags(doc: Y.Doc, tags: readonly string[], origin: unknown): void {
  doc.transact(() => {
    const wanted = tags.map(tagOf);
    for (const tag of readTags(doc)) if (!wanted.includes(tag)) removeTag(doc, tag, origin);
    for (const tag of wanted) addTag(doc, tag, origin);
  }, origin);
}

/** Tags that were replaced by another one, or taken away. */
export interface TagChange {
  /** Each with its number in the order. */
  removed: [tag: string, order: number][];
  /** Null where nothing was added. */
  added: string | null;
}

const isTag = (doc: Y.Doc, text: string): boolean =>
  readTags(doc).some((other) => other.toLowerCase() === text.toLowerCase());

/** Puts one tag, or none, in the place of those of `from`; null if the document has none of these. */
export function replaceTags(doc: Y.Doc, from: readonly string[], to: string | null, origin: unknown): TagChange | null {
  const order = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
  const gone = [...tagMap(doc)].filter(([tag]) => from.includes(tag) && tag !== to);
  if (gone.length === 0) return null;
  const removed = gone.map(([tag, value]): [string, number] => [tag, order(value)]);
  let added: string | null = null;
  doc.transact(() => {
    for (const [tag] of removed) tagMap(doc).delete(tag);
    if (to === null || isTag(doc, to)) return;
    tagMap(doc).set(to, Math.min(...removed.map(([, at]) => at)));
    added = to;
  }, origin);
  return { removed, added };
}

/** Takes a replacement back; false if these tags are no longer as it left them. */
export function putTagsBack(doc: Y.Doc, { removed, added }: TagChange, origin: unknown): boolean {
  if ((added !== null && !tagMap(doc).has(added)) || removed.some(([tag]) => tagMap(doc).has(tag))) return false;
  doc.transact(() => {
    if (added !== null) tagMap(doc).delete(added);
    for (const [tag, order] of removed) tagMap(doc).set(tag, order);
  }, origin);
  return true;
}
