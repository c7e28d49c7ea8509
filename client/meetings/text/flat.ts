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

// Between places in the editor's document and positions in the flat text: a segment's beginning is the one character of
// its boundary (none for text before the first one), its end is none.

export type Delta = readonly (
  | { retain: number }
  | { insert: string; speaker?: never }
  | { insert: Boundary; speaker: string }
  | { delete: number }
)[];

/** Where one document differs from another that it was made of. */
export interface Range {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Whether text stands before the first boundary, or nothing stands there at all. */
export const hasHead = (doc: Node): boolean => doc.firstChild !== null && idOf(doc.firstChild) === null;

export const flatSize = (doc: Node): number => doc.content.size - doc.childCount - (hasHead(doc) ? 1 : 0);

export function toFlat(doc: Node, pos: number): number {
  return pos - doc.resolve(pos).index(0) - (hasHead(doc) && pos > 0 ? 1 : 0);
}

/** The place of a position in somebody's text; behind a boundary it is the beginning of the segment's text. */
export function fromFlat(doc: Node, at: number): number {
  const cursor = new Cursor(doc);
  if (at <= 0) return 1;
  cursor.walk(Math.min(at, flatSize(doc)));
  return cursor.pos;
}

/** Goes forward through a document in flat steps, always inside a segment's text. */
class Cursor {
  index = 0;
  /** Where the segment begins in the document, and how far into its text we are. */
  private before = 0;
  private at = 0;
  private doc: Node;
  /** Before the first boundary where no segment holds that place. */
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

  /** Where `length` further would be. */
  ahead(length: number): number {
    const other = new Cursor(this.doc);
    Object.assign(other, this);
    other.walk(length);
    return other.pos;
  }

  /** The document changed in front of us, and `length` of what is new is behind us. */
  changed(doc: Node, length: number): void {
    this.doc = doc;
    this.walk(length);
  }
}

// ---- From the editor ---------------------------------------------------------------------------

/** Composes what steps changed into ranges apart from each other, ascending in both documents. */
export function changedRanges(maps: readonly StepMap[]): Range[] {
  let ranges: Range[] = [];
  for (const map of maps) {
    const parts: { from: number; to: number; size: number }[] = [];
    map.forEach((from, to, newFrom, newTo) => parts.push({ from, to, size: newTo - newFrom }));
    // From the last to the first, so that what was not looked at yet keeps its place.
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
  // Outside of what changed, both documents run in parallel.
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

/** What stands in a range: boundaries of the segments that begin in it, and text. */
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

/** The code unit that begins at a place, or NaN where no text does. */
function codeAt(doc: Node, pos: number): number {
  if (pos < 0 || pos >= doc.content.size) return Number.NaN;
  const place = doc.resolve(pos);
  return place.depth === 0 ? Number.NaN : place.parent.textContent.charCodeAt(place.parentOffset);
}

export interface Changes {
  edits: Edit[];
  /** Kept segments that somebody else speaks now. */
  speakers: Boundary[];
}

/** What has to be written so that the text becomes what the editor shows. */
export function changesBetween(old: Node, now: Node, maps: readonly StepMap[] | null): Changes {
  let ranges = maps && changedRanges(maps);
  const grown = ranges?.reduce((sum, range) => sum + range.newTo - range.newFrom - (range.oldTo - range.oldFrom), 0);
  // Steps that do not lead from the one to the other: then everything is compared.
  if (!ranges || old.content.size + (grown ?? 0) !== now.content.size)
    ranges = [{ oldFrom: 0, oldTo: old.content.size, newFrom: 0, newTo: now.content.size }];
  const changes: Changes = { edits: [], speakers: [] };
  for (const { oldFrom, oldTo, newFrom, newTo } of ranges) {
    // A change of half a character is one of the whole.
    const left = isHigh(codeAt(old, oldFrom - 1)) ? 1 : 0;
    const right = isLow(codeAt(old, oldTo)) ? 1 : 0;
    const before = piecesBetween(old, oldFrom - left, oldTo + right);
    const after = piecesBetween(now, newFrom - left, newTo + right);
    changes.edits.push(...differences(toFlat(old, oldFrom - left), before, after));
    for (const piece of after) {
      if (typeof piece === 'string') continue;
      const kept = before.find((other) => typeof other !== 'string' && other.s === piece.s);
      if (kept && typeof kept !== 'string' && kept.p !== piece.p) changes.speakers.push(piece);
    }
  }
  return changes;
}

// ---- To the editor -----------------------------------------------------------------------------

type Op = Delta[number];

/** What an event changed, in flat positions of the text before. Formatting that somebody wrote changes nothing here. */
export function deltaOf(event: Y.YTextEvent, speaker: (boundary: Boundary) => string): Delta {
  const text = textOf(event.transaction.doc);
  const changed = changedAnnotations(event);
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

/** What came into the text and stayed, and what went that stood there before. */
function changedAnnotations({ transaction, target }: Y.YTextEvent): Set<Y.Item> {
  const { beforeState, afterState, deleteSet, doc } = transaction;
  const changed = new Set<Y.Item>();
  for (const [client, clock] of afterState) {
    const before = beforeState.get(client) ?? 0;
    if (clock === before) continue;
    const structs = doc.store.clients.get(client) ?? [];
    // From the last on: what is new stands at the end.
    for (let i = structs.length - 1; i >= 0; i -= 1) {
      const item = structs[i];
      if (!item || item.id.clock < before) break;
      if (item instanceof Y.Item && item.parent === target && item.countable && !item.deleted) changed.add(item);
    }
  }
  Y.iterateDeletedStructs(transaction, deleteSet, (item) => {
    const { client, clock } = item.id;
    const stood = clock < (beforeState.get(client) ?? 0);
    if (stood && item instanceof Y.Item && item.parent === target && item.countable) changed.add(item);
  });
  return changed;
}

/** The first of what changed, with its flat position before, where all of it stands together, as it does for a letter. */
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

/** The same as replaced ranges: `[start, old size, new size, …]`. */
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

/** Brings a document to where the delta leads, going forward; answers where the last change ended. */
export function applyDelta(tr: Transform, delta: Delta): number {
  const { schema } = tr.doc.type;
  const [first] = delta;
  // What happens before the first boundary needs a segment to happen in.
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
