import * as Y from 'yjs';
import { indexRoom, roomsBehind, type BehindRoom } from '#server/finding/indexing.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import { tokensVersion } from '#shared/finding/tokens.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import type { SharedHouse, TestHouse } from './house.ts';
import { makeMeeting } from './meetings.ts';
import type { Person } from './people.ts';

const by = { userId: null, origin: 'test' };

/** Creates a recording of these paragraphs. */
export async function makeSaid(
  house: SharedHouse,
  owner: Person,
  said: readonly string[],
  about: { title?: string; lang?: string } = {},
): Promise<string> {
  const id = await makeMeeting(house, owner);
  await house.house.rooms.change(id, 'transcript', by, (doc) => {
    writeAbout(doc, about, 'test');
    for (const [nth, text] of said.entries()) {
      textOf(doc).insertEmbed(textOf(doc).length, { s: `s${nth}`, p: 'a' });
      textOf(doc).insert(textOf(doc).length, text);
    }
  });
  await updateProjection(house.house, id);
  return id;
}

/** Creates a recording of these paragraphs, each as its words, of which one takes half a second. */
export async function makeTimed(
  house: SharedHouse,
  owner: Person,
  paragraphs: readonly (readonly string[])[],
  about: { title?: string; lang?: string; joint?: string } = {},
): Promise<string> {
  const { joint = ' ', ...rest } = about;
  const id = await makeMeeting(house, owner);
  const clock = paragraphs.map((_, s) => paragraphs.slice(0, s).reduce((sum, { length }) => sum + length, 0) / 2);
  const seed = seedState({
    about: rest,
    speakers: [{ id: 'a', name: 'Ann', color: 0, sortId: 0 }],
    segments: paragraphs.map((words, s) => ({
      id: `s${s}`,
      speaker: 'a',
      words: words.map((w, n) => ({ w, f: (clock[s] ?? 0) + n / 2, t: (clock[s] ?? 0) + n / 2 + 0.4 })),
      text: words.join(joint),
    })),
  });
  await house.house.rooms.change(id, 'transcript', by, (doc) => Y.applyUpdate(doc, seed));
  await updateProjection(house.house, id);
  return id;
}

/** Indexes at once what would be indexed seconds later. */
export async function indexAll({ house }: Pick<TestHouse, 'house'>): Promise<void> {
  for (let after: BehindRoom | null | undefined = null; after !== undefined;) {
    const behind: BehindRoom[] = await roomsBehind(house.db.sql, null, after);
    for (const room of behind) await indexRoom(house, room);
    after = behind.at(-1);
  }
}

/** A recording of one paragraph, as `insertSaid` writes it. */
export interface Said {
  id: string;
  owner: Pick<Person, 'id'>;
  /** Time at which it was added and last worked on. */
  at: Date;
  said: string;
  title?: string;
  tag?: string;
  folder?: string;
  /** Number of words that its list shows. */
  words?: number;
}

/** Writes the rows by which recordings are listed and found, hundreds at once, but no documents. */
export async function insertSaid(
  { database: { sql } }: Pick<SharedHouse, 'database'>,
  all: readonly Said[],
): Promise<void> {
  const values = all.map(({ owner, title = 'Talk', tag, folder = null, words = 1, ...rest }) => ({
    ...{ ...rest, owner: owner.id, title, folder, words },
    facets: tag === undefined ? [] : [`tag:${tag}`],
  }));
  const rows = sql`
    jsonb_to_recordset(${JSON.stringify(values)}::text::jsonb)
      r (id text, owner text, at timestamptz, said text, title text, folder text, words int, facets text[])`;
  await sql`insert into meetings (id, owner_id, created_at, folder_id) select id, owner, at, folder from ${rows}`;
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at)
    select id, 0, title, lower(title), words, 1, 60000, '', '', '', at from ${rows}`;
  await sql`insert into rooms (name, meeting_id, part) select id || '/transcript', id, 'transcript' from ${rows}`;
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens, facets)
    select id || '/transcript', id, 't', 1, 0, ${tokensVersion}::int, facets from ${rows}`;
  await sql`
    insert into search_passages (room, kind, key, braces, meeting_id, audience, body, segments, times, lexemes, digest)
    select id || '/transcript', 'words', 's0', false, id, 't', said, '{s0}', ''::bytea, to_tsvector('simple', said), ''::bytea
    from ${rows}`;
  await sql`
    insert into search_words (room, braces, part, meeting_id, audience, lexemes)
    select id || '/transcript', false, 0, id, 't', strip(to_tsvector('simple', said)) from ${rows}`;
}

/** Runs `work` while the index of words, or of words in a row, never answers statements that have the text `within`. */
export async function whileHanging(
  { database: { sql } }: Pick<SharedHouse, 'database'>,
  name: 'meetings_saying' | 'meetings_saying_in_a_row',
  work: () => Promise<void>,
  within = '',
): Promise<void> {
  const [stored] = await sql<{ made: string }[]>`select pg_get_functiondef(${name}::regproc) as made`;
  const made = stored?.made ?? '';
  await sql.unsafe(made.replace(name, `${name}_kept`));
  await sql.unsafe(`
    create or replace function ${name}(asked tsquery, audiences text[])
    returns table (meeting_id text, braces boolean, audience text) language plpgsql stable as $$ begin
      if strpos(current_query(), '${within}') > 0 then perform pg_sleep(60); end if;
      return query select * from ${name}_kept(asked, audiences);
    end $$`);
  try {
    await work();
  } finally {
    await sql.unsafe(`${made}; drop function ${name}_kept`);
  }
}
