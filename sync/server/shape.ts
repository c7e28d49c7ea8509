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

const mostDepth = 64;

/** How far each client's structures reached before a transaction. */
export const clocksBefore = ({ beforeState, afterState }: Y.Transaction): [client: number, clock: number][] =>
  [...afterState.keys()].map((client) => [client, beforeState.get(client) ?? 0]);

/**
 * Fault in the place of something that came since then; null where everything belongs. The gate tells most of it by
 * the bytes alone, but a structure that follows another names no parent, so its place is known only once it is applied.
 * Looks at new structures alone: of a keystroke, at one.
 */
export function misfit(
  part: Part,
  store: Y.Doc['store'],
  since: Iterable<readonly [client: number, clock: number]>,
): string | null {
  for (const [client, from] of since) {
    if (Y.getState(store, client) <= from) continue;
    const structs = store.clients.get(client) ?? [];
    for (let at = Y.findIndexSS(structs, from); at < structs.length; at += 1) {
      const struct = structs[at];
      if (!(struct instanceof Y.Item)) continue;
      // A structure that came deleted shows nothing.
      if (struct.deleted) continue;
      const parent = struct.parent as Y.AbstractType<unknown>;
      const wrong = misplaced(part, placeOf(parent), parent, struct);
      if (wrong !== null) return wrong;
    }
  }
  return null;
}

/** The place of a type: its root, and how deep it is nested there. */
export interface Place {
  root: string;
  depth: number;
}

/** The place of a type that the document has. */
export function placeOf(type: Y.AbstractType<unknown>): Place {
  let root = type;
  let depth = 0;
  for (; root._item && depth <= mostDepth; depth += 1) root = root._item.parent as Y.AbstractType<unknown>;
  const name = root._item ? '' : Y.findRootTypeKey(root as Y.AbstractType<Y.YEvent<Y.AbstractType<unknown>>>);
  return { root: name, depth };
}

/** Fault of an item in its parent, a type at `place`; null where it belongs there. */
export function misplaced(
  part: Part,
  { root, depth }: Place,
  parent: Y.AbstractType<unknown>,
  item: Y.Item,
): string | null {
  // Lists within lists are allowed as deep as values.
  if (depth > (roots[part]['notes'] === 'fragment' ? mostDepth : mapDepth)) return 'nested too deeply';
  const kind = Object.hasOwn(roots[part], root) ? roots[part][root] : undefined;
  if (!kind) return 'an unknown root';
  return fits(kind, root, depth, parent, item) ? null : `not what ${kind} holds`;
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
