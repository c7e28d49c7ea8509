import * as Y from 'yjs';
import { DamagedLog, checksum, readRows, type StoredRow } from '#db/updates.ts';
import type { Database } from '#db/open.ts';
import { Problem } from '#shared/problems.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { roomName } from '#sync/server/rooms.ts';
import { generationOf, versionOf } from './version.ts';

/** A place in the log of a room: a generation with all its rows up to this one. */
export interface Place {
  generation: number;
  seq: number;
}

interface AtVersion extends Place {
  version: number;
  /** Others are given the same: it is only to be read. */
  doc: Y.Doc;
}

type Ask = Database['ask'];

/** Documents kept for whoever asks for the same version again. */
const mostKept = 6;
/** Rows applied in one go: between two of them everybody else has their turn. */
const stretch = 1000;
/** Long logs are gone through one after the other; beyond so many, whoever asks is told to come again. */
const mostWaiting = 20;

export const noSuchVersion = (): Problem => new Problem('NOT_FOUND', { message: 'There is no such version' });

/** What a meeting's transcript was: any state of it, read from the log, whose rows are kept for ever. */
export class Versions {
  private readonly ask: Ask;
  private readonly kept = new Map<string, Promise<Y.Doc>>();
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  /** How often a document was built; tests see by it that none is built twice. */
  built = 0;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  /** The document as it was when it had this version; who may ask for it is the caller's to know. */
  async docAt(meetingId: string, version: number): Promise<AtVersion> {
    const count = await this.count(meetingId);
    const place = count.placeOf(version);
    if (!place) throw noSuchVersion();
    return { version, ...place, doc: await this.docOf(meetingId, place, count.mends) };
  }

  /** How the versions of this meeting are counted at this moment. */
  count(meetingId: string): Promise<Count> {
    return countVersions(this.ask, roomName(meetingId, 'transcript', null));
  }

  /** The same by its place in the log. `mends`: what is set aside later makes another document of the same rows. */
  async docOf(meetingId: string, { generation, seq }: Place, mends: number): Promise<Y.Doc> {
    const room = roomName(meetingId, 'transcript', null);
    const key = `${room} ${generation} ${seq} ${mends}`;
    const building = this.kept.get(key) ?? this.build(room, { generation, seq });
    // The one that was asked for last goes last.
    this.kept.delete(key);
    this.kept.set(key, building);
    for (const [oldest] of this.kept) {
      if (this.kept.size <= mostKept) break;
      this.kept.delete(oldest);
    }
    try {
      return await building;
    } catch (error) {
      if (this.kept.get(key) === building) this.kept.delete(key);
      throw error;
    }
  }

  /** For work that goes through many rows: a crowd that looks into the past takes no turns from those who edit. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= mostWaiting) throw new Problem('UNAVAILABLE', { retryAfter: 2 });
    this.waiting += 1;
    const before = this.last;
    const done = before.then(() => readable(work)).finally(() => (this.waiting -= 1));
    this.last = done.catch(() => {});
    return done;
  }

  private build(room: string, place: Place): Promise<Y.Doc> {
    this.built += 1;
    return this.inTurn(async () => {
      const doc = new Y.Doc();
      const base = await snapshotUpTo(this.ask, room, place);
      if (base) Y.applyUpdate(doc, base.bytes);
      for await (const rows of rowsBetween(this.ask, room, place.generation, base?.seq ?? 0, place.seq))
        doc.transact(() => {
          for (const { bytes } of rows) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
        });
      return doc;
    });
  }
}

/** Where the log is damaged, what hangs on the damaged row cannot be read until the row is back. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error;
    throw new Problem('UNAVAILABLE', { message: 'This version cannot be read', cause: error });
  }
}

/** Rows after `from` up to `to`, some at a time: a long log takes up neither the memory nor the turn of others. */
export async function* rowsBetween(
  ask: Ask,
  room: string,
  generation: number,
  from: number,
  to: number,
): AsyncGenerator<StoredRow[]> {
  for (let done = from; done < to; done += stretch)
    yield await ask((sql) => readRows(sql, room, generation, done, Math.min(to, done + stretch)));
}

/** The newest whole snapshot that holds no row behind the place. */
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

// ---- Which version is which state ----------------------------------------------------------------

interface Counted {
  /** The number of its last row. */
  last: number;
  /** How often something had been set aside before this generation began. */
  asideBefore: number;
  /** The row behind which something was set aside, each time it was. */
  asideBehind: readonly number[];
}

/** Versions of one room by their places in its log, and back. */
export class Count {
  /** By generation, from the first on. */
  private readonly generations: readonly Counted[];
  readonly mends: number;

  constructor(generations: readonly Counted[]) {
    this.generations = generations;
    const { asideBefore = 0, asideBehind = [] } = generations.at(-1) ?? {};
    this.mends = asideBefore + asideBehind.length;
  }

  /** What is stored at this moment. */
  get now(): Place {
    const generation = Math.max(1, this.generations.length);
    return { generation, seq: this.lastOf(generation) };
  }

  lastOf(generation: number): number {
    return this.generations[generation - 1]?.last ?? 0;
  }

  /** The last version at which this was the state. */
  versionOf({ generation, seq }: Place): number {
    const { asideBefore = 0, asideBehind = [] } = this.generations[generation - 1] ?? {};
    const mends = asideBefore + asideBehind.filter((behind) => behind <= seq).length;
    return versionOf({ generation, seq, mends });
  }

  /** Null where there never was such a version. */
  placeOf(version: number): Place | null {
    if (!Number.isSafeInteger(version) || version < 0) return null;
    const { generation, counted } = generationOf(version);
    // A room that nobody has opened yet has no row, and is empty all the same.
    const found = this.generations[generation - 1] ?? (generation === 1 ? nothing : null);
    if (!found) return null;
    let set = 0;
    while ((found.asideBehind[set] ?? Infinity) + found.asideBefore + set + 1 <= counted) set += 1;
    const seq = counted - found.asideBefore - set;
    // A later generation begins with the row that holds all of its document.
    return seq < (generation === 1 ? 0 : 1) || seq > found.last ? null : { generation, seq };
  }
}

const nothing: Counted = { last: 0, asideBefore: 0, asideBehind: [] };

async function countVersions(ask: Ask, room: string): Promise<Count> {
  const rows = await ask(
    (sql) => sql<{ n: number; last: string; mends: number }[]>`
      select n, r.mends, case when n = r.generation then r.seq else coalesce((
        select max(u.seq) from room_updates u where u.room = r.name and u.generation = n), 0) end as last
      from rooms r, generate_series(1, r.generation) n where r.name = ${room} order by n`,
  );
  const mends = rows[0]?.mends ?? 0;
  const aside = mends === 0 ? [] : await asideOf(ask, room);
  let before = mends;
  const generations = rows.toReversed().map(({ n, last }): Counted => {
    const asideBehind = aside.filter((one) => one.generation === n).map(({ behind }) => behind);
    before = Math.max(0, before - asideBehind.length);
    return { last: Number(last), asideBefore: before, asideBehind };
  });
  return new Count(generations.toReversed());
}

/** What was set aside at one moment raised the version once; which rows there were by then, their times tell. */
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
