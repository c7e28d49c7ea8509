import * as Y from 'yjs';
import type { Part } from '#shared/meetings/parts.ts';
import type { Limits } from '../protocol.ts';
import { DocumentFull } from './document.ts';
import { judge } from './gate.ts';
import { Refused, inspect, ofTheHouse, type Inspected } from './inspect.ts';
import { clocksBefore, misfit } from './shape.ts';

/** Checks that a new document hangs on nothing else and has the part's shape, like any update of a peer. */
export function proveSeed(part: Part, seed: Uint8Array, limits: Limits): Inspected {
  if (seed.byteLength > limits.documentBytes) throw new DocumentFull();
  const judged = judge(part, new Map(), seed, ofTheHouse);
  if (judged.verdict === 'early' || judged.verdict === 'beyond') throw new Refused('it hangs on something else');
  const doc = new Y.Doc();
  let wrong: string | null = null;
  doc.on('afterTransaction', (transaction: Y.Transaction) => {
    wrong ??= misfit(part, doc.store, clocksBefore(transaction));
  });
  Y.applyUpdate(doc, seed);
  const waits = doc.store.pendingStructs || doc.store.pendingDs;
  doc.destroy();
  if (waits) throw new Refused('it hangs on itself');
  if (wrong !== null) throw new Refused(wrong);
  return inspect(seed, ofTheHouse);
}
