import * as Y from 'yjs';
import type { Poison } from '#db/updates.ts';
import { unpackUpdates } from '../protocol.ts';
import { advance, type Clocks } from './gate.ts';
import { inspect, ofTheHouse, type Inspected } from './inspect.ts';
import { makeSnapshot } from './snapshot.ts';

interface Stored {
  seq: number;
  bytes: Uint8Array;
}

interface Row {
  seq: number;
  updates: Uint8Array[];
}

/**
 * The parts of a stored room that make no document, found by building. Only what fails is named, never what the gate would
 * refuse: rules may become stricter, and what was stored under older ones stays.
 */
export function findPoison(base: Stored | null, rows: readonly Stored[]): Poison[] {
  const bottom = base ? [base.bytes] : [];
  const wrong = failure(bottom);
  // Its rows are examined again on the older snapshot.
  if (base && wrong) return [{ kind: 'snapshot', seq: base.seq, why: wrong }];

  const poison = new Map<number, string>();
  const readable: Row[] = [];
  for (const { seq, bytes } of rows) {
    try {
      readable.push({ seq, updates: unpackUpdates(bytes) });
    } catch {
      poison.set(seq, 'not a row');
    }
  }
  for (;;) {
    if (poison.size > 0)
      for (const seq of orphans(base, readable, poison)) poison.set(seq, 'hangs on what was set aside');
    const kept = readable.filter(({ seq }) => !poison.has(seq));
    const fails = (count: number) => failure([...bottom, ...kept.slice(0, count).flatMap(({ updates }) => updates)]);
    let why = fails(kept.length);
    if (why === null) break;
    // Finds the first row with which it fails, by halving the stretch it must be in.
    let [good, bad] = [0, kept.length];
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      const found = fails(middle);
      if (found === null) good = middle;
      else [bad, why] = [middle, found];
    }
    poison.set(kept[bad - 1]?.seq ?? 0, why);
  }
  return [...poison].toSorted(([a], [b]) => a - b).map(([seq, why]) => ({ kind: 'row', seq, why }));
}

/** Error in building the pieces, storing and building them again; null for none. */
function failure(pieces: readonly Uint8Array[]): string | null {
  try {
    makeSnapshot(pieces);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Rows that hang on rows that were set aside. Their authors still have those, and bring them along when they come. */
function orphans(base: Stored | null, rows: readonly Row[], without: ReadonlyMap<number, string>): number[] {
  const known: Clocks = base ? Y.decodeStateVector(Y.encodeStateVectorFromUpdate(base.bytes)) : new Map();
  const found: number[] = [];
  for (const { seq, updates } of rows) {
    if (without.has(seq)) continue;
    const staged: Clocks = new Map(known);
    let whole = true;
    for (const update of updates) {
      const inspected = tryInspect(update);
      // An update the gate would refuse is judged by building.
      if (!inspected) continue;
      whole &&= fits(staged, inspected);
      advance(staged, inspected);
    }
    if (!whole) found.push(seq);
    else for (const [client, clock] of staged) known.set(client, clock);
  }
  return found;
}

function tryInspect(update: Uint8Array): Inspected | null {
  try {
    return inspect(update, ofTheHouse);
  } catch {
    return null;
  }
}

function fits(known: Clocks, { ranges, holes, needs, deletesUpTo }: Inspected): boolean {
  const has = (client: number) => known.get(client) ?? 0;
  const reach = (client: number) => Math.max(has(client), ranges.get(client)?.to ?? 0);
  return (
    [...ranges].every(([client, { from }]) => from <= has(client)) &&
    [...holes].every(([client, upTo]) => upTo <= has(client)) &&
    [...needs, ...deletesUpTo].every(([client, upTo]) => upTo <= reach(client))
  );
}
