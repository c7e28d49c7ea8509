import * as Y from 'yjs';
import {
  isBoundary,
  mapDepth,
  noteNodes,
  packedRoot,
  plainRoots,
  roots,
  type RootKind,
} from '#shared/meetings/document.ts';
import type { Part } from '#shared/meetings/parts.ts';

/** How far each client's structures reached before a transaction. */
export const clocksBefore = ({ beforeState, afterState }: Y.Transaction): [client: number, clock: number][] =>
  [...afterState.keys()].map((client) => [client, beforeState.get(client) ?? 0]);

/**
 * Why something that came since then does not belong where it is; null where everything does. The gate tells most of it by
 * the bytes alone, but a structure that follows another names no parent, so its place is known only once it is applied.
 * Looks at new structures alone: of a keystroke, at one.
 */
export function misfit(
  part: Part,
  store: Y.Doc['store'],
  since: Iterable<readonly [client: number, clock: number]>,
): string | null {
  const order = new Order();
  for (const [client, from] of since) {
    if (Y.getState(store, client) <= from) continue;
    const structs = store.clients.get(client) ?? [];
    for (let at = Y.findIndexSS(structs, from); at < structs.length; at += 1) {
      const struct = structs[at];
      if (!(struct instanceof Y.Item)) continue;
      if (!order.holds(store, struct)) return 'neighbours in no order';
      // A structure that came deleted shows nothing.
      if (struct.deleted) continue;
      const wrong = misplaced(part, struct);
      if (wrong !== null) return wrong;
    }
  }
  return null;
}

/**
 * The order of neighbours. A structure was between its two neighbours when it was written, and order never changes; one
 * that contradicts this would stand elsewhere for each client, for good (G14a).
 */
class Order {
  /** The position of each item, by the first item of its list; built only where a short walk does not tell. */
  private readonly places = new Map<Y.Item, Map<Y.Item, number>>();

  holds(store: Y.Doc['store'], { origin, rightOrigin }: Y.Item): boolean {
    if (origin === null || rightOrigin === null) return true;
    const left: unknown = Y.getItem(store, origin);
    const right: unknown = Y.getItem(store, rightOrigin);
    // Yjs drops a structure beside one that is gone for good.
    if (!(left instanceof Y.Item) || !(right instanceof Y.Item)) return true;
    if (left === right) return origin.clock < rightOrigin.clock;
    let at: Y.Item | null = left.right;
    for (let steps = 0; steps < 100 && at; steps += 1) {
      if (at === right) return true;
      at = at.right;
    }
    if (!at) return false;
    const places = this.placesFrom(left);
    const [before, after] = [places.get(left), places.get(right)];
    return before !== undefined && after !== undefined && before < after;
  }

  private placesFrom(item: Y.Item): Map<Y.Item, number> {
    let first = item;
    while (first.left) first = first.left;
    let places = this.places.get(first);
    if (!places) {
      places = new Map();
      for (let at: Y.Item | null = first; at; at = at.right) places.set(at, places.size);
      this.places.set(first, places);
    }
    return places;
  }
}

function misplaced(part: Part, item: Y.Item): string | null {
  const parent = item.parent as Y.AbstractType<unknown>;
  let root = parent;
  let depth = 0;
  while (root._item) {
    depth += 1;
    if (depth > mapDepth && roots[part]['notes'] !== 'fragment') return 'nested too deeply';
    // Lists within lists are allowed as deep as values.
    if (depth > 64) return 'nested too deeply';
    root = root._item.parent as Y.AbstractType<unknown>;
  }
  const name = Y.findRootTypeKey(root as Y.AbstractType<Y.YEvent<Y.AbstractType<unknown>>>);
  const kind = Object.hasOwn(roots[part], name) ? roots[part][name] : undefined;
  if (!kind) return 'an unknown root';
  return fits(kind, name, depth, parent, item) ? null : `not what ${kind} holds`;
}

function fits(kind: RootKind, root: string, depth: number, parent: Y.AbstractType<unknown>, item: Y.Item): boolean {
  const { content } = item;
  const key = item.parentSub;
  switch (kind) {
    case 'text':
      if (key !== null || depth > 0) return false;
      if (content instanceof Y.ContentEmbed) return isBoundary(content.embed);
      // Later versions of Yjs write embeds as values.
      if (content instanceof Y.ContentAny) return content.arr.every(isBoundary);
      return content instanceof Y.ContentString;
    case 'map':
      return fitsMap(root, depth, parent, item);
    case 'fragment':
      if (depth === 0) return key === null && isNode(content);
      if (parent instanceof Y.XmlText)
        return key === null && (content instanceof Y.ContentString || content instanceof Y.ContentFormat);
      if (!(parent instanceof Y.XmlElement)) return false;
      if (key === null) return isNode(content);
      return content instanceof Y.ContentAny && content.arr.every((value) => isAttribute(parent, key, value));
  }
}

function fitsMap(root: string, depth: number, parent: Y.AbstractType<unknown>, item: Y.Item): boolean {
  const { content } = item;
  const keyed = item.parentSub !== null;
  if (depth > 0 && parent instanceof Y.Text) return !keyed && content instanceof Y.ContentString;
  if (depth > 0 && !(parent instanceof Y.Map) && !(parent instanceof Y.Array)) return false;
  if (keyed !== (depth === 0 || parent instanceof Y.Map)) return false;
  if (root === packedRoot) return content instanceof Y.ContentBinary;
  if (content instanceof Y.ContentAny) return true;
  if (!(content instanceof Y.ContentType) || plainRoots.has(root)) return false;
  const { type } = content;
  return type instanceof Y.Map || type instanceof Y.Array || (type instanceof Y.Text && !(type instanceof Y.XmlText));
}

function isNode(content: Y.Item['content']): boolean {
  if (!(content instanceof Y.ContentType)) return false;
  const { type } = content;
  return type instanceof Y.XmlText || (type instanceof Y.XmlElement && Object.hasOwn(noteNodes, type.nodeName));
}

function isAttribute(element: Y.XmlElement, key: string, value: unknown): boolean {
  const attributes = Object.hasOwn(noteNodes, element.nodeName) ? noteNodes[element.nodeName] : undefined;
  return attributes !== undefined && Object.hasOwn(attributes, key) && attributes[key]?.(value) === true;
}
