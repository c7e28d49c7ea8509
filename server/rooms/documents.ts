import type * as Y from 'yjs';
import type { Database } from '#db/open.ts';
import type { ModelId } from '#shared/account-choices.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { plainReader, type PlainTranscript } from '#shared/meetings/plain.ts';
import { ThreadFailed } from '#sync/server/thread.ts';
import { Problem } from '#shared/problems.ts';
import { close } from '#sync/protocol.ts';
import { AnsweredBefore } from '#sync/server/generations.ts';
import { DocumentFull } from '#sync/server/document.ts';
import type { Room } from '#sync/server/room.ts';
import { NotStored } from '#sync/server/storing.ts';
import { HouseFull, RoomNotReady, roomName, type Rooms } from '#sync/server/rooms.ts';
import { noFlags } from './segment-flags.ts';
import { versionOf } from './version.ts';
import type { Asker, WholeDocuments } from './whole-documents.ts';
import { plainFields, read, type Given, type Readings } from './whole-readings.ts';

/** A state of a meeting's transcript. */
export interface State {
  version: number;
  /** Part of the log that this process has: less than `version` says if the log is damaged. */
  generation: number;
  seq: number;
}

/** A transcript as JSON, ready to send: the fields of an object without its braces. */
interface PlainJson extends State {
  fields: Buffer<ArrayBuffer>;
  /** Selected in the document, not by a person's settings. */
  outcomeModel: ModelId | null;
}

/** A transcript that a thread serializes, for so many who wait. */
interface Making {
  result: Promise<PlainJson>;
  waiting: number;
  nobody: AbortController;
}

/** Bytes of cached transcripts; one 3-hour meeting takes two million. */
const cacheLimit = 32 * 1024 * 1024;

/** Names a room of a meeting; notes have one for each person, whose id `of` is, and layers have one each. */
export interface RoomOf {
  part: Part;
  of: string | null;
}

const transcript: RoomOf = { part: 'transcript', of: null };

interface Row {
  generation: number;
  seq: string;
  mends: number;
  base: string;
}

/** Stored transcripts, for reads over REST. */
export class Documents {
  private readonly rooms: Rooms;
  private readonly ask: Database['ask'];
  private readonly wholes: Pick<WholeDocuments, 'answer' | 'long'>;
  private readonly most: number;
  private readonly cache = new Map<string, PlainJson>();
  private readonly making = new Map<string, Making>();
  private cachedBytes = 0;
  /** Incremental readers: while a room's document is in memory, only its changes are read again. */
  private readonly readers = new WeakMap<Y.Doc, () => PlainTranscript>();
  /** Number of transcripts serialized; tests check that none is serialized twice. */
  made = 0;

  constructor(rooms: Rooms, ask: Database['ask'], wholes: Pick<WholeDocuments, 'answer' | 'long'>, most = cacheLimit) {
    this.rooms = rooms;
    this.ask = ask;
    this.wholes = wholes;
    this.most = most;
  }

  /** Reads the document together with the version of exactly that state. */
  async read<T>(meetingId: string, work: (doc: Y.Doc, state: State) => T, of: RoomOf = transcript): Promise<T> {
    return this.inRoom(meetingId, (room, row) => room.read((doc) => work(doc, stateOf(room, row))), of);
  }

  /** The same for a transcript that is in memory; null for another, which would have to be built. */
  async readBuilt<T>(meetingId: string, work: (doc: Y.Doc) => T): Promise<T | null> {
    const { part, of } = transcript;
    if (!this.rooms.isBuilt(meetingId, part, of)) return null;
    return this.inRoom(meetingId, (room) => (room.isBuilt ? room.read(work) : Promise.resolve(null)));
  }

  /** The present state, where nothing has to be read for it; else null. */
  async state(meetingId: string): Promise<State | null> {
    return this.inRoom(meetingId, async (room, row) => stateIn(room, row));
  }

  /** Makes an answer of the stored transcript: of a long one in a thread. `who`: null for a job. */
  async answer<Kind extends keyof Readings>(
    meetingId: string,
    who: Asker | null,
    kind: Kind,
    ...given: Given<Kind>
  ): Promise<{ state: State; answer: ReturnType<Readings[Kind]> }> {
    return this.inRoom(meetingId, async (room, row) => {
      const here = () =>
        room.read((doc) => {
          const state = stateOf(room, row);
          return { state, answer: read(doc, state.generation, kind, given) };
        });
      if (room.size < this.wholes.long) return here();
      await room.prepared();
      const state = stateOf(room, row);
      try {
        return { state, answer: await this.wholes.answer(who, room.stored, state.generation, kind, given) };
      } catch (error) {
        // Bytes that make no document are found, and mended, where they are built.
        if (error instanceof ThreadFailed) return here();
        throw error;
      }
    });
  }

  /**
   * The whole document as JSON, serialized at most once for each state. With `known`, only the state if `known` accepts
   * it.
   */
  async plain(
    meetingId: string,
    who: Asker | null = null,
    known?: (state: State) => boolean,
  ): Promise<PlainJson | State> {
    return this.inRoom(meetingId, async (room, row) => {
      const now = stateIn(room, row);
      if (now) {
        if (known?.(now)) return now;
        const cached = this.find(room.name, now);
        if (cached) return cached;
      }
      const here = () =>
        room.read((doc) => {
          const state = stateOf(room, row);
          return this.find(room.name, state) ?? this.make(room.name, doc, state);
        });
      if (room.size < this.wholes.long) return here();
      await room.prepared();
      const state = stateOf(room, row);
      try {
        return this.find(room.name, state) ?? (await this.makeApart(who, room, state));
      } catch (error) {
        if (error instanceof ThreadFailed) return here();
        throw error;
      }
    });
  }

  /**
   * The stored bytes of a long document, which is read in a thread; null for one that is read here. What stands beside the
   * transcript is read here where it is in memory: its readers know what they have read.
   */
  async long(meetingId: string, of: RoomOf = transcript): Promise<{ pieces: Uint8Array[]; state: State } | null> {
    return this.inRoom(
      meetingId,
      async (room, row) => {
        if (room.size < this.wholes.long || (of.part !== 'transcript' && room.isBuilt)) return null;
        await room.prepared();
        return { pieces: room.stored, state: stateOf(room, row) };
      },
      of,
    );
  }

  /** The stored bytes of a transcript. */
  async stored(meetingId: string): Promise<{ pieces: Uint8Array[]; state: State }> {
    return this.inRoom(meetingId, async (room, row) => {
      await room.prepared();
      return { pieces: room.stored, state: stateOf(room, row) };
    });
  }

  private find(name: string, { version, seq }: State): PlainJson | null {
    const cached = this.cache.get(name);
    if (cached?.version !== version || cached.seq !== seq) return null;
    // Inserted again, so that the least recently used entry is evicted first.
    this.cache.delete(name);
    this.cache.set(name, cached);
    return cached;
  }

  private make(name: string, doc: Y.Doc, state: State): PlainJson {
    const read = this.readers.get(doc) ?? plainReader(doc);
    this.readers.set(doc, read);
    this.made += 1;
    const plain = read();
    const { buffer } = plainFields(plain, noFlags);
    return this.keep(name, { ...state, fields: Buffer.from(buffer), outcomeModel: plain.preferredOutcomesModel });
  }

  /** Serializes a long document in a thread, once for all who ask for the same state meanwhile. */
  private makeApart(who: Asker | null, { name, stored }: Room, state: State): Promise<PlainJson> {
    const key = `${name} ${state.version} ${state.seq}`;
    const making = this.making.get(key) ?? this.beginApart(key, who, name, stored, state);
    making.waiting += 1;
    const leave = () => {
      making.waiting -= 1;
      if (making.waiting === 0) making.nobody.abort();
    };
    who?.gone?.addEventListener('abort', leave, { once: true });
    return making.result;
  }

  private beginApart(key: string, who: Asker | null, name: string, stored: Uint8Array[], state: State): Making {
    const nobody = new AbortController();
    const asker = who && { id: who.id, gone: nobody.signal };
    this.made += 1;
    const result = this.wholes
      .answer(asker, stored, state.generation, 'plain', [noFlags])
      .then(({ fields, outcomeModel }) =>
        this.keep(name, { ...state, fields: Buffer.from(fields.buffer), outcomeModel }),
      )
      .finally(() => this.making.delete(key));
    const making: Making = { result, waiting: 0, nobody };
    this.making.set(key, making);
    return making;
  }

  private keep(name: string, made: PlainJson): PlainJson {
    this.forget(name);
    this.cache.set(name, made);
    this.cachedBytes += made.fields.byteLength;
    for (const [oldest] of this.cache) {
      if (this.cachedBytes <= this.most) break;
      this.forget(oldest);
    }
    return made;
  }

  private forget(name: string): void {
    this.cachedBytes -= this.cache.get(name)?.fields.byteLength ?? 0;
    this.cache.delete(name);
  }

  /** Opens a room with everything that any process had stored at the time of the call. */
  async inRoom<T>(
    meetingId: string,
    work: (room: Room, row: Row) => Promise<T>,
    { part, of }: RoomOf = transcript,
  ): Promise<T> {
    const name = roomName(meetingId, part, of);
    return roomProblems(async () => {
      for (let tries = 0; tries < 3; tries += 1) {
        const { room } = await this.rooms.enter(meetingId, part, of);
        const [row] = await this.ask(
          (sql) => sql<Row[]>`select generation, seq, mends, base from rooms where name = ${name}`,
        );
        if (!row) throw new Problem('NO_ACCESS');
        if (row.generation === room.generation && row.mends === room.mends && !room.dropped) {
          await room.reach(Number(row.seq));
          return work(room, row);
        }
        // Another process replaced the document: clients connected here reconnect to the new one within seconds.
        room.drop(
          'another state is stored',
          row.generation === room.generation ? close.restart : close.otherGeneration,
        );
      }
      throw new Problem('UNAVAILABLE', { retryAfter: 1 });
    });
  }
}

function stateOf(room: Room, row: Row): State {
  const { generation, mends, lastSeq, damage } = room;
  const seq = damage ? Math.max(lastSeq, Number(row.seq)) : lastSeq;
  return { version: versionOf({ base: Number(row.base), seq, mends }), generation, seq: lastSeq };
}

/** The present state; null where another process is ahead, so that this room must first load what that one stored. */
const stateIn = (room: Room, row: Row): State | null =>
  room.damage || room.lastSeq >= Number(row.seq) ? stateOf(room, row) : null;

/** Maps errors of rooms to problems for REST callers. */
export async function roomProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HouseFull || error instanceof RoomNotReady)
      throw new Problem('UNAVAILABLE', { retryAfter: 5, cause: error });
    if (error instanceof AnsweredBefore) throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof NotStored) throw new Problem('UNSAVED', { retryAfter: 5, cause: error });
    if (error instanceof DocumentFull) throw new Problem('BIG', { cause: error });
    throw error;
  }
}
