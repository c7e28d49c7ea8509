import type * as Y from 'yjs';
import type { Database } from '#db/open.ts';
import type { OutcomeModelId } from '#shared/account-choices.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { plainReader, type PlainTranscript } from '#shared/meetings/plain.ts';
import { Problem } from '#shared/problems.ts';
import { close } from '#sync/protocol.ts';
import { AnsweredBefore } from '#sync/server/generations.ts';
import { DocumentFull } from '#sync/server/document.ts';
import type { Room } from '#sync/server/room.ts';
import { NotStored } from '#sync/server/storing.ts';
import { HouseFull, RoomNotReady, roomName, type Rooms } from '#sync/server/rooms.ts';
import { versionOf } from './version.ts';

/** A state of a meeting's transcript. */
export interface State {
  version: number;
  /** What this process has of the log: less than `version` says where the log is damaged. */
  generation: number;
  seq: number;
}

/** A transcript as JSON: the fields of an object without its braces, ready to be sent. */
interface PlainJson extends State {
  fields: Buffer;
  /** Chosen in the document itself. */
  outcomeModel: OutcomeModelId | null;
}

/** Bytes kept of texts that may be asked for again; one 3-hour meeting takes two million. */
const keptBytes = 32 * 1024 * 1024;

/** Which of a meeting's rooms; of notes, whose. */
export interface RoomOf {
  part: Part;
  userId: string | null;
}

const transcript: RoomOf = { part: 'transcript', userId: null };

interface Row {
  generation: number;
  seq: string;
  mends: number;
}

/** The transcripts as they are stored at this moment, for whoever reads them over REST. */
export class Documents {
  private readonly rooms: Rooms;
  private readonly ask: Database['ask'];
  private readonly most: number;
  private readonly kept = new Map<string, PlainJson>();
  private keptSize = 0;
  /** As long as a room has its document in memory, only what changed in it is read again. */
  private readonly readers = new WeakMap<Y.Doc, () => PlainTranscript>();
  /** How often a text was made into JSON; tests see by it that nothing is made twice. */
  made = 0;

  constructor(rooms: Rooms, ask: Database['ask'], most = keptBytes) {
    this.rooms = rooms;
    this.ask = ask;
    this.most = most;
  }

  /** Reads the document, with the number of the very state that is read. */
  async read<T>(meetingId: string, work: (doc: Y.Doc, state: State) => T): Promise<T> {
    return this.inRoom(meetingId, (room, row) => room.read((doc) => work(doc, stateOf(room, row))));
  }

  /** The whole document as JSON, made at most once for each state. With `known`, the state alone where it is that one. */
  async plain(meetingId: string, known?: (state: State) => boolean): Promise<PlainJson | State> {
    return this.inRoom(meetingId, async (room, row) => {
      const now = stateOf(room, row);
      // While another process is ahead, the room has first to take in what that one stored.
      if (room.damage || room.lastSeq >= Number(row.seq)) {
        if (known?.(now)) return now;
        const kept = this.find(room.name, now);
        if (kept) return kept;
      }
      return room.read((doc) => {
        const state = stateOf(room, row);
        return this.find(room.name, state) ?? this.make(room.name, doc, state);
      });
    });
  }

  private find(name: string, { version, seq }: State): PlainJson | null {
    const kept = this.kept.get(name);
    if (kept?.version !== version || kept.seq !== seq) return null;
    // The one that was asked for last goes last.
    this.kept.delete(name);
    this.kept.set(name, kept);
    return kept;
  }

  private make(name: string, doc: Y.Doc, state: State): PlainJson {
    const read = this.readers.get(doc) ?? plainReader(doc);
    this.readers.set(doc, read);
    this.made += 1;
    const said = read();
    const fields = Buffer.from(JSON.stringify(said).slice(1, -1));
    const plain = { ...state, fields, outcomeModel: said.preferredOutcomesModel };
    this.forget(name);
    this.kept.set(name, plain);
    this.keptSize += plain.fields.byteLength;
    for (const [oldest] of this.kept) {
      if (this.keptSize <= this.most) break;
      this.forget(oldest);
    }
    return plain;
  }

  private forget(name: string): void {
    this.keptSize -= this.kept.get(name)?.fields.byteLength ?? 0;
    this.kept.delete(name);
  }

  /** A room of the meeting, with all that any process had stored when it was asked for. */
  async inRoom<T>(
    meetingId: string,
    work: (room: Room, row: Row) => Promise<T>,
    { part, userId }: RoomOf = transcript,
  ): Promise<T> {
    const name = roomName(meetingId, part, userId);
    return roomProblems(async () => {
      for (let tries = 0; tries < 3; tries += 1) {
        const { room } = await this.rooms.enter(meetingId, part, userId);
        const [row] = await this.ask(
          (sql) => sql<Row[]>`select generation, seq, mends from rooms where name = ${name}`,
        );
        if (!row) throw new Problem('NO_ACCESS');
        if (row.generation === room.generation && row.mends === room.mends && !room.dropped) {
          await room.reach(Number(row.seq));
          return work(room, row);
        }
        // Another process has put something else in its place. Whoever is in this one is sent to that one within seconds.
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
  return { version: versionOf({ generation, seq, mends }), generation, seq: lastSeq };
}

/** What may go wrong with a room, as whoever asked over REST is told. */
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
