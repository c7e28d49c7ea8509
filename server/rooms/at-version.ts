import { setImmediate } from 'node:timers/promises';
import * as Y from 'yjs';
import { DamagedLog, checksum, readRows, type StoredRow } from '#db/updates.ts';
import type { Database } from '#db/open.ts';
import { Problem } from '#shared/problems.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { roomName, type Rooms } from '#sync/server/rooms.ts';
import { versionOf } from './version.ts';

/** A position in the log of a room: a generation with all its rows up to `seq`. */
export interface Place {
  generation: number;
  seq: number;
}

interface AtVersion extends Place {
  version: number;
  /** Shared between callers: read-only. */
  doc: Y.Doc;
}

type Ask = Database['ask'];

/** Documents cached for repeated requests of the same version. */
const mostCached = 6;
/** Rows applied before yielding to other work. */
const batchRows = 1000;
/** Limit on queued readers of long logs; others get UNAVAILABLE. */
const mostWaiting = 20;

export const noSuchVersion = (): Problem => new Problem('NOT_FOUND', { message: 'There is no such version' });

/** Past states of transcripts, built from the log, whose rows are kept forever. */
export class Versions {
  private readonly ask: Ask;
  private readonly untangled: Rooms['untangled'];
  private readonly cache = new Map<string, Promise<Y.Doc>>();
  private readonly bytes = new Map<string, Promise<Uint8Array[]>>();
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  /** Number of documents built; tests check that none is built twice. */
  built = 0;

  /** `untangled`: see `Rooms.untangled`. */
  constructor(ask: Ask, untangled: Rooms['untangled']) {
    this.ask = ask;
    this.untangled = untangled;
  }

  /** The document at a version; the caller checks the permission. */
  async docAt(meetingId: string, version: number): Promise<AtVersion> {
    const count = await this.count(meetingId);
    const place = count.placeOf(version);
    if (!place) throw noSuchVersion();
    return { version, ...place, doc: await this.docOf(meetingId, place, count.mends) };
  }

  count(meetingId: string): Promise<Count> {
    return countVersions(this.ask, roomName(meetingId, 'transcript', null));
  }

  /**
   * The document at a position in the log. `mends` is part of the cache key, because setting rows aside later changes
   * the document.
   */
  docOf(meetingId: string, { generation, seq }: Place, mends: number): Promise<Y.Doc> {
    const key = `${meetingId} ${generation} ${seq} ${mends}`;
    return cached(this.cache, key, () => this.build(meetingId, { generation, seq }, mends));
  }

  /** The bytes of a state, which cost little to build, for reading: structures may name other neighbours (G16). */
  stored(meetingId: string, { generation, seq }: Place, mends: number): Promise<Uint8Array[]> {
    const key = `${meetingId} ${generation} ${seq} ${mends}`;
    return cached(this.bytes, key, () => this.inTurn(() => this.load(meetingId, { generation, seq })));
  }

  /** Serializes work on long logs, so that many readers of past versions do not slow down editors. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= mostWaiting) throw new Problem('UNAVAILABLE', { retryAfter: 2 });
    this.waiting += 1;
    const before = this.last;
    const done = before.then(() => readable(work)).finally(() => (this.waiting -= 1));
    this.last = done.catch(() => {});
    return done;
  }

  private async load(meetingId: string, place: Place): Promise<Uint8Array[]> {
    const room = roomName(meetingId, 'transcript', null);
    const base = await snapshotUpTo(this.ask, room, place);
    const pieces: Uint8Array[] = base ? [base.bytes] : [];
    for await (const rows of rowsBetween(this.ask, room, place.generation, base?.seq ?? 0, place.seq))
      for (const { bytes } of rows) pieces.push(...unpackUpdates(bytes));
    // Nothing is ever stored behind it, so it does not matter which neighbours its structures name.
    const cheap = await this.untangled(pieces);
    return cheap ? [cheap.bytes] : pieces;
  }

  private async build(meetingId: string, place: Place, mends: number): Promise<Y.Doc> {
    this.built += 1;
    const pieces = await this.stored(meetingId, place, mends);
    return this.inTurn(async () => {
      const doc = new Y.Doc();
      for (const some of inBatches(pieces)) {
        doc.transact(() => {
          for (const piece of some) Y.applyUpdate(doc, piece);
        });
        await setImmediate();
      }
      return doc;
    });
  }
}

/** An entry that is there, or is made now: once for all who ask, and kept while few others are asked for. */
async function cached<T>(all: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const making = all.get(key) ?? make();
  // Inserted again, so that the least recently used entry is evicted first.
  all.delete(key);
  all.set(key, making);
  for (const [oldest] of all) {
    if (all.size <= mostCached) break;
    all.delete(oldest);
  }
  try {
    return await making;
  } catch (error) {
    if (all.get(key) === making) all.delete(key);
    throw error;
  }
}

function* inBatches(pieces: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  for (let i = 0; i < pieces.length; i += batchRows) yield pieces.slice(i, i + batchRows);
}

/** Turns a damaged log into an error: states that depend on the damaged row cannot be read until it is repaired. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error;
    throw new Problem('UNAVAILABLE', { message: 'This version cannot be read', cause: error });
  }
}

/** Rows after `from` up to `to`, read in batches, so that a long log neither fills the memory nor blocks others. */
export async function* rowsBetween(
  ask: Ask,
  room: string,
  generation: number,
  from: number,
  to: number,
): AsyncGenerator<StoredRow[]> {
  for (let done = from; done < to; done += batchRows)
    yield await ask((sql) => readRows(sql, room, generation, done, Math.min(to, done + batchRows)));
}

/** The newest intact snapshot at or before the position. */
async function snapshotUpTo(
  ask: Ask,
  room: string,
  { generation, seq }: Place,
): Promise<{ seq: number; bytes: Uint8Array } | null> {
  for (let upTo = seq; ;) {
    const [one] = await ask(
      (sql) => sql<{ seq: string; bytes: Buffer; checksum: Buffer }[]>`
        select seq, bytes, checksum from room_snapshots s
        where room = ${room} and generation = ${generation} and seq <= ${upTo} and not exists (
          select 1 from room_quarantine q
          where q.room = s.room and q.generation = s.generation and q.kind = 'snapshot' and q.seq = s.seq)
        order by seq desc limit 1`,
    );
    if (!one) return null;
    const found = Number(one.seq);
    if (checksum(room, generation, found, one.bytes).equals(one.checksum)) return { seq: found, bytes: one.bytes };
    upTo = found - 1;
  }
}

// ---- Versions and states ------------------------------------------------------------------------

interface Counted {
  /** Number of rows in all generations before. */
  base: number;
  /** `seq` of the last row of the generation. */
  last: number;
  /** Number of times rows had been set aside before this generation began. */
  asideBefore: number;
  /** `seq` of the last row at each time rows were set aside. */
  asideBehind: readonly number[];
}

/** Maps versions of one room to positions in its log, and back. */
export class Count {
  /** Generations in order, the first one at index 0. */
  private readonly generations: readonly Counted[];
  readonly mends: number;

  constructor(generations: readonly Counted[]) {
    this.generations = generations;
    const { asideBefore = 0, asideBehind = [] } = generations.at(-1) ?? {};
    this.mends = asideBefore + asideBehind.length;
  }

  /** The latest stored position. */
  get now(): Place {
    const generation = Math.max(1, this.generations.length);
    return { generation, seq: this.lastOf(generation) };
  }

  lastOf(generation: number): number {
    return this.generations[generation - 1]?.last ?? 0;
  }

  /** The last version with this state. */
  versionOf({ generation, seq }: Place): number {
    const { base = 0, asideBefore = 0, asideBehind = [] } = this.generations[generation - 1] ?? {};
    const mends = asideBefore + asideBehind.filter((behind) => behind <= seq).length;
    return versionOf({ base, seq, mends });
  }

  /** Null if there was never such a version. */
  placeOf(version: number): Place | null {
    if (!Number.isSafeInteger(version) || version < 0) return null;
    // A later generation begins with a row, at the version behind the last one of the generation before.
    const before = this.generations.findLastIndex(({ base, asideBefore }) => base + asideBefore < version);
    const generation = Math.max(1, before + 1);
    // A room never opened has no row and counts as empty.
    const found = this.generations[generation - 1] ?? nothing;
    const counted = version - found.base;
    let set = 0;
    while ((found.asideBehind[set] ?? Infinity) + found.asideBefore + set + 1 <= counted) set += 1;
    const seq = counted - found.asideBefore - set;
    // Later generations begin with a row that holds the whole document.
    return seq < (generation === 1 ? 0 : 1) || seq > found.last ? null : { generation, seq };
  }
}

const nothing: Counted = { base: 0, last: 0, asideBefore: 0, asideBehind: [] };

async function countVersions(ask: Ask, room: string): Promise<Count> {
  const rows = await ask(
    (sql) => sql<{ n: number; last: string; base: string; mends: number }[]>`
      select n, r.mends, r.base, case when n = r.generation then r.seq else coalesce((
        select max(u.seq) from room_updates u where u.room = r.name and u.generation = n), 0) end as last
      from rooms r, generate_series(1, r.generation) n where r.name = ${room} order by n`,
  );
  const mends = rows[0]?.mends ?? 0;
  const aside = mends === 0 ? [] : await asideOf(ask, room);
  let before = mends;
  let base = Number(rows[0]?.base ?? 0);
  const generations = rows.toReversed().map(({ n, last }, back): Counted => {
    if (back > 0) base -= Number(last);
    const asideBehind = aside.filter((one) => one.generation === n).map(({ behind }) => behind);
    before = Math.max(0, before - asideBehind.length);
    return { base, last: Number(last), asideBefore: before, asideBehind };
  });
  return new Count(generations.toReversed());
}

/** Rows set aside at one moment raised the version once; timestamps tell which rows existed by then. */
async function asideOf(ask: Ask, room: string): Promise<{ generation: number; behind: number }[]> {
  const rows = await ask(
    (sql) => sql<{ generation: number; behind: string }[]>`
      select q.generation, coalesce((select max(u.seq) from room_updates u
        where u.room = q.room and u.generation = q.generation and u.at <= q.at), 0) as behind
      from (select distinct room, generation, at from room_quarantine where room = ${room}) q
      order by q.generation, behind`,
  );
  return rows.map(({ generation, behind }) => ({ generation, behind: Number(behind) }));
}
