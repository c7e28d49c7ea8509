import * as Y from 'yjs';
import type { Visibility } from './visibility.ts';
import { privateRoot } from './annotations.ts';

// Summary of a recording: points in an order. The shared ones are part of the transcript's document, so everyone with
// permission to write the text edits them live, and they are in its history. Private ones have the same shape in the
// room of their author.

export interface SummaryItem {
  id: string;
  order: number;
  text: string;
}
export const longestSummary = 10_000;
export const mostSummary = 500;

/** Distance between two orders, so that a point can be inserted without touching the others. */
const gap = 1024;

const mapOf = (doc: Y.Doc, visibility: Visibility): Y.Map<unknown> =>
  doc.getMap(visibility === 'private' ? privateRoot : 'summary');
const before = 'summary:';
const keyOf = (id: string, visibility: Visibility): string => (visibility === 'private' ? before + id : id);
const idOf = (key: string, visibility: Visibility): string | null =>
  visibility === 'shared' ? key : key.startsWith(before) ? key.slice(before.length) : null;

/** Stored values are untrusted; points without an order come last. */
export function inSummaryOrder(one: { id: string; order?: unknown }, other: { id: string; order?: unknown }): number {
  const [a, b] = [orderOf(one.order), orderOf(other.order)];
  return a === b ? (one.id < other.id ? -1 : one.id > other.id ? 1 : 0) : a - b;
}
const last = Number.MAX_SAFE_INTEGER;
const orderOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : last);

export function readSummary(doc: Y.Doc, visibility: Visibility): SummaryItem[] {
  return [...mapOf(doc, visibility)]
    .flatMap(([key, value]): SummaryItem[] => {
      const id = idOf(key, visibility);
      if (id === null || id === '') return [];
      const given: unknown = value instanceof Y.AbstractType ? value.toJSON() : value;
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
      const { order, text } = given as Record<string, unknown>;
      return [{ id, order: orderOf(order), text: typeof text === 'string' ? text : '' }];
    })
    .sort(inSummaryOrder);
}

/** Shared text of a point; null if the point does not exist, or if a program wrote it as a plain value. */
export function summaryText(doc: Y.Doc, visibility: Visibility, id: string): Y.Text | null {
  const item = mapOf(doc, visibility).get(keyOf(id, visibility));
  const text: unknown = item instanceof Y.Map ? item.get('text') : null;
  return text instanceof Y.Text ? text : null;
}

export function addSummary(
  doc: Y.Doc,
  visibility: Visibility,
  { id, order, text }: SummaryItem,
  origin: unknown,
): void {
  const fields: [string, unknown][] = [
    ['order', order],
    ['text', new Y.Text(text.slice(0, longestSummary))],
  ];
  doc.transact(() => mapOf(doc, visibility).set(keyOf(id, visibility), new Y.Map(fields)), origin);
}

/** Restores a removed point as it was; an existing one keeps what was written in it since. */
export function putBackSummary(doc: Y.Doc, visibility: Visibility, item: SummaryItem, origin: unknown): void {
  if (!mapOf(doc, visibility).has(keyOf(item.id, visibility))) addSummary(doc, visibility, item, origin);
}

/** Order of a new last point. */
export function lastOrder(doc: Y.Doc, visibility: Visibility): number {
  const orders = readSummary(doc, visibility).map(({ order }) => order);
  const known = orders.filter((order) => order !== last);
  return Math.max(0, ...known) + gap;
}

export function removeSummary(doc: Y.Doc, visibility: Visibility, id: string, origin: unknown): void {
  doc.transact(() => mapOf(doc, visibility).delete(keyOf(id, visibility)), origin);
}

/** Point as it was right before the removal that `event` reports; null if nothing in it is `own`. */
export function takenSummary(
  event: Y.YMapEvent<unknown>,
  id: string,
  own: (item: Y.Item) => boolean,
): SummaryItem | null {
  const { deleteSet } = event.transaction;
  const item: unknown = event.changes.keys.get(id)?.oldValue;
  if (!(item instanceof Y.Map)) return null;
  const fields = (item as Y.Map<unknown>)._map;
  const text: unknown = fields.get('text')?.content.getContent()[0];
  if (!(text instanceof Y.Text)) return null;
  // Text deleted in this very transaction can still be read.
  const pieces: Y.Item[] = [];
  for (let piece = text._start; piece; piece = piece.right)
    if (piece.content instanceof Y.ContentString && Y.isDeleted(deleteSet, piece.id)) pieces.push(piece);
  if (!pieces.some(own)) return null;
  const words = pieces.map(({ content }) => (content as Y.ContentString).str).join('');
  return words.trim() === '' ? null : { id, order: orderOf(fields.get('order')?.content.getContent()[0]), text: words };
}

/** Moves a point to index `to`; false if it no longer exists or is already there. */
export function moveSummary(doc: Y.Doc, visibility: Visibility, id: string, to: number, origin: unknown): boolean {
  const all = readSummary(doc, visibility);
  const from = all.findIndex((one) => one.id === id);
  const moved = all[from];
  if (!moved || to < 0 || to >= all.length || to === from) return false;
  const rest = all.toSpliced(from, 1);
  const [above, below] = [rest[to - 1]?.order ?? -Infinity, rest[to]?.order ?? Infinity];
  doc.transact(() => {
    if (above === -Infinity && below < last) setOrder(doc, visibility, id, below - gap);
    else if (below === Infinity && above < last) setOrder(doc, visibility, id, above + gap);
    else if (below < last && below - above >= 2) setOrder(doc, visibility, id, Math.floor((above + below) / 2));
    // No order is free between the two: all points are numbered anew.
    else
      for (const [i, one] of rest.toSpliced(to, 0, moved).entries()) setOrder(doc, visibility, one.id, (i + 1) * gap);
  }, origin);
  return true;
}

function setOrder(doc: Y.Doc, visibility: Visibility, id: string, order: number): void {
  const key = keyOf(id, visibility);
  const item = mapOf(doc, visibility).get(key);
  if (item instanceof Y.Map) {
    if (item.get('order') !== order) (item as Y.Map<unknown>).set('order', order);
  } else if (typeof item === 'object' && item !== null) mapOf(doc, visibility).set(key, { ...item, order });
}

/** Replacement of one range of a text. */
interface TextChange {
  at: number;
  remove: number;
  insert: string;
}

/** Difference of two texts as one change; never splits a surrogate pair. */
export function changeBetween(was: string, now: string): TextChange {
  let at = 0;
  while (at < was.length && at < now.length && was[at] === now[at]) at += 1;
  let end = 0;
  while (end < was.length - at && end < now.length - at && was.at(-1 - end) === now.at(-1 - end)) end += 1;
  if (isHalf(was, at) || isHalf(now, at)) at -= 1;
  if (isHalf(was, was.length - end) || isHalf(now, now.length - end)) end -= 1;
  return { at, remove: was.length - end - at, insert: now.slice(at, now.length - end) };
}
const isHalf = (text: string, at: number): boolean => {
  const unit = at > 0 ? text.charCodeAt(at) : 0;
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** Merges two edits of the same text, as if both had been typed at once: all deletions and all insertions are kept. */
export function mergeTexts(was: string, one: string, other: string): string {
  if (one === was || one === other) return other;
  if (other === was) return one;
  const changes = [changeBetween(was, one), changeBetween(was, other)];
  const gone = (at: number): boolean => changes.some((change) => change.at <= at && at < change.at + change.remove);
  let merged = '';
  for (let at = 0; at <= was.length; at += 1) {
    for (const change of changes) if (change.at === at) merged += change.insert;
    if (at < was.length && !gone(at)) merged += was[at];
  }
  return merged;
}

/** Writes only the difference, so that concurrent typing is kept. */
export function writeText(text: Y.Text, wanted: string): void {
  const { at, remove, insert } = changeBetween(text.toString(), wanted);
  if (remove > 0) text.delete(at, remove);
  if (insert !== '') text.insert(at, insert);
}

/** Shared text of a point; a plain value is turned into one first. */
export function openText(doc: Y.Doc, visibility: Visibility, id: string, origin: unknown): Y.Text | null {
  const existing = summaryText(doc, visibility, id);
  const item = readSummary(doc, visibility).find((one) => one.id === id);
  if (existing || !item) return existing;
  addSummary(doc, visibility, item, origin);
  return summaryText(doc, visibility, id);
}

/** Sets the points in this order; unchanged ones are not touched. */
export function writeSummary(
  doc: Y.Doc,
  visibility: Visibility,
  wanted: readonly SummaryItem[],
  origin: unknown,
): void {
  doc.transact(() => {
    const ids = new Set(wanted.map(({ id }) => id));
    for (const { id } of readSummary(doc, visibility)) if (!ids.has(id)) removeSummary(doc, visibility, id, origin);
    for (const item of wanted) {
      const text = summaryText(doc, visibility, item.id);
      if (text) {
        writeText(text, item.text);
        setOrder(doc, visibility, item.id, item.order);
      } else addSummary(doc, visibility, item, origin);
    }
  }, origin);
}

/** Points without an order follow the one before them. */
export function withOrder<T extends object>(given: readonly (T & { order?: number | undefined })[]) {
  let before = 0;
  return given.map((one) => {
    before = one.order ?? before + gap;
    return { ...one, order: before };
  });
}
