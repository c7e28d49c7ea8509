import type { Sql } from 'postgres';
import { standingOf, type Holder, type Standing } from '#db/access.ts';
import { storeAnswer, type Answer, type Asked, type Ended } from '#db/answers.ts';
import { checksum } from '#db/updates.ts';
import { unpackUpdates } from '../protocol.ts';

interface Start {
  room: string;
  userId: string | null;
  clientIds: readonly number[];
  bytes: Buffer;
  /** Client ids of the old document. */
  known: readonly number[];
  /** The earlier state of this room that it restores, if any. */
  origin: Origin | null;
  answered: Answered | null;
  since: Since | null;
  /** The person whose rights it hangs on; null for what the server does by itself. */
  holder: Holder | null;
  at: Date;
}

/** The request and its answer, stored in the same transaction. */
export interface Answered {
  asked: Asked;
  answer(begun: Begun): Answer;
}

/** A generation that has begun. */
export interface Begun {
  generation: number;
  mends: number;
  /** The last row of the generation before. */
  left: number;
  /** Number of rows in all generations before. */
  base: number;
}

/** The same request is being carried out, or was before. */
export class AnsweredBefore extends Error {
  override name = 'AnsweredBefore';
}

/** The rights it was judged by have ended. */
export class RightsEnded extends Error {
  override name = 'RightsEnded';
  readonly standing: Ended;
  constructor(standing: Ended) {
    super(`rights: ${standing}`);
    this.standing = standing;
  }
}

/** The state the new document was made with. `mayGo`: whether later updates may stay with the old one. */
export interface Since extends Origin {
  mayGo(late: readonly Uint8Array[]): boolean;
}

/** Something was stored that the new document should have: it has to be made again. */
export class Overtaken extends Error {
  override name = 'Overtaken';
}

/** A state of a room: a generation with its rows up to `seq`. */
export interface Origin {
  generation: number;
  seq: number;
}

/**
 * Begins a generation in one transaction. Its number rises under the room's row lock, so that any other row is either
 * appended before, in the old generation, or refused. The new log begins with the whole new document.
 */
export async function startGeneration(sql: Sql, start: Start): Promise<Begun> {
  const { room, userId, clientIds, bytes, known, origin, answered, since, holder } = start;
  const at = start.at.toISOString();
  return sql.begin(async (tx) => {
    const [row] = await tx<
      { generation: number; mends: number; base: string; left: string }[]
    >`with before as (select name, seq from rooms where name = ${room} for update)
      update rooms r set generation = r.generation + 1, base = r.base + r.seq, seq = 1 from before where r.name = before.name
      returning r.generation, r.mends, r.base, before.seq as left`;
    if (!row) throw new Error(`there is no room ${room}`);
    const { generation, mends } = row;
    if (holder) {
      const [now] = await tx<{ standing: Standing }[]>`select ${standingOf(tx, holder)} as standing`;
      if (now && now.standing !== 'held') throw new RightsEnded(now.standing);
    }
    const begun = { generation, mends, left: Number(row.left), base: Number(row.base) };
    if (answered && !(await storeAnswer(tx, answered.asked, answered.answer(begun), start.at)))
      throw new AnsweredBefore();
    if (since) {
      if (since.generation !== generation - 1) throw new Overtaken();
      // Nothing can be stored behind these: the room's row is locked.
      const rows = await tx<{ bytes: Buffer }[]>`
        select bytes from room_updates
        where room = ${room} and generation = ${since.generation} and seq > ${since.seq} and seq <= ${begun.left} order by seq`;
      if (rows.length > 0 && !since.mayGo(rows.flatMap((one) => unpackUpdates(one.bytes)))) throw new Overtaken();
    }
    await tx`
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      values (${room}, ${generation}, 1, ${userId}, string_to_array(nullif(${clientIds.join(',')}, ''), ',')::bigint[], ${bytes},
        ${checksum(room, generation, 1, bytes)}, ${at}::timestamptz)`;
    // The rows of the origin tell who wrote its characters.
    if (origin)
      await tx`
        insert into room_origins (room, generation, from_generation, from_seq)
        values (${room}, ${generation}, ${origin.generation}, ${origin.seq})`;
    // Annotations on words of the old text have to be carried over.
    await tx`
      insert into room_renewals (room, generation)
      select name, generation from rooms where name = ${room} and part = 'transcript'`;
    // Ids the server wrote under never get an owner: nobody can write under them in the new document either.
    await tx`
      insert into room_clients (room, generation, client_id, user_id, at)
      select ${room}, ${generation - 1}, k.id, '', ${at}::timestamptz
      from unnest(string_to_array(nullif(${[...new Set([...known, ...clientIds])].join(',')}, ''), ',')::bigint[]) as k(id)
      where not exists (select 1 from room_clients c where c.room = ${room} and c.client_id = k.id)
      on conflict do nothing`;
    return begun;
  });
}
