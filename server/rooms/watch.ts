import { roomName } from '#sync/server/rooms.ts';
import type { Part } from '#shared/meetings/parts.ts';
import type { House } from '../context.ts';

/** Milliseconds without changes after which a room is quiet. */
const quietMs = 2000;
/** Most that readers lag behind while a room is never quiet. */
const mostLagMs = 30_000;
const retryMs = 5_000;
const catchUpEvery = 600_000;

/** Attempts for one state of a document: more would not succeed before it changes. Catching up tries again. */
const mostTries = 5;

/** A room that has changed since it was last read. */
export interface ChangedRoom {
  meetingId: string;
  part: Part;
  /** Owner of notes, or the layer; null for other parts. */
  of: string | null;
}

/** Tables that are made of rooms, beside the documents themselves. */
interface Follower<T extends ChangedRoom> {
  parts: readonly Part[];
  /** Rooms that are behind: among those with these names, or the next hundred behind another in the follower's own order. */
  behind(names: readonly string[] | null, after: T | null): Promise<T[]>;
  follow(room: T): Promise<void>;
  /** Logged for a room that cannot be read, and for a database that cannot be reached. */
  complaints: { room: string; all: string };
}

export interface Following {
  stop(): Promise<void>;
}

interface Watched {
  /** State of the room: its generation, last row and number of mends. */
  state: string;
  /** Times of reaching this state, and of leaving the one that was followed last. */
  since: number;
  changedAt: number;
  done: boolean;
  /** Number of failed reads of that state. */
  failures: number;
}

/**
 * Follows rooms in the background. Each process watches its open rooms; rooms left unfinished by a killed process or a
 * dropped room are found in the tables.
 */
export function followRooms<T extends ChangedRoom>(house: House, follower: Follower<T>): Following {
  const { parts, behind, follow, complaints } = follower;
  const watched = new Map<string, Watched>();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let waiting = false;

  const look = (): string[] => {
    const now = performance.now();
    const open = new Set<string>();
    const due: string[] = [];
    for (const { room } of house.rooms.all()) {
      if (!parts.includes(room.part)) continue;
      const { name, generation, lastSeq: seq, mends } = room;
      const state = [generation, seq, mends].join(' ');
      open.add(name);
      const one = watched.get(name) ?? { state: '', since: now, changedAt: now, done: true, failures: 0 };
      watched.set(name, one);
      if (one.state !== state) {
        if (one.done) one.changedAt = now;
        Object.assign(one, { state, since: now, done: false, failures: 0 });
      }
      if (one.done || (now - one.since < quietMs && now - one.changedAt < mostLagMs)) continue;
      one.done = true;
      due.push(name);
    }
    for (const [name, { done }] of watched) {
      if (open.has(name)) continue;
      watched.delete(name);
      if (!done) due.push(name);
    }
    return due;
  };

  const work = async (changed: readonly T[]) => {
    for (const one of changed) {
      if (stopped) return;
      try {
        await follow(one);
      } catch (error) {
        house.log.warn({ err: error, meeting: one.meetingId }, complaints.room);
        const name = roomName(one.meetingId, one.part, one.of);
        const known = watched.get(name);
        if (known) known.failures += 1;
        if (known && known.failures < mostTries) again([name]);
      }
    }
  };
  const again = (names: readonly string[]) => {
    const later = performance.now() + retryMs;
    for (const name of names) {
      const one = watched.get(name);
      if (one) Object.assign(one, { done: false, since: later, changedAt: later });
    }
  };
  const next = (task: () => Promise<void>) => {
    running = running.then(task).catch((error: unknown) => house.log.warn({ err: error }, complaints.all));
    return running;
  };

  const ticking = setInterval(() => {
    if (waiting) return;
    const due = look();
    if (due.length === 0) return;
    waiting = true;
    void next(async () => {
      try {
        await work(await behind(due, null));
      } catch (error) {
        again(due);
        throw error;
      }
    }).finally(() => (waiting = false));
  }, quietMs / 2);
  ticking.unref();

  const catchUp = async () => {
    for (let after: T | null | undefined = null; after !== undefined && !stopped;) {
      const changed: T[] = await behind(null, after);
      await work(changed);
      after = changed.at(-1);
    }
  };
  const catching = house.config.serves.jobs ? setInterval(() => void next(catchUp), catchUpEvery) : null;
  catching?.unref();
  if (catching) void next(catchUp);

  return {
    async stop() {
      stopped = true;
      clearInterval(ticking);
      if (catching) clearInterval(catching);
      await running;
    },
  };
}
