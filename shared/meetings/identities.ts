import * as Y from 'yjs';
import { textOf } from './transcript.ts';

// Times, confidences and anchors belong to characters by their ids. An undo that brings deleted text back makes new
// characters with new ids, and only the page that undid knows which was which. So it writes that down in the same
// transaction: the map `identities` tells of characters that they are earlier ones. Everyone who reads the text takes
// them for these.

const rootOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('identities');

/** A run of characters as it stands in the text, and the clock of the first in the client it came from. */
interface SameRun {
  client: number;
  clock: number;
  length: number;
}

interface Run {
  from: number;
  to: number;
  client: number;
  clock: number;
}

/** Runs in one entry; one of a thousand stays far below the limit of a value. */
const mostRuns = 1000;

/** Characters that are earlier ones, for a document in which this is known for some. */
export class Identities {
  private readonly clients: ReadonlyMap<number, readonly Run[]>;

  constructor(map: Y.Map<unknown>) {
    this.clients = runsOf(map);
  }

  get any(): boolean {
    return this.clients.size > 0;
  }

  has(client: number): boolean {
    return this.clients.has(client);
  }

  /** Runs of earlier characters that these are, in order; those not known to be earlier ones are themselves. */
  runs(client: number, clock: number, length: number): SameRun[] {
    const known = this.clients.get(client);
    if (!known) return [{ client, clock, length }];
    const found: SameRun[] = [];
    const end = clock + length;
    let at = clock;
    for (let i = firstEndingAfter(known, clock); at < end; i += 1) {
      const run = known[i];
      const from = Math.min(end, run?.from ?? end);
      if (from > at) found.push({ client, clock: at, length: from - at });
      at = Math.max(at, from);
      if (!run || at >= end) break;
      const to = Math.min(end, run.to);
      found.push({ client: run.client, clock: run.clock + at - run.from, length: to - at });
      at = to;
    }
    return found;
  }

  of(client: number, clock: number): readonly [client: number, clock: number] {
    const [run] = this.clients.has(client) ? this.runs(client, clock, 1) : [];
    return run ? [run.client, run.clock] : [client, clock];
  }
}

function firstEndingAfter(runs: readonly Run[], clock: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.to ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries are untrusted: malformed ones are ignored, and of overlapping ones all peers ignore the same. */
function runsOf(map: Y.Map<unknown>): Map<number, Run[]> {
  const clients = new Map<number, Run[]>();
  for (const [key, value] of map) {
    const own = Number(/^(\d{1,16}):\d{1,16}$/.exec(key)?.[1] ?? Number.NaN);
    if (!Number.isSafeInteger(own) || !Array.isArray(value)) continue;
    for (let i = 0; i + 3 < value.length; i += 4) {
      const [from, length, client, clock] = value.slice(i, i + 4) as unknown[];
      if (!isCount(from) || !isCount(length) || !isCount(client) || !isCount(clock) || length === 0) continue;
      const run = { from, to: from + length, client, clock };
      const runs = clients.get(own);
      if (runs) runs.push(run);
      else clients.set(own, [run]);
    }
  }
  for (const [client, runs] of clients) {
    runs.sort((a, b) => a.from - b.from || a.to - b.to || a.client - b.client || a.clock - b.clock);
    let end = 0;
    const apart = runs.filter(({ from, to }) => {
      const free = from >= end;
      if (free) end = to;
      return free;
    });
    clients.set(client, apart);
  }
  return clients;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const known = new WeakMap<Y.Doc, { now: Identities | null }>();

/** Read again only after the map has changed, which typing never does. */
export function identitiesOf(doc: Y.Doc): Identities {
  let kept = known.get(doc);
  if (!kept) {
    const fresh: { now: Identities | null } = { now: null };
    known.set(doc, (kept = fresh));
    rootOf(doc).observe(() => (fresh.now = null));
  }
  kept.now ??= new Identities(rootOf(doc));
  return kept.now;
}

type Deletions = Y.Transaction['deleteSet'];

/**
 * Notes which characters this transaction, an undo or a redo, has brought back. `deletions` are those it has undone;
 * its own characters begin at the clock `since`.
 */
export function noteReturned(transaction: Y.Transaction, deletions: readonly Deletions[], since: number): void {
  const { doc } = transaction;
  const text = textOf(doc);
  const identities = identitiesOf(doc);
  const runs: Run[] = [];
  for (const deleted of deletions)
    Y.iterateDeletedStructs(transaction, deleted, (item) => {
      if (!(item instanceof Y.Item) || item.parent !== text || !item.redone) return;
      // Brought back by an earlier undo already.
      if (item.redone.client !== doc.clientID || item.redone.clock < since) return;
      let from = item.redone.clock;
      for (const { client, clock, length } of identities.runs(item.id.client, item.id.clock, item.length)) {
        runs.push({ from, to: from + length, client, clock });
        from += length;
      }
    });
  runs.sort((one, other) => one.from - other.from);
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.to === run.from && last.client === run.client && last.clock + last.to - last.from === run.clock)
      last.to = run.to;
    else joined.push({ ...run });
  }
  for (let i = 0; i < joined.length; i += mostRuns) {
    const part = joined.slice(i, i + mostRuns);
    rootOf(doc).set(
      `${doc.clientID}:${part[0]?.from ?? 0}`,
      part.flatMap(({ from, to, client, clock }) => [from, to - from, client, clock]),
    );
  }
}
