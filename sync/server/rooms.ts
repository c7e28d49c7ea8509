import type * as Y from 'yjs';
import type { Sql } from 'postgres';
import { DamagedLog, appendRows, checksum, loadRoom, readRows, type PendingRow } from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { close, limits } from '../protocol.ts';
import type { Fanout, News } from './fanout.ts';
import { createLog, type Log } from './log.ts';
import { Presence } from './presence.ts';
import { Room, type RoomWorld } from './room.ts';
import { provenSnapshot } from './snapshot.ts';

/** A room and who is seen in it. */
export interface LiveRoom {
  room: Room;
  presence: Presence;
}

export interface RoomsOptions {
  sql: Sql;
  now(): Date;
  event(name: string, fields: Record<string, unknown>): void;
  observeAppend?(rows: number, ms: number): void;
  /** Made once it is known who is to hear the news. */
  fanout(hear: (room: string, news: News) => void): Fanout;
  /** Above this share of the heap no further room is opened. */
  full?(): boolean;
}

/** `meeting/part`, or `meeting/notes/person`: a person's notes are a room of their own. */
export const roomName = (meetingId: string, part: Part, userId: string | null): string =>
  part === 'notes' ? `${meetingId}/notes/${userId ?? ''}` : `${meetingId}/${part}`;

/** No more rooms can be opened here for now. */
export class HouseFull extends Error {
  override name = 'HouseFull';
}

const idleAfter = 20_000;
const lookEvery = 4_000;

/** All rooms open at this process. Any process may serve any room: the truth is in the log, and this forgets freely. */
export class Rooms {
  readonly log: Log;
  private readonly open = new Map<string, Promise<LiveRoom>>();
  private readonly live = new Map<string, LiveRoom>();
  private readonly options: RoomsOptions;
  private readonly fanout: Fanout;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly look: NodeJS.Timeout;
  private draining = false;

  constructor(options: RoomsOptions) {
    this.options = options;
    this.log = createLog(
      { append: (rows: readonly PendingRow[]) => appendRows(options.sql, rows) },
      options.observeAppend,
    );
    this.fanout = options.fanout((name, news) => this.hear(name, news));
    this.look = setInterval(() => void this.lookRound(), lookEvery);
    this.look.unref();
  }

  get size(): number {
    return this.live.size;
  }

  *all(): Iterable<LiveRoom> {
    yield* this.live.values();
  }

  /** The room of that name, loaded once however many ask; it throws when it cannot be loaded, and is never just empty. */
  async enter(meetingId: string, part: Part, userId: string | null): Promise<LiveRoom> {
    const name = roomName(meetingId, part, userId);
    const opening = this.open.get(name) ?? this.load(name, meetingId, part, userId);
    this.open.set(name, opening);
    try {
      return await opening;
    } catch (error) {
      if (this.open.get(name) === opening) this.open.delete(name);
      throw error;
    }
  }

  private async load(name: string, meetingId: string, part: Part, userId: string | null): Promise<LiveRoom> {
    if (this.draining || this.options.full?.()) throw new HouseFull();
    const { sql } = this.options;
    // Listening first: what is stored while we load is then either in the log we read or in the news.
    this.fanout.listen(name);
    await sql`insert into rooms (name, meeting_id, part, owner_id) values (${name}, ${meetingId}, ${part}, ${part === 'notes' ? userId : null}) on conflict do nothing`;
    const stored = await loadRoom(sql, name).catch((error: unknown) => {
      if (error instanceof DamagedLog)
        this.options.event('damaged log', { room: name, seq: error.seq, kind: error.kind });
      throw error;
    });
    if (!stored) throw new Error(`room ${name} could not be made`);
    const room = new Room(name, part, stored, this.world(), () => this.forget(name));
    const presence = new Presence((update) => this.fanout.publish(name, { kind: 'presence', update }));
    const live = { room, presence };
    this.live.set(name, live);
    this.fanout.publish(name, { kind: 'who' });
    return live;
  }

  private forget(name: string): void {
    this.open.delete(name);
    this.live.delete(name);
    this.fanout.unlisten(name);
  }

  private world(): RoomWorld {
    const { sql, now, event } = this.options;
    return {
      log: this.log,
      load: (name) => loadRoom(sql, name),
      rows: (name, generation, from, to) => readRows(sql, name, generation, from, to),
      lastSeq: async (name) => {
        const [row] = await sql<{ seq: string }[]>`select seq from rooms where name = ${name}`;
        return Number(row?.seq ?? 0);
      },
      claim: (name, generation, clientId, userId) => claimClient(sql, name, generation, clientId, userId, now()),
      storeSnapshot: (name, generation, seq, bytes) => storeSnapshot(sql, name, generation, seq, bytes, now()),
      publish: (name, generation, seq, bytes) => this.fanout.publish(name, { kind: 'row', generation, seq, bytes }),
      now,
      event,
      later: (ms, work) => {
        const timer = setTimeout(() => {
          this.timers.delete(timer);
          work();
        }, ms);
        this.timers.add(timer);
        timer.unref();
        return {
          cancel: () => {
            clearTimeout(timer);
            this.timers.delete(timer);
          },
        };
      },
    };
  }

  private hear(name: string, news: News): void {
    const live = this.live.get(name);
    if (!live) return;
    const { room, presence } = live;
    switch (news.kind) {
      case 'row':
        if (news.generation !== room.generation) room.drop('another generation', close.otherGeneration);
        else room.news(news.seq, news.bytes).catch(() => room.drop('a gap that could not be filled', close.restart));
        break;
      case 'presence':
        presence.news(news.update, room.peers);
        break;
      case 'who': {
        const update = presence.localStates();
        if (update) this.fanout.publish(name, { kind: 'presence', update });
        break;
      }
    }
  }

  /** News may get lost; a look at the numbers finds what did. Rooms nobody is in any more are closed on the way. */
  private async lookRound(): Promise<void> {
    try {
      const names = [...this.live.keys()];
      if (names.length === 0) return;
      const rows = await this.options.sql<
        { name: string; generation: number; seq: string }[]
      >`select name, generation, seq from rooms where name = any(${names})`;
      const stored = new Map(rows.map((row) => [row.name, row]));
      for (const [name, { room }] of this.live) {
        const row = stored.get(name);
        if (!row) room.drop('the meeting is gone', close.noAccess);
        else if (row.generation !== room.generation) room.drop('another generation', close.otherGeneration);
        else
          await room.refresh(Number(row.seq)).catch(() => room.drop('a gap that could not be filled', close.restart));
      }
    } catch (error) {
      this.options.event('look failed', { why: String(error) });
    }
    for (const [name, { room }] of this.live) {
      if (!room.idle) continue;
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        if (this.live.get(name)?.room === room && room.idle) room.drop('idle', close.restart);
      }, idleAfter);
      this.timers.add(timer);
      timer.unref();
    }
  }

  /** Changes a document as the server, for a verb of REST; durable and told to everybody when it resolves. */
  async change(
    meetingId: string,
    part: Part,
    by: { userId: string | null; room?: string },
    work: (doc: Y.Doc) => void,
  ): Promise<void> {
    const { room } = await this.enter(meetingId, part, by.room ?? by.userId);
    await room.change(by.userId, work);
  }

  /** No new rooms; what waits is stored; everybody is sent to reconnect, spread over a few seconds. */
  async drain(spreadMs: number): Promise<void> {
    this.draining = true;
    clearInterval(this.look);
    const peers = [...this.live.values()].flatMap(({ room }) => [...room.peers]);
    const step = peers.length > 0 ? Math.min(20, spreadMs / peers.length) : 0;
    for (const [i, peer] of peers.entries()) {
      peer.close(close.restart, 'restart');
      if (step >= 1 && i % Math.ceil(20 / Math.max(step, 1)) === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await this.log.idle();
    for (const { room } of [...this.live.values()]) room.drop('stopping', close.restart);
    for (const timer of this.timers) clearTimeout(timer);
    await this.fanout.close();
  }
}

async function claimClient(
  sql: Sql,
  room: string,
  generation: number,
  clientId: number,
  userId: string,
  now: Date,
): Promise<string | null> {
  const [owned] = await sql<
    { user_id: string }[]
  >`select user_id from room_clients where room = ${room} and generation = ${generation} and client_id = ${clientId}`;
  if (owned) return owned.user_id;
  const dayAgo = new Date(now.getTime() - 86_400_000).toISOString();
  const [count] = await sql<{ own: string; all: string }[]>`
    select count(*) filter (where user_id = ${userId} and at > ${dayAgo}::timestamptz) as own, count(*) as all
    from room_clients where room = ${room} and generation = ${generation}`;
  if (Number(count?.own) >= limits.clientIdsPerPersonAndDay || Number(count?.all) >= limits.clientIdsPerDocument)
    return null;
  await sql`insert into room_clients (room, generation, client_id, user_id, at) values (${room}, ${generation}, ${clientId}, ${userId}, ${now.toISOString()}::timestamptz) on conflict do nothing`;
  const [row] = await sql<
    { user_id: string }[]
  >`select user_id from room_clients where room = ${room} and generation = ${generation} and client_id = ${clientId}`;
  return row?.user_id ?? null;
}

/** A snapshot takes the place of an older one only after a fresh document made of it is the same document. */
async function storeSnapshot(
  sql: Sql,
  room: string,
  generation: number,
  seq: number,
  bytes: Uint8Array,
  now: Date,
): Promise<boolean> {
  if (!provenSnapshot(bytes)) return false;
  const stored = Buffer.from(bytes);
  await sql`
    insert into room_snapshots (room, generation, seq, bytes, checksum, at)
    values (${room}, ${generation}, ${seq}, ${stored}, ${checksum(room, generation, seq, stored)}, ${now.toISOString()}::timestamptz) on conflict do nothing`;
  return true;
}
