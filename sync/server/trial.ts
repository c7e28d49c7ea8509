import * as Y from 'yjs';
import type { Part } from '#shared/meetings/parts.ts';
import { Refused, type Inspected } from './inspect.ts';
import { tooMuchWork } from '../protocol.ts';
import { misplaced, placeOf, type Place } from './shape.ts';

type Struct = Y.Item | Y.GC;
type Type = Y.AbstractType<unknown>;

/** Costs of the steps of Yjs, in units of about 10 ns. */
const unit = {
  /** One comparison with a structure that was written at the same place. */
  conflict: 20,
  /** One structure passed in an array. */
  step: 1,
  /** One passed from neighbour to neighbour. */
  walk: 2,
  /** One structure cut in two, and put together again at the transaction's end. */
  split: 60,
  /** Elements of an array that are moved in one unit. */
  moved: 12,
  /** One structure deleted. */
  deletion: 15,
  /** One structure of the update, and one range of its deletions: decoded, checked, placed, applied. */
  struct: 150,
  range: 30,
} as const;

/** More cuts in the structures of one client are made in one go: each one alone moves all structures behind it. */
const fewCuts = 32;

/** Cost of an update. `extra`: the part above the cost of any update with as many structures. */
interface Cost {
  all: number;
  extra: number;
}

/**
 * Tries an update before it is applied: finds the place of each of its structures as Yjs will, and counts the steps. Throws
 * `Refused` where they are more than `most`, where a structure does not belong at its place (G14), where its neighbours
 * stand the other way round (G14a), where structures hang on each other in a circle (G1a), or where it changes other
 * roots than `only` (G17). The document stays the same,
 * except that structures may be cut where the update cuts them; `joinCut` and the end of the transaction undo that.
 */
export function tryUpdate(
  part: Part,
  transaction: Y.Transaction,
  update: Uint8Array,
  inspected: Inspected,
  { most = Infinity, only = null }: { most?: number; only?: ReadonlySet<string> | null } = {},
): Cost {
  const trial = new Trial(part, transaction, most - inspected.structs * unit.struct, Infinity, only);
  const structs = inspected.structs > 0 ? (Y.decodeUpdate(update).structs as (Struct | Y.Skip)[]) : [];
  let ranges = 0;
  for (const some of inspected.deletes.values()) ranges += some.length;
  if (structs.length + ranges > 1) trial.cutAll(structs, inspected.deletes);
  trial.structs(structs);
  trial.deletions(inspected.deletes);
  return { all: trial.spent + inspected.structs * unit.struct + ranges * unit.range, extra: trial.spent };
}

/**
 * How many structures Yjs compares with others at the same place where it builds a document of these pieces, counted up
 * to a little more than `most`.
 */
export function comparisons(pieces: readonly Uint8Array[], most: number): number {
  const doc = new Y.Doc();
  try {
    return doc.transact((transaction) => {
      let compared = 0;
      for (const [i, piece] of pieces.entries()) {
        const trial = new Trial(null, transaction, Infinity, most - compared);
        try {
          trial.structs(Y.decodeUpdate(piece).structs);
        } catch (error) {
          if (!(error instanceof Refused) || error.reason !== 'work') throw error;
        }
        compared += trial.compared;
        if (compared > most) break;
        if (i < pieces.length - 1) Y.applyUpdate(doc, piece);
      }
      return compared;
    });
  } finally {
    doc.destroy();
  }
}

/** Joins again, in one go, structures of these clients that were cut and are still neighbours. */
export function joinCut({ doc, _mergeStructs: cut }: Y.Transaction): void {
  if (cut.length <= fewCuts) return;
  const cuts = new Set(cut);
  for (const client of new Set(cut.map(({ id }) => id.client))) {
    const structs = doc.store.clients.get(client) ?? [];
    let kept = 0;
    for (const struct of structs) {
      const before = structs[kept - 1];
      if (
        kept > 0 &&
        cuts.has(struct) &&
        struct instanceof Y.Item &&
        before instanceof Y.Item &&
        struct.parentSub === null &&
        before.mergeWith(struct)
      )
        continue;
      structs[kept] = struct;
      kept += 1;
    }
    structs.length = kept;
  }
}

/** Clocks that are deleted, up to the last one. */
type Range = readonly [from: number, to: number];

/** The structures of one client that are still to be placed. */
interface Queue {
  structs: (Struct | Y.Skip)[];
  next: number;
}

class Trial {
  spent = 0;
  compared = 0;
  /** Null where only comparisons are counted. */
  private readonly part: Part | null;
  private readonly transaction: Y.Transaction;
  private readonly store: Y.Doc['store'];
  private readonly most: number;
  private readonly mostCompared: number;
  /** Roots that may be changed; null: all. */
  private readonly only: ReadonlySet<string> | null;
  /** Clock of each client of the update before it. */
  private readonly before = new Map<number, number>();
  /** Structures of the update that have their place, by client, in the order of clocks. */
  private readonly placed = new Map<number, Struct[]>();
  /** New neighbours of structures that the document has. */
  private readonly rights = new Map<Y.Item, Y.Item>();
  private readonly lefts = new Map<Y.Item, Y.Item>();
  private readonly starts = new Map<Type, Y.Item>();
  /** Newest values, by their key. */
  private readonly values = new Map<Type, Map<string, Y.Item>>();
  /** Places of types that the update brings. */
  private readonly places = new Map<Type, Place>();

  constructor(
    part: Part | null,
    transaction: Y.Transaction,
    most: number,
    mostCompared = Infinity,
    only: ReadonlySet<string> | null = null,
  ) {
    this.part = part;
    this.transaction = transaction;
    this.store = transaction.doc.store;
    this.most = most;
    this.mostCompared = mostCompared;
    this.only = only;
  }

  // ---- Structures: in the order in which Yjs integrates them -------------------------------------

  structs(all: readonly (Struct | Y.Skip)[]): void {
    const queues = new Map<number, Queue>();
    for (const struct of all) {
      const { client } = struct.id;
      const queue = queues.get(client);
      if (queue) queue.structs.push(struct);
      else {
        queues.set(client, { structs: [struct], next: 0 });
        this.before.set(client, Y.getState(this.store, client));
      }
    }
    const order = [...queues.keys()].toSorted((a, b) => b - a);
    const waiting: Struct[] = [];
    for (const client of order) {
      const queue = queues.get(client) as Queue;
      for (;;) {
        const struct = waiting.pop() ?? queue.structs[queue.next++];
        if (!struct) break;
        if (struct instanceof Y.Skip) continue;
        const missing = struct instanceof Y.Item ? this.missing(struct) : null;
        if (missing === null) {
          this.take(struct);
          continue;
        }
        waiting.push(struct);
        const other = queues.get(missing);
        const next = other?.structs[other.next++];
        if (!next || waiting.length > order.length) throw new Refused('it hangs on itself');
        if (!(next instanceof Y.Skip)) waiting.push(next);
      }
    }
    if (this.part) for (const structs of this.placed.values()) this.countJoins(structs);
  }

  /** The client whose structures have to come first. */
  private missing({ id, origin, rightOrigin, parent }: Y.Item): number | null {
    if (origin && this.lacks(id, origin)) return origin.client;
    if (rightOrigin && this.lacks(id, rightOrigin)) return rightOrigin.client;
    return parent instanceof Y.ID && this.lacks(id, parent) ? parent.client : null;
  }

  private lacks({ client }: Y.ID, one: Y.ID): boolean {
    return one.client !== client && one.clock >= this.reach(one.client);
  }

  /** The present clock of a client. */
  private reach(client: number): number {
    const last = this.placed.get(client)?.at(-1);
    return last ? last.id.clock + last.length : (this.before.get(client) ?? Y.getState(this.store, client));
  }

  private take(struct: Struct): void {
    const { client, clock } = struct.id;
    const known = this.reach(client) - clock;
    if (known < 0) throw new Refused('it hangs on itself');
    // Yjs looks for the neighbours of structures it has, too.
    if (struct instanceof Y.Item) this.findNeighbours(struct);
    if (known >= struct.length) return;
    if (struct instanceof Y.Item && struct.parent) {
      if (known > 0) this.cutKnown(struct, known);
      this.place(struct);
      this.put(struct);
    } else this.put(new Y.GC(Y.createID(client, clock + known), struct.length - known));
  }

  private put(struct: Struct): void {
    addTo(this.placed, struct.id.client, struct);
  }

  private findNeighbours(item: Y.Item): void {
    const left = item.origin && this.cleanEnd(item.origin);
    const right = item.rightOrigin && this.cleanStart(item.rightOrigin);
    if (left instanceof Y.GC || right instanceof Y.GC) item.parent = null;
    else {
      item.left = left;
      item.right = right;
      item.parent = this.parentOf(item);
      item.parentSub = (left ?? right)?.parentSub ?? item.parentSub;
    }
  }

  private parentOf({ left, right, parent }: Y.Item): Type | null {
    const neighbour = left ?? right;
    if (neighbour) return neighbour.parent as Type | null;
    // Roots are named in bytes that are not integrated yet.
    if (typeof parent === 'string') return this.transaction.doc.get(parent);
    if (!(parent instanceof Y.ID)) return null;
    const holder = this.find(parent);
    return holder instanceof Y.Item && holder.content instanceof Y.ContentType ? holder.content.type : null;
  }

  /** Leaves of a structure what is new. */
  private cutKnown(item: Y.Item, known: number): void {
    const { client, clock } = item.id;
    const left = this.cleanEnd(Y.createID(client, clock + known - 1));
    if (!(left instanceof Y.Item)) throw new Refused('the document cannot take this', 'poison');
    // Elsewhere, and those who get the whole state would see the rest where the stored part is.
    if (left.parent !== item.parent || left.parentSub !== item.parentSub)
      throw new Refused('it goes on where it did not begin', 'shape');
    item.id = Y.createID(client, clock + known);
    item.left = left;
    item.origin = left.lastId;
    item.content = item.content.splice(known);
    item.length -= known;
  }

  /** Yjs's own way to a structure's place, step by step (`Item.integrate`). */
  private place(item: Y.Item): void {
    const { right } = item;
    let { left } = item;
    this.refuseCrossed(item);
    if (left ? this.rightOf(left) !== right : !right || this.leftOf(right) !== null) {
      let other = left ? this.rightOf(left) : this.firstOf(item);
      const ordered =
        !left || !right || Y.compareIDs(left.rightOrigin, item.rightOrigin) || Y.compareIDs(right.origin, item.origin);
      /** Numbers of the structures passed; those from `since` on are in conflict with this one. */
      const passed = new Map<Struct, number>();
      let since = 0;
      while (other && other !== right) {
        this.compare();
        passed.set(other, passed.size);
        if (Y.compareIDs(item.origin, other.origin)) {
          if (other.id.client < item.id.client) {
            left = other;
            since = passed.size;
          } else if (Y.compareIDs(item.rightOrigin, other.rightOrigin)) break;
        } else {
          const origin = other.origin ? passed.get(this.find(other.origin)) : undefined;
          if (origin === undefined) break;
          if (origin < since) {
            left = other;
            since = passed.size;
          }
        }
        other = this.rightOf(other);
      }
      if (!ordered) {
        for (; other && other !== right; other = this.rightOf(other)) this.spend(unit.walk);
        if (!other) throw new Refused('neighbours in no order', 'shape');
      }
    }
    this.link(item, left);
    this.checkShape(item);
  }

  /** Both neighbours in one structure, the right one first: they would look like neighbours once it is cut. */
  private refuseCrossed({ origin, rightOrigin, left, right }: Y.Item): void {
    if (!origin || !rightOrigin || origin.client !== rightOrigin.client || origin.clock < rightOrigin.clock) return;
    if (left === right || this.find(origin) !== left) throw new Refused('neighbours in no order', 'shape');
  }

  private link(item: Y.Item, left: Y.Item | null): void {
    const next = left ? this.rightOf(left) : this.firstOf(item);
    if (left) this.setRight(left, item);
    else if (item.parentSub === null) this.starts.set(item.parent as Type, item);
    item.left = left;
    item.right = next;
    if (next) this.setLeft(next, item);
    else if (item.parentSub !== null) {
      this.setValue(item);
      if (left && !left.deleted) this.countDeletion(left);
    }
  }

  private checkShape(item: Y.Item): void {
    if (!this.part) return;
    const parent = item.parent as Type;
    if (this.only) this.checkRoot(item);
    // A structure that comes deleted shows nothing.
    if (item.content instanceof Y.ContentDeleted) return;
    const place = this.places.get(parent) ?? placeOf(parent);
    if (item.content instanceof Y.ContentType)
      this.places.set(item.content.type, { root: place.root, depth: place.depth + 1 });
    const wrong = misplaced(this.part, place, parent, item);
    if (wrong !== null) throw new Refused(wrong, 'shape');
  }

  /** Also of what comes deleted: it may take the place of a value. */
  private checkRoot({ parent }: Y.Item): void {
    const { root } = this.places.get(parent as Type) ?? placeOf(parent as Type);
    if (this.only && !this.only.has(root)) throw new Refused('not among the words', 'rights');
  }

  // ---- The document with what has its place by now ----------------------------------------------

  private structsOf(client: number, clock: number): Struct[] {
    const known = this.before.get(client);
    return (known !== undefined && clock >= known ? this.placed : this.store.clients).get(client) ?? [];
  }

  private find({ client, clock }: Y.ID): Struct {
    const structs = this.structsOf(client, clock);
    return structs[Y.findIndexSS(structs, clock)] as Struct;
  }

  private isNew({ id }: Y.Item): boolean {
    const known = this.before.get(id.client);
    return known !== undefined && id.clock >= known;
  }

  private rightOf(item: Y.Item): Y.Item | null {
    return this.rights.get(item) ?? item.right;
  }

  private leftOf(item: Y.Item): Y.Item | null {
    return this.lefts.get(item) ?? item.left;
  }

  private setRight(item: Y.Item, right: Y.Item): void {
    if (this.isNew(item)) item.right = right;
    else this.rights.set(item, right);
  }

  private setLeft(item: Y.Item, left: Y.Item): void {
    if (this.isNew(item)) item.left = left;
    else this.lefts.set(item, left);
  }

  private setValue(item: Y.Item): void {
    const parent = item.parent as Type;
    const values = this.values.get(parent);
    if (values) values.set(item.parentSub as string, item);
    else this.values.set(parent, new Map([[item.parentSub as string, item]]));
  }

  private firstOf({ parent, parentSub }: Y.Item): Y.Item | null {
    const type = parent as Type;
    if (parentSub === null) return this.starts.get(type) ?? type._start;
    let first = this.values.get(type)?.get(parentSub) ?? type._map.get(parentSub) ?? null;
    for (let left = first && this.leftOf(first); left; left = this.leftOf(left)) {
      this.compare(unit.walk);
      first = left;
    }
    return first;
  }

  /** The structure that ends with this id. */
  private cleanEnd({ client, clock }: Y.ID): Struct {
    const structs = this.structsOf(client, clock);
    const index = Y.findIndexSS(structs, clock);
    const struct = structs[index] as Struct;
    const length = clock - struct.id.clock + 1;
    if (length < struct.length && struct instanceof Y.Item) this.split(structs, index, struct, length);
    return struct;
  }

  /** The structure that begins with this id. */
  private cleanStart({ client, clock }: Y.ID): Struct {
    const structs = this.structsOf(client, clock);
    const index = Y.findIndexSS(structs, clock);
    const struct = structs[index] as Struct;
    if (struct.id.clock === clock || !(struct instanceof Y.Item)) return struct;
    return this.split(structs, index, struct, clock - struct.id.clock);
  }

  private split(structs: Struct[], index: number, left: Y.Item, length: number): Y.Item {
    this.countSplit(structs, index);
    const right = this.cut(left, length);
    structs.splice(index + 1, 0, right);
    return right;
  }

  /** Cuts a structure as Yjs does (`splitItem`); its right part has to come behind it in the array. */
  private cut(left: Y.Item, length: number): Y.Item {
    const { client, clock } = left.id;
    const right = new Y.Item(
      Y.createID(client, clock + length),
      left,
      Y.createID(client, clock + length - 1),
      left.right,
      left.rightOrigin,
      left.parent,
      left.parentSub,
      left.content.splice(length),
    );
    left.length = length;
    left.right = right;
    if (this.isNew(left)) {
      if (right.right) this.setLeft(right.right, right);
      else if (right.parentSub !== null) this.setValue(right);
      return right;
    }
    if (left.deleted) right.markDeleted();
    if (left.keep) right.keep = true;
    if (left.redone) right.redone = Y.createID(left.redone.client, left.redone.clock + length);
    if (right.right) right.right.left = right;
    else if (right.parentSub !== null) (right.parent as Type)._map.set(right.parentSub, right);
    this.transaction._mergeStructs.push(right);
    const next = this.rights.get(left);
    if (next) {
      this.rights.delete(left);
      this.setRight(right, next);
      this.setLeft(next, right);
    }
    return right;
  }

  /** Cuts the document's structures wherever the update will, so that Yjs passes the same ones as this trial. */
  cutAll(structs: readonly (Struct | Y.Skip)[], deletes: Inspected['deletes']): void {
    const cuts = new Map<number, number[]>();
    for (const struct of structs) {
      if (!(struct instanceof Y.Item)) continue;
      if (struct.origin) addTo(cuts, struct.origin.client, struct.origin.clock + 1);
      if (struct.rightOrigin) addTo(cuts, struct.rightOrigin.client, struct.rightOrigin.clock);
    }
    for (const [client, ranges] of deletes)
      for (const [clock, length] of ranges) {
        if (this.isShown(client, clock)) addTo(cuts, client, clock);
        if (this.isShown(client, clock + length - 1)) addTo(cuts, client, clock + length);
      }
    for (const [client, clocks] of cuts) {
      const known = Y.getState(this.store, client);
      // An array of numbers alone is sorted without asking for each pair.
      const inside = Float64Array.from(clocks.filter((clock) => clock < known)).sort();
      if (inside.length > fewCuts) this.cutClient(client, inside);
      else for (const clock of inside) this.cleanStart(Y.createID(client, clock));
    }
  }

  private isShown(client: number, clock: number): boolean {
    return clock < Y.getState(this.store, client) && !this.find(Y.createID(client, clock)).deleted;
  }

  /** Cuts the structures of a client, all in one go. `clocks`: sorted. */
  private cutClient(client: number, clocks: Float64Array): void {
    const structs = this.store.clients.get(client) ?? [];
    const first = clocks.find((clock) => this.isInside(structs, clock));
    if (first === undefined) return;
    let next = 0;
    let at = Y.findIndexSS(structs, first);
    this.spend(clocks.length * unit.split + (structs.length * 3) / unit.moved);
    const behind = structs.splice(at);
    for (at = 0; at < behind.length; at += 1) {
      const struct = behind[at] as Struct;
      structs.push(struct);
      const end = struct.id.clock + struct.length;
      let left = struct as Y.Item;
      for (; next < clocks.length && (clocks[next] as number) < end; next += 1) {
        const length = (clocks[next] as number) - left.id.clock;
        if (length > 0 && struct instanceof Y.Item) structs.push((left = this.cut(left, length)));
      }
    }
  }

  private isInside(structs: Struct[], clock: number): boolean {
    const struct = structs[Y.findIndexSS(structs, clock)] as Struct;
    return struct instanceof Y.Item && struct.id.clock < clock;
  }

  // ---- Deletions ---------------------------------------------------------------------------------

  /** Counts what deletions cost: first how many structures Yjs passes, then each structure once. */
  deletions(deletes: Inspected['deletes']): void {
    const all: [structs: readonly Struct[], ranges: Range[]][] = [];
    for (const [client, ranges] of deletes) {
      const known = this.before.get(client) ?? Y.getState(this.store, client);
      const structs = this.store.clients.get(client) ?? [];
      const placed = this.placed.get(client) ?? [];
      const [old, own]: [Range[], Range[]] = [[], []];
      for (const [clock, length] of ranges) {
        const end = clock + length;
        if (clock < known) old.push([clock, Math.min(end, known)]);
        if (end > known && placed.length > 0) own.push([Math.max(clock, known), end]);
      }
      all.push([structs, old], [placed, own]);
    }
    for (const [structs, ranges] of all) for (const range of ranges) this.spend(passedIn(structs, range) * unit.step);
    for (const [structs, ranges] of all) {
      let upTo = 0;
      // Ranges may be the same many times over: what one of them deletes is no work for the next.
      for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
        if (to > upTo) this.countRange(structs, Math.max(from, upTo), to);
        upTo = Math.max(upTo, to);
      }
    }
  }

  private countRange(structs: readonly Struct[], from: number, to: number): void {
    const first = Y.findIndexSS(structs as Struct[], from);
    let joined = false;
    let at = first;
    for (; at < structs.length; at += 1) {
      const struct = structs[at] as Struct;
      if (struct.id.clock >= to) break;
      if (struct instanceof Y.Item && !struct.deleted) {
        const end = struct.id.clock + struct.length;
        if (struct.id.clock < from) this.countSplit(structs, at);
        if (end > to) this.countSplit(structs, at);
        this.countDeletion(struct);
      }
      const joins = at > first && canJoin(structs[at - 1] as Struct, struct);
      if (joined && !joins) this.countMoved(structs.length - at);
      joined = joins;
    }
    if (joined) this.countMoved(structs.length - at + 1);
  }

  private countDeletion(item: Y.Item): void {
    this.spend(unit.deletion);
    if (this.only) this.checkRoot(item);
    if (!(item.content instanceof Y.ContentType)) return;
    const { type } = item.content;
    for (let at = type._start; at; at = at.right) if (!at.deleted) this.countDeletion(at);
    for (const at of type._map.values()) if (!at.deleted) this.countDeletion(at);
  }

  // ---- Counting ----------------------------------------------------------------------------------

  private spend(units: number): void {
    this.spent += units;
    if (this.spent > this.most) throw new Refused(tooMuchWork, 'work');
  }

  private compare(units: number = unit.conflict): void {
    this.compared += 1;
    if (this.compared > this.mostCompared) throw new Refused(tooMuchWork, 'work');
    this.spend(units);
  }

  private countSplit(structs: readonly Struct[], index: number): void {
    this.spend(unit.split + (2 * (structs.length - index)) / unit.moved);
  }

  private countMoved(elements: number): void {
    this.spend(unit.split + elements / unit.moved);
  }

  /** New structures that Yjs joins at the transaction's end: each stretch of them moves what comes behind it. */
  private countJoins(structs: readonly Struct[]): void {
    let kept = 1;
    let joined = false;
    for (let at = structs.length - 1; at > 0; at -= 1) {
      const joins = canJoin(structs[at - 1] as Struct, structs[at] as Struct);
      if (!joins) {
        if (joined) this.countMoved(kept);
        kept += 1;
      }
      joined = joins;
    }
  }
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** How many structures a range of clocks is in. */
const passedIn = (structs: readonly Struct[], [from, to]: Range): number =>
  Y.findIndexSS(structs as Struct[], to - 1) - Y.findIndexSS(structs as Struct[], from) + 1;

/** Whether two structures of one client become one where both are deleted, or both are not. */
function canJoin(one: Struct, next: Struct): boolean {
  if (!(one instanceof Y.Item) || !(next instanceof Y.Item)) return one.constructor === next.constructor;
  return (
    one.right === next &&
    next.origin?.client === one.id.client &&
    next.origin.clock === one.id.clock + one.length - 1 &&
    Y.compareIDs(one.rightOrigin, next.rightOrigin)
  );
}
