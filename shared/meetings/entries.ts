import * as Y from 'yjs';
import { anchorAt, isSameAnchor, readAnchor, saidIn, stretchBetween, type Anchor, type Anchored } from './anchors.ts';
import { inSummaryOrder, writeText } from './summary.ts';
import { readWords } from './words.ts';

// Lists beside the text: contents, bookmarks, highlights, summary. Each entry has a key of its own, so that entries
// added at the same time are all kept, and is a map, so that its fields can be changed independently.

export const entryLists = ['toc', 'bookmarks', 'highlights', 'summary'] as const;
export type EntryList = (typeof entryLists)[number];

/** Fields of an entry, with its key as `id`. */
export type Entry = Record<string, unknown> & { id: string };

export function readEntries(doc: Y.Doc, list: EntryList): Entry[] {
  const found = [...doc.getMap(list)].flatMap(([id, value]): Entry[] => {
    const fields: unknown = value instanceof Y.AbstractType ? value.toJSON() : value;
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? [{ ...fields, id }] : [];
  });
  return list === 'summary' ? found.sort(inSummaryOrder) : found;
}

/** Sets the entries; unchanged fields are not touched. */
export function writeEntries(doc: Y.Doc, list: EntryList, entries: readonly Entry[], origin: unknown): void {
  const map = doc.getMap(list);
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  doc.transact(() => {
    for (const id of [...map.keys()]) if (!wanted.has(id)) map.delete(id);
    for (const [id, { id: _, ...fields }] of wanted) {
      const existing = map.get(id);
      if (existing instanceof Y.Map) writeFields(existing as Y.Map<unknown>, fields);
      else map.set(id, new Y.Map<unknown>(Object.entries(fields).map((field) => typedIn(list, field))));
    }
  }, origin);
}

/** Texts of summary points are shared texts, for several people to type in. */
const typedIn = (list: EntryList, [key, value]: [string, unknown]): [string, unknown] =>
  list === 'summary' && key === 'text' && typeof value === 'string' ? [key, new Y.Text(value)] : [key, value];

function writeFields(map: Y.Map<unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const key of [...map.keys()]) if (!Object.hasOwn(fields, key)) map.delete(key);
  for (const [key, value] of Object.entries(fields)) {
    const existing = map.get(key);
    if (existing instanceof Y.Text && typeof value === 'string') writeText(existing, value);
    else if (!isSame(existing, value)) map.set(key, value);
  }
}

const isSame = (existing: unknown, value: unknown): boolean =>
  JSON.stringify(existing instanceof Y.AbstractType ? existing.toJSON() : existing) === JSON.stringify(value);

// ---- Changes by people --------------------------------------------------------------------------

export const longestEntryTitle = 500;
/** Chapters begin a little before the words they are named for. */
export const contentsLead = 5000;

/** Named place in the recording: a chapter of the contents, or a bookmark. */
export interface TimedEntry {
  id: string;
  /** Seconds. */
  start: number;
  title: string;
}
export type TimedList = 'toc' | 'bookmarks';

const finite = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Entries in the order of the recording; the stored values are untrusted. */
export function readTimed(doc: Y.Doc, list: TimedList): TimedEntry[] {
  return readEntries(doc, list)
    .map(({ id, start, title }) => ({ id, start: finite(start), title: typeof title === 'string' ? title : '' }))
    .sort((one, other) => one.start - other.start || (one.id < other.id ? -1 : 1));
}

/** Fields of a new entry for a place. */
export const timedFields = (list: TimedList, { start, title }: TimedEntry): Omit<TimedEntry, 'id'> => ({
  start: list === 'toc' ? Math.max(0, start - contentsLead / 1000) : start,
  title: title.trim().slice(0, longestEntryTitle),
});

export function addTimed(doc: Y.Doc, list: TimedList, entry: TimedEntry, origin: unknown): void {
  const fields = Object.entries(timedFields(list, entry));
  doc.transact(() => doc.getMap(list).set(entry.id, new Y.Map<unknown>(fields)), origin);
}

/** Returns false if the entry no longer exists. */
export function nameTimed(doc: Y.Doc, list: TimedList, id: string, title: string, origin: unknown): boolean {
  const existing = doc.getMap(list).get(id);
  if (!(existing instanceof Y.Map)) return false;
  doc.transact(() => (existing as Y.Map<unknown>).set('title', title.trim().slice(0, longestEntryTitle)), origin);
  return true;
}

export function removeTimed(doc: Y.Doc, list: TimedList, id: string, origin: unknown): void {
  doc.transact(() => doc.getMap(list).delete(id), origin);
}

export const highlightColors = ['yellow', 'green', 'blue', 'pink', 'violet'] as const;
export type HighlightColor = (typeof highlightColors)[number];

/** Coloured range of the text, visible to everyone. */
export interface Highlighted extends Anchored {
  id: string;
  color: HighlightColor;
}

export function readHighlights(doc: Y.Doc): Highlighted[] {
  return readEntries(doc, 'highlights').map(({ id, start, end, quote, anchor, color }) => ({
    id,
    start: finite(start),
    end: finite(end),
    quote: typeof quote === 'string' ? quote : '',
    anchor: readAnchor(anchor),
    // Unknown colours become the first one.
    color: highlightColors.find((one) => one === color) ?? highlightColors[0],
  }));
}

/** Programs give times; the highlight is anchored to the words spoken then, and moves with them. */
export function hungOnWords(doc: Y.Doc, generation: number, highlights: readonly Entry[]): Entry[] {
  const bare = ({ start, end, anchor, quote }: Entry): boolean =>
    typeof start === 'number' && typeof end === 'number' && anchor == null && (quote ?? '') === '';
  if (!highlights.some(bare)) return [...highlights];
  const reading = readWords(doc);
  return highlights.map((entry) => {
    const stretch = bare(entry) ? stretchBetween(reading, finite(entry['start']), finite(entry['end'])) : null;
    if (!stretch) return entry;
    const { id, ...fields } = entry;
    const { quote } = saidIn(reading, stretch.from, stretch.to);
    return { ...fields, quote, anchor: anchorAt(doc, generation, stretch.from, stretch.to), id };
  });
}

export function addHighlight(doc: Y.Doc, { id, ...fields }: Highlighted, origin: unknown): void {
  doc.transact(() => doc.getMap('highlights').set(id, new Y.Map<unknown>(Object.entries(fields))), origin);
}

/** Puts highlights on other characters, by their ids; those that have another anchor than `from` meanwhile stay. */
export function moveHighlights(
  doc: Y.Doc,
  moves: ReadonlyMap<string, { from: Anchor; to: Anchor }>,
  origin: unknown,
): void {
  doc.transact(() => {
    for (const { id, anchor } of readHighlights(doc)) {
      const move = moves.get(id);
      const entry = doc.getMap('highlights').get(id);
      if (move && anchor && isSameAnchor(anchor, move.from) && entry instanceof Y.Map)
        (entry as Y.Map<unknown>).set('anchor', move.to);
    }
  }, origin);
}

export function removeHighlights(doc: Y.Doc, ids: readonly string[], origin: unknown): void {
  doc.transact(() => {
    for (const id of ids) doc.getMap('highlights').delete(id);
  }, origin);
}
