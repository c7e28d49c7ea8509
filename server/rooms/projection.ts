import type { Fragment, Sql } from 'postgres';
import { roomName } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import { versionSql } from './version.ts';
import { followRooms, type ChangedRoom, type Following } from './watch.ts';
import { project } from './whole-works.ts';

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

/** Capitals whose case a database with the locale `C` does not know, without those that folding takes apart. */
const capitals = Array.from({ length: 0x600 - 0xc0 }, (_, nth) => String.fromCodePoint(0xc0 + nth)).filter(
  (one) => foldTitle(one).length === 1 && one.toLowerCase() !== one && one.normalize('NFKD') === one,
);
const small = capitals.map((one) => one.toLowerCase());

/** SQL that folds a text as `foldTitle` does. */
export const folded = (sql: Sql, text: Fragment): Fragment => sql`
  translate(lower(regexp_replace(normalize(left(${text}, ${longestKey}::int), NFKD), '[\\u0300-\\u036F]', '', 'g')),
    ${capitals.join('')}, ${small.join('')})`;

/**
 * SQL for the title of a meeting, with projection `p` and intake `i`: the document's title, or the name the meeting was
 * added with.
 */
export const shownTitle = (sql: Sql) => sql`coalesce(nullif(p.title, ''), i.title, '')`;
export const shownTitleKey = (sql: Sql) => sql`coalesce(nullif(p.title_key, ''), ${folded(sql, sql`i.title`)}, '')`;

/** Updates the projection of a meeting to the stored state; a newer projection stays unchanged. */
export async function updateProjection(
  house: Pick<House, 'documents' | 'wholes' | 'db'>,
  meetingId: string,
): Promise<void> {
  const long = await house.documents.long(meetingId);
  const found = long
    ? { ...long.state, ...(await house.wholes.do('project', long.pieces)) }
    : await house.documents.read(meetingId, (doc, state) => ({ ...state, ...project(doc) }));
  const { version, generation, seq, title, words, speakers, spokenMs, lanes, opening, firstText } = found;
  const room = roomName(meetingId, 'transcript', null);
  await house.db.sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at)
    select m.id, ${version}::bigint, ${title}::text, ${foldTitle(title)}::text, ${words}::int, ${speakers}::int,
      ${spokenMs}::int, ${lanes}::text, ${opening}::text, ${JSON.stringify(firstText)}::text, coalesce(
        (select at from room_updates where room = ${room} and generation = ${generation} and seq = ${seq}), m.created_at)
    from meetings m where m.id = ${meetingId}
    on conflict (meeting_id) do update set version = excluded.version, title = excluded.title,
      title_key = excluded.title_key, words = excluded.words, speakers = excluded.speakers,
      spoken_ms = excluded.spoken_ms, lanes = excluded.lanes, opening = excluded.opening, first_text = excluded.first_text,
      updated_at = excluded.updated_at
    where meeting_projections.version < excluded.version or meeting_projections.lanes is null or meeting_projections.first_text is null`;
}

/** Updates lists in the background. */
export const startProjections = (house: House): Following =>
  followRooms(house, {
    parts: ['transcript'],
    behind: (names, after) => behind(house, names, after?.meetingId ?? ''),
    follow: ({ meetingId }) => updateProjection(house, meetingId),
    complaints: { room: 'a meeting could not be read for lists', all: 'lists lag behind' },
  });

/** Meetings whose projections are outdated: among these rooms, or the next hundred after an id. */
async function behind({ db }: House, rooms: readonly string[] | null, after: string): Promise<ChangedRoom[]> {
  const { sql } = db;
  return sql<ChangedRoom[]>`
    select m.id as "meetingId", r.part, null as of from rooms r join meetings m on m.id = r.meeting_id
    left join meeting_projections p on p.meeting_id = m.id
    where r.part = 'transcript' and m.deleted_at is null and (p.lanes is null or p.first_text is null or p.version < ${sql.unsafe(versionSql)})
      and ${rooms ? sql`r.name = any(${[...rooms]})` : sql`m.id > ${after}`}
    order by m.id ${rooms ? sql`` : sql`limit 100`}`;
}
