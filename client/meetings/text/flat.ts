import { Slice, type Node } from '@tiptap/pm/model';
import { ReplaceStep, type StepMap, type Transform } from '@tiptap/pm/transform';
import * as Y from 'yjs';
import {
  differences,
  isHigh,
  isLow,
  piecesOf,
  textOf,
  type Boundary,
  type Edit,
  type Piece,
} from '#shared/meetings/transcript.ts';
import { idOf, segmentNode, speakerOf } from './schema.ts';

// Converts between positions in the editor's document and in the flat text. A segment's start is the one character of
// its boundary (none for text before the first boundary); its end has no character.

export type Delta = readonly (
  | { retain: number }
  | { insert: string; speaker?: never }
  | { insert: Boundary; speaker: string }
  | { delete: number }
)[];

/** Range in which a document differs from the one it was made from. */
export interface Range {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** True if there is text before the first boundary, or no text at all. */
export const hasHead = (doc: Node): boolean => doc.firstChild !== null && idOf(doc.firstChild) === null;

export const flatSize = (doc: Node): number => doc.content.size - doc.childCount - (hasHead(doc) ? 1 : 0);

export function toFlat(doc: Node, pos: number): number {
  return pos - doc.resolve(pos).index(0) - (hasHead(doc) && pos > 0 ? 1 : 0);
}

/** Converts a flat position to a document position; after a boundary it is the start of the segment's text. */
export function fromFlat(doc: Node, at: number): number {
  const cursor = new Cursor(doc);
  if (at <= 0) return 1;
  cursor.walk(Math.min(at, flatSize(doc)));
  return cursor.pos;
}

/** Walks forward through a document in flat steps, always inside a segment's text. */
class Cursor {
  index = 0;
  /** Start of the segment in the document, and the offset within its text. */
  private before = 0;
  private at = 0;
  private doc: Node;
  /** True before the first boundary if no segment exists there. */
  private outside: boolean;

  constructor(doc: Node) {
    this.doc = doc;
    this.outside = !hasHead(doc);
  }

  get pos(): number {
    return this.before + 1 + this.at;
  }

  walk(length: number): void {
    let left = length;
    if (this.outside && left > 0) {
      this.outside = false;
      left -= 1;
    }
    while (left > 0) {
      const room = this.doc.child(this.index).content.size - this.at;
      if (left <= room) {
        this.at += left;
        return;
      }
      left -= room + 1;
      this.enter();
    }
  }

  private enter(): void {
    this.before += this.doc.child(this.index).nodeSize;
    this.index += 1;
    this.at = 0;
  }

  /** Position `length` further on, without moving. */
  ahead(length: number): number {
    const other = new Cursor(this.doc);
    Object.assign(other, this);
    other.walk(length);
    return other.pos;
  }

  /** Takes the document after a change at the cursor and skips the `length` new characters. */
  changed(doc: Node, length: number): void {
    this.doc = doc;
    this.walk(length);
  }
}

// ---- From the editor ---------------------------------------------------------------------------

/** Combines steps into disjoint ranges, ascending in both documents. */
export function changedRanges(maps: readonly StepMap[]): Range[] {
  let ranges: Range[] = [];
  for (const map of maps) {
    const parts: { from: number; to: number; size: number }[] = [];
    map.forEach((from, to, newFrom, newTo) => parts.push({ from, to, size: newTo - newFrom }));
    // Last to first, so that positions not visited yet stay valid.
    for (const { from, to, size } of parts.reverse()) ranges = withChange(ranges, from, to, size);
  }
  return ranges;
}

function withChange(ranges: readonly Range[], from: number, to: number, size: number): Range[] {
  const before = ranges.filter((range) => range.newTo < from);
  const after = ranges.filter((range) => range.newFrom > to);
  const touched = ranges.slice(before.length, ranges.length - after.length);
  const [first, last] = [touched[0], touched.at(-1)];
  const shift = size - (to - from);
  // Outside the changed ranges, both documents run in parallel.
  const drift = (range: Range | undefined) => (range ? range.oldTo - range.newTo : 0);
  const newFrom = first ? Math.min(from, first.newFrom) : from;
  const newTo = last ? Math.max(to, last.newTo) : to;
  const oldFrom = newFrom + (first?.newFrom === newFrom ? first.oldFrom - first.newFrom : drift(before.at(-1)));
  const oldTo = newTo + (last?.newTo === newTo ? last.oldTo - last.newTo : drift(last ?? before.at(-1)));
  return [
    ...before,
    { oldFrom, oldTo, newFrom, newTo: newTo + shift },
    ...after.map((range) => ({ ...range, newFrom: range.newFrom + shift, newTo: range.newTo + shift })),
  ];
}

/** Boundaries of the segments that start in a range, and its text. */
function piecesBetween(doc: Node, from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  doc.nodesBetween(from, to, (node, pos, _parent, index) => {
    if (node.isText) pieces.push((node.text ?? '').slice(Math.max(0, from - pos), to - pos));
    else if (pos >= from && pos < to && (index > 0 || idOf(node) !== null))
      pieces.push({ s: idOf(node) ?? '', p: speakerOf(node) });
    return true;
  });
  return pieces;
}

/** Code unit at a position; NaN outside text. */
function codeAt(doc: Node, pos: number): number {
  if (pos < 0 || pos >= doc.content.size) return Number.NaN;
  const place = doc.resolve(pos);
  return place.depth === 0 ? Number.NaN : place.parent.textContent.charCodeAt(place.parentOffset);
}

export interface Changes {
  edits: Edit[];
  /** Existing segments that got another speaker. */
  speakers: Boundary[];
  /** Characters that the steps put in, also such as were there before. */
  put: number;
  /** Segments were split or merged. */
  structural: boolean;
}

/** Computes the edits that make the text equal to the editor's document. */
export function changesBetween(old: Node, now: Node, maps: readonly StepMap[] | null): Changes {
  let ranges = maps && changedRanges(maps);
  const grown = ranges?.reduce((sum, range) => sum + range.newTo - range.newFrom - (range.oldTo - range.oldFrom), 0);
  // Steps that do not lead from one document to the other: compare everything.
  if (!ranges || old.content.size + (grown ?? 0) !== now.content.size)
    ranges = [{ oldFrom: 0, oldTo: old.content.size, newFrom: 0, newTo: now.content.size }];
  const changes: Changes = { edits: [], speakers: [], put: 0, structural: old.childCount !== now.childCount };
  for (const { oldFrom, oldTo, newFrom, newTo } of ranges) {
    // A change within a surrogate pair counts as a change of the whole character.
    const left = isHigh(codeAt(old, oldFrom - 1)) ? 1 : 0;
    const right = isLow(codeAt(old, oldTo)) ? 1 : 0;
    const before = piecesBetween(old, oldFrom - left, oldTo + right);
    const after = piecesBetween(now, newFrom - left, newTo + right);
    changes.put += newTo - newFrom;
    changes.edits.push(...differences(toFlat(old, oldFrom - left), before, after));
    for (const piece of after) {
      if (typeof piece === 'string') continue;
      const kept = before.find((other) => typeof other !== 'string' && other.s === piece.s);
      if (kept && typeof kept !== 'string' && kept.p !== piece.p) changes.speakers.push(piece);
    }
  }
  changes.structural ||= changes.edits.some(({ insert }) => insert.some((piece) => typeof piece !== 'string'));
  return changes;
}

// ---- To the editor -----------------------------------------------------------------------------

type Op = Delta[number];

/** Changes of an event in flat positions of the text before it; formatting written by other clients is ignored. */
export function deltaOf(event: Y.YTextEvent, speaker: (boundary: Boundary) => string): Delta {
  const text = textOf(event.transaction.doc);
  const changed = changedItems(event);
  const delta: Op[] = [];
  const [begin, from] = nearest(changed) ?? [text._start, 0];
  if (from > 0) delta.push({ retain: from });
  let left = changed.size;
  for (let item = begin; item !== null && left > 0; item = item.right) {
    const last = delta.at(-1);
    if (!changed.has(item)) {
      if (item.deleted || !item.countable) continue;
      if (last && 'retain' in last) last.retain += item.length;
      else delta.push({ retain: item.length });
      continue;
    }
    left -= 1;
    if (!item.deleted)
      for (const piece of piecesOf(item))
        delta.push(typeof piece === 'string' ? { insert: piece } : { insert: piece, speaker: speaker(piece) });
    else if (last && 'delete' in last) last.delete += item.length;
    else delta.push({ delete: item.length });
  }
  return delta;
}

/** Inserted entries that still exist, and deleted entries that existed before. */
function changedItems({ transaction, target }: Y.YTextEvent): Set<Y.Item> {
  const { beforeState, afterState, deleteSet, doc } = transaction;
  const changed = new Set<Y.Item>();
  for (const [client, clock] of afterState) {
    const before = beforeState.get(client) ?? 0;
    if (clock === before) continue;
    const structs = doc.store.clients.get(client) ?? [];
    // Last to first: new entries are at the end.
    for (let i = structs.length - 1; i >= 0; i -= 1) {
      const item = structs[i];
      if (!item || item.id.clock < before) break;
      if (item instanceof Y.Item && item.parent === target && item.countable && !item.deleted) changed.add(item);
    }
  }
  Y.iterateDeletedStructs(transaction, deleteSet, (item) => {
    const { client, clock } = item.id;
    const existedBefore = clock < (beforeState.get(client) ?? 0);
    if (existedBefore && item instanceof Y.Item && item.parent === target && item.countable) changed.add(item);
  });
  return changed;
}

/**
 * First changed entry with its flat position before the change, if all changes are adjacent (as when typing); else
 * null.
 */
function nearest(changed: ReadonlySet<Y.Item>): [Y.Item, number] | null {
  const [one] = changed;
  if (!one) return null;
  let first = one;
  for (let left = one.left; left && changed.has(left); left = left.left) first = left;
  let count = 0;
  for (let item: Y.Item | null = first; item && changed.has(item); item = item.right) count += 1;
  if (count < changed.size) return null;
  let at = 0;
  for (let item = first.left; item; item = item.left) if (!item.deleted && item.countable) at += item.length;
  return [first, at];
}

/** Converts a delta to replaced ranges: `[start, old size, new size, …]`. */
export function deltaRanges(delta: Delta): number[] {
  const ranges: number[] = [];
  let at = 0;
  let open = false;
  for (const op of delta) {
    if ('retain' in op) {
      at += op.retain;
      open = false;
      continue;
    }
    if (!open) ranges.push(at, 0, 0);
    open = true;
    const [removed, put] = [ranges.length - 2, ranges.length - 1];
    if ('delete' in op) {
      ranges[removed] = (ranges[removed] ?? 0) + op.delete;
      at += op.delete;
    } else ranges[put] = (ranges[put] ?? 0) + (typeof op.insert === 'string' ? op.insert.length : 1);
  }
  return ranges;
}

/** Applies a delta to a document, front to back; returns the end of the last change. */
export function applyDelta(tr: Transform, delta: Delta): number {
  const { schema } = tr.doc.type;
  const [first] = delta;
  // A change before the first boundary needs a segment to hold it.
  if (first && !('retain' in first) && !hasHead(tr.doc)) tr.insert(0, segmentNode(schema, null, ''));
  const cursor = new Cursor(tr.doc);
  let end = 1;
  for (const op of delta) {
    if ('retain' in op) {
      cursor.walk(op.retain);
      continue;
    }
    const { pos } = cursor;
    if ('delete' in op) {
      tr.step(new ReplaceStep(pos, cursor.ahead(op.delete), Slice.empty));
      cursor.changed(tr.doc, 0);
    } else if (typeof op.insert === 'string') {
      tr.insert(pos, schema.text(op.insert));
      cursor.changed(tr.doc, op.insert.length);
    } else {
      const { segment } = schema.nodes;
      if (!segment) throw new Error('a schema without segments');
      tr.split(pos, 1, [{ type: segment, attrs: { id: op.insert.s, speaker: op.speaker } }]);
      cursor.changed(tr.doc, 1);
    }
    end = cursor.pos;
  }
  const head = tr.doc.firstChild;
  if (head && idOf(head) === null && head.content.size === 0 && tr.doc.childCount > 1) {
    tr.delete(0, head.nodeSize);
    end -= head.nodeSize;
  }
  return Math.max(1, end);
}
