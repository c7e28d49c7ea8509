import type { Sql } from 'postgres';
import { roomName } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import { versionSql } from './version.ts';
import { project } from './whole-works.ts';

/** Milliseconds without changes after which a room is quiet. */
const quietMs = 2000;
/** Lists lag behind by at most this much while a room is never quiet. */
const mostLagMs = 30_000;
const retryMs = 5_000;
const catchUpEvery = 600_000;

/** Attempts for one state of a document: more would not succeed before it changes. Catching up tries again. */
const mostTries = 5;

const longestKey = 200;

/** Key that lists sort and search by: without case, diacritics and extra blanks. */
export const foldTitle = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, longestKey);

/**
 * SQL for the title of a meeting, with projection `p` and intake `i`: the document's title, or the name the meeting was
 * added with.
 */
export const shownTitle = (sql: Sql) => sql`coalesce(nullif(p.title, ''), i.title, '')`;
export const shownTitleKey = (sql: Sql) => sql`
  coalesce(nullif(p.title_key, ''),
    lower(regexp_replace(normalize(left(i.title, ${longestKey}::int), NFKD), '[\\u0300-\\u036F]', '', 'g')), '')`;

/** Updates the projection of a meeting to the stored state; a newer projection stays unchanged. */
export async function updateProjection(
  house: Pick<House, 'documents' | 'wholes' | 'db'>,
  meetingId: string,
): Promise<void> {
  const long = await house.documents.long(meetingId);
  const found = long
    ? { ...long.state, ...(await house.wholes.do('project', long.pieces)) }
    : await house.documents.read(meetingId, (doc, state) => ({ ...state, ...project(doc) }));
  const { version, generation, seq, title, words, speakers, spokenMs } = found;
  const room = roomName(meetingId, 'transcript', null);
  await house.db.sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
    select m.id, ${version}::bigint, ${title}::text, ${foldTitle(title)}::text, ${words}::int, ${speakers}::int,
      ${spokenMs}::int, coalesce(
        (select at from room_updates where room = ${room} and generation = ${generation} and seq = ${seq}), m.created_at)
    from meetings m where m.id = ${meetingId}
    on conflict (meeting_id) do update set version = excluded.version, title = excluded.title,
      title_key = excluded.title_key, words = excluded.words, speakers = excluded.speakers,
      spoken_ms = excluded.spoken_ms, updated_at = excluded.updated_at
    where meeting_projections.version < excluded.version`;
}

interface Watched {
  /** State of the room: its generation, last row and number of mends. */
  state: string;
  /** Times of reaching this state, and of leaving the one that lists show. */
  since: number;
  changedAt: number;
  done: boolean;
  /** Number of failed reads of that state. */
  failures: number;
}

interface Projections {
  stop(): Promise<void>;
}

/**
 * Updates lists in the background. Each process watches its open rooms; rooms left unfinished by a killed process or a
 * dropped room are found in the tables.
 */
export function startProjections(house: House): Projections {
  const watched = new Map<string, Watched>();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let waiting = false;

  const look = (): string[] => {
    const now = performance.now();
    const open = new Set<string>();
    const due: string[] = [];
    for (const { room } of house.rooms.all()) {
      if (room.part !== 'transcript') continue;
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

  const work = async (meetingIds: readonly string[]) => {
    for (const id of meetingIds) {
      if (stopped) return;
      try {
        await updateProjection(house, id);
      } catch (error) {
        house.log.warn({ err: error, meeting: id }, 'a meeting could not be read for lists');
        const name = roomName(id, 'transcript', null);
        const one = watched.get(name);
        if (one) one.failures += 1;
        if (one && one.failures < mostTries) again([name]);
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
    running = running.then(task).catch((error: unknown) => house.log.warn({ err: error }, 'lists lag behind'));
    return running;
  };

  const ticking = setInterval(() => {
    if (waiting) return;
    const due = look();
    if (due.length === 0) return;
    waiting = true;
    void next(async () => {
      try {
        await work(await behind(house, due));
      } catch (error) {
        again(due);
        throw error;
      }
    }).finally(() => (waiting = false));
  }, quietMs / 2);
  ticking.unref();

  const catchUp = async () => {
    for (let after: string | null = ''; after !== null && !stopped;) {
      const ids: string[] = await behind(house, null, after);
      await work(ids);
      after = ids.at(-1) ?? null;
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

/** Meetings whose projections are outdated: among these rooms, or the next hundred after an id. */
async function behind({ db }: House, rooms: readonly string[] | null, after = ''): Promise<string[]> {
  const { sql } = db;
  const rows = await sql<{ id: string }[]>`
    select m.id from rooms r join meetings m on m.id = r.meeting_id
    left join meeting_projections p on p.meeting_id = m.id
    where r.part = 'transcript' and m.deleted_at is null and (p.version is null or p.version < ${sql.unsafe(versionSql)})
      and ${rooms ? sql`r.name = any(${[...rooms]})` : sql`m.id > ${after}`}
    order by m.id ${rooms ? sql`` : sql`limit 100`}`;
  return rows.map(({ id }) => id);
}
