import { limits } from '../protocol.ts';
import { Refused, byKey, content, inOrder, inspect, type as types, type Bounds, type Inspected } from './inspect.ts';
import { isBoundary, isMark, noteNodes, roots } from '#shared/meetings/document.ts';
import type { Part } from '#shared/meetings/parts.ts';

/** How far each client's structures reach: what a room knows of a document without building it. */
export type Clocks = Map<number, number>;

/** Structures of one client that an update needs and the room lacks. */
export interface Lack {
  client: number;
  upTo: number;
}

/**
 * `new`: brings something. `known`: brings nothing new. `early`: hangs on something that has not arrived. `beyond`: deletes
 * what nobody has written.
 */
export type Judgement =
  | { verdict: 'new'; inspected: Inspected; newClients: number[] }
  | { verdict: 'known' }
  | { verdict: 'early'; lacks: Lack }
  | { verdict: 'beyond' };

/** Kinds of content each part's document may hold; our client never wrote `json` and `doc`. */
const everywhere = [content.gc, content.deleted, content.string, content.type, content.any];
const kinds: Record<Part, number> = {
  // No formatting in the transcript: text typed behind formatted text would inherit it.
  transcript: bits([...everywhere, content.embed, content.binary]),
  outcomes: bits(everywhere),
  comments: bits(everywhere),
  layer: bits(everywhere),
  notes: bits([...everywhere, content.format]),
};

const plainTypes = bits([types.map, types.array, types.text]);
const typesOf: Record<Part, number> = {
  transcript: plainTypes,
  outcomes: plainTypes,
  comments: plainTypes,
  layer: plainTypes,
  notes: plainTypes | bits([types.element, types.xmlText]),
};

function bits(list: readonly number[]): number {
  return list.reduce((all, kind) => all | (1 << kind), 0);
}

/**
 * Decides on an update before anything of it is built or stored. An update that passes integrates wholly: everything it
 * hangs on is there, so nothing is ever left pending in a document.
 */
export function judge(part: Part, known: Clocks, update: Uint8Array, bounds?: Bounds): Judgement {
  const inspected = inspect(update, bounds);
  checkForm(part, inspected);
  return place(known, inspected);
}

/** Whether what an update hangs on is known. */
export function place(known: Clocks, inspected: Inspected): Judgement {
  const reach = (client: number): number => Math.max(known.get(client) ?? 0, inspected.ranges.get(client)?.to ?? 0);
  let lacks: Lack | null = null;
  const newClients: number[] = [];
  for (const [client, { from, to }] of inspected.ranges) {
    const have = known.get(client) ?? 0;
    if (from > have + limits.clockStep) throw new Refused('a step too far');
    if (from > have) lacks ??= { client, upTo: from };
    if (to > have) newClients.push(client);
  }
  for (const [client, upTo] of inspected.holes) if (upTo > (known.get(client) ?? 0)) lacks ??= { client, upTo };
  for (const [client, upTo] of inspected.needs) if (upTo > reach(client)) lacks ??= { client, upTo };
  if (lacks) return { verdict: 'early', lacks };
  // Deleting what does not exist yet would destroy what its author is about to write. In an update that hangs on
  // something missing, the deleted may be missing with it; otherwise only an attacker sends this.
  for (const [client, upTo] of inspected.deletesUpTo) if (upTo > reach(client)) return { verdict: 'beyond' };
  if (newClients.length === 0 && inspected.deleted === 0) return { verdict: 'known' };
  return { verdict: 'new', inspected, newClients };
}

/** Checks what the bytes alone tell of the document's shape; `shape.ts` checks the rest once they are applied. */
function checkForm(part: Part, inspected: Inspected): void {
  if (inspected.kinds & ~kinds[part] || inspected.types & ~typesOf[part])
    throw new Refused('content of a kind that does not belong here', 'shape');
  for (const [name, ways] of inspected.roots) {
    const kind = Object.hasOwn(roots[part], name) ? roots[part][name] : undefined;
    if (!kind) throw new Refused('an unknown root', 'shape');
    if (ways & (kind === 'map' ? inOrder : byKey)) throw new Refused('a root of another kind', 'shape');
  }
  if (!inspected.embeds.every(part === 'transcript' ? isBoundary : () => false))
    throw new Refused('an embed that does not belong here', 'shape');
  if (!inspected.names.every((name) => Object.hasOwn(noteNodes, name)))
    throw new Refused('an unknown element', 'shape');
  if (!inspected.formats.every(([key, value]) => isMark(key, value))) throw new Refused('an unknown mark', 'shape');
}

/** Raises the clocks by what an accepted update brings. */
export function advance(known: Clocks, inspected: Inspected): void {
  for (const [client, { to }] of inspected.ranges) if (to > (known.get(client) ?? 0)) known.set(client, to);
}
