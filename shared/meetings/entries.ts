import * as Y from 'yjs';

// The lists beside the text: contents, bookmarks, highlights, summaries. Each entry stands under a key of its own, so that
// two people who add at the same time both keep theirs, and is a map, so that they may change different fields of one.

export const entryLists = ['toc', 'bookmarks', 'highlights', 'summary'] as const;
export type EntryList = (typeof entryLists)[number];

/** What an entry says, with its key as `id`. */
export type Entry = Record<string, unknown> & { id: string };

export function readEntries(doc: Y.Doc, list: EntryList): Entry[] {
  return [...doc.getMap(list)].flatMap(([id, value]): Entry[] => {
    const fields: unknown = value instanceof Y.AbstractType ? value.toJSON() : value;
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? [{ ...fields, id }] : [];
  });
}

/** Makes it these entries, touching no field that stays as it is. */
export function writeEntries(doc: Y.Doc, list: EntryList, entries: readonly Entry[], origin: unknown): void {
  const map = doc.getMap(list);
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  doc.transact(() => {
    for (const id of [...map.keys()]) if (!wanted.has(id)) map.delete(id);
    for (const [id, { id: _, ...fields }] of wanted) {
      const there = map.get(id);
      if (there instanceof Y.Map) writeFields(there as Y.Map<unknown>, fields);
      else map.set(id, new Y.Map<unknown>(Object.entries(fields)));
    }
  }, origin);
}

function writeFields(map: Y.Map<unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const key of [...map.keys()]) if (!Object.hasOwn(fields, key)) map.delete(key);
  for (const [key, value] of Object.entries(fields)) if (!isSame(map.get(key), value)) map.set(key, value);
}

const isSame = (there: unknown, value: unknown): boolean =>
  JSON.stringify(there instanceof Y.AbstractType ? there.toJSON() : there) === JSON.stringify(value);
