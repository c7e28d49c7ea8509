import * as Y from 'yjs';
import type { Part } from '#shared/meetings/parts.ts';
import type { Limits } from '../protocol.ts';
import { DocumentFull } from './document.ts';
import { judge } from './gate.ts';
import { Refused, inspect, ofTheHouse, type Inspected } from './inspect.ts';
import { tryUpdate } from './trial.ts';

/** Checks that a new document hangs on nothing else and has the part's shape, like any update of a peer. */
export function proveSeed(part: Part, seed: Uint8Array, limits: Limits): Inspected {
  if (seed.byteLength > limits.documentBytes) throw new DocumentFull();
  const judged = judge(part, new Map(), seed, ofTheHouse);
  if (judged.verdict === 'early' || judged.verdict === 'beyond') throw new Refused('it hangs on something else');
  const inspected = inspect(seed, ofTheHouse);
  const doc = new Y.Doc();
  try {
    doc.transact((transaction) => tryUpdate(part, transaction, seed, inspected));
  } finally {
    doc.destroy();
  }
  return inspected;
}
