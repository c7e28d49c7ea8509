import * as Y from 'yjs';
import { readTags, writeTags } from './about.ts';
import { placesOf, saidIn } from './anchors.ts';
import { roots, wordRoots } from './document.ts';
import { entryLists, readEntries, readHighlights, writeEntries, type Entry, type EntryList } from './entries.ts';
import { readPreferred, writePreferred, type PreferredOutcomes } from './outcome-schema.ts';
import { readWords } from './words.ts';

// Contents of a transcript's document beside the text; they are kept when another text replaces the old one.

interface Carried {
  tags: string[];
  preferred: PreferredOutcomes | null;
  lists: Record<EntryList, Entry[]>;
}

/** `generation` is that of the document; only anchors of that generation are valid in it. */
export function carriedFrom(doc: Y.Doc, generation: number): Carried {
  const lists = Object.fromEntries(entryLists.map((list) => [list, readEntries(doc, list)])) as Carried['lists'];
  return {
    tags: readTags(doc),
    preferred: readPreferred(doc),
    lists: { ...lists, highlights: quoted(doc, generation, lists.highlights) },
  };
}

/** Highlights with their words as quotes, by which they are found where their characters are gone. */
function quoted(doc: Y.Doc, generation: number, highlights: readonly Entry[]): Entry[] {
  if (highlights.length === 0) return [];
  const reading = readWords(doc);
  const all = readHighlights(doc);
  const places = placesOf(doc, reading, generation, all);
  return highlights.map((entry, i) => {
    const place = places[i];
    if (!place) return entry;
    const spoken = saidIn(reading, place.from, place.to);
    if (place.by === 'anchor') return { ...entry, ...spoken };
    return place.by === 'time' && all[i]?.quote === '' ? { ...entry, quote: spoken.quote } : entry;
  });
}

/** Whether updates that arrived after a state change a root that is kept when the text is replaced. */
export function saysBeside(state: Uint8Array, late: readonly Uint8Array[]): boolean {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  let beside = false;
  for (const root of Object.keys(roots.transcript))
    if (!wordRoots.has(root)) doc.getMap(root).observeDeep(() => (beside = true));
  for (const update of late) Y.applyUpdate(doc, update);
  doc.destroy();
  return beside;
}

export function writeCarried(doc: Y.Doc, { tags, preferred, lists }: Carried, origin: unknown): void {
  doc.transact(() => {
    writeTags(doc, tags, origin);
    if (preferred) writePreferred(doc, preferred, origin);
    for (const list of entryLists) writeEntries(doc, list, lists[list], origin);
  }, origin);
}
