import { createHash } from 'node:crypto';
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { liveRecordings, takePieces, takes } from '#db/schema/recorder.ts';
import { meetings } from '#db/schema/meetings.ts';
import { recorderLimits } from '#shared/recorder.ts';
import { transaction, type House } from '../context.ts';
import { assembleSoon } from './assemble-soon.ts';

interface Piece {
  n: number;
  bytes: Uint8Array;
}

/**
 * Result for pieces. `kept`: they are stored, and all up to this one without a hole. `ended`: the recording takes no
 * more. `differs`: another piece is stored under that number. `full`: the take is as large as it may be. `gone`: the
 * take, or its meeting, no longer exists.
 */
export type Outcome = { kept: number } | { refused: 'ended' | 'differs' | 'full' | 'gone' };

interface Waiting {
  pieces: Piece[];
  /** The number of pieces, if the take has ended. */
  total: number | null;
  answers: ((outcome: Outcome | Error) => void)[];
}

/** Milliseconds of pieces that become one row. */
const rowMs = 1000;
const digestBytes = 32;

/**
 * Stores pieces of all takes that are recorded through this process, in one transaction a second. Nothing is answered
 * before its commit.
 */
export class PieceLog {
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | null = null;
  private storing: Promise<void> = Promise.resolve();
  private readonly house: Pick<House, 'db' | 'clock'>;

  constructor(house: Pick<House, 'db' | 'clock'>) {
    this.house = house;
  }

  /** Queues pieces; `now` does not wait for others. */
  add(takeId: string, pieces: readonly Piece[], { now = false, total = null as number | null } = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const queued = this.waiting.get(takeId) ?? { pieces: [], total: null, answers: [] };
      queued.pieces.push(...pieces);
      queued.total = total ?? queued.total;
      queued.answers.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      this.waiting.set(takeId, queued);
      if (now) this.flush();
      else this.timer ??= setTimeout(() => this.flush(), rowMs);
    });
  }

  /** Stores what has arrived. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.storing = this.storing.then(() => this.storeAll());
  }

  async stop(): Promise<void> {
    this.flush();
    await this.storing;
  }

  private async storeAll(): Promise<void> {
    const batch = this.waiting;
    this.waiting = new Map();
    if (batch.size > 0) await this.storeTogether(batch);
  }

  private async storeEach(batch: ReadonlyMap<string, Waiting>): Promise<void> {
    for (const one of batch) await this.storeTogether(new Map([one]));
  }

  private async storeTogether(batch: ReadonlyMap<string, Waiting>): Promise<void> {
    try {
      const outcomes = await storePieces(this.house, batch);
      for (const [takeId, { answers }] of batch)
        for (const answer of answers) answer(outcomes.get(takeId) ?? { refused: 'gone' });
    } catch (error) {
      // One take must not hold up the others.
      if (batch.size > 1) return this.storeEach(batch);
      for (const { answers } of batch.values())
        for (const answer of answers) answer(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

interface Take {
  id: string;
  meetingId: string;
  kept: number;
  highest: number;
  bytes: number;
  pieces: number | null;
  state: string;
  deletedAt: Date | null;
}

type Batch = ReadonlyMap<string, Pick<Waiting, 'pieces' | 'total'>>;

function storePieces(house: Pick<House, 'db' | 'clock'>, batch: Batch): Promise<Map<string, Outcome>> {
  return transaction(house, async (tx) => {
    const found = await lockTakes(tx, [...batch.keys()]);
    const stored = await storedDigests(tx, batch);
    const outcomes = new Map<string, Outcome>();
    const rows: (typeof takePieces.$inferInsert)[] = [];
    const now = house.clock.now();
    for (const take of found) {
      const { pieces, total } = batch.get(take.id) ?? { pieces: [], total: null };
      const judged = judge(take, pieces, stored.get(take.id) ?? new Map());
      if ('refused' in judged) {
        outcomes.set(take.id, judged);
        continue;
      }
      const made = rowsOf(take.id, judged.fresh);
      rows.push(...made);
      if (made.length > 0) await tx.insert(takePieces).values(made);
      const kept = await keptAfter(tx, take, made);
      const pieceCount = take.pieces ?? total;
      await tx
        .update(takes)
        .set({
          kept,
          highest: Math.max(take.highest, ...made.map(({ lastN }) => lastN)),
          bytes: take.bytes + made.reduce((sum, { bytes }) => sum + bytes.length, 0),
          pieces: pieceCount,
          ...(made.length > 0 && { lastPieceAt: now }),
          ...(total !== null && { endedAt: sql`coalesce(${takes.endedAt}, ${now.toISOString()}::timestamptz)` }),
        })
        .where(eq(takes.id, take.id));
      outcomes.set(take.id, { kept });
      if (take.state === 'ended' && pieceCount !== null && kept >= pieceCount)
        await assembleSoon(tx, take.meetingId, now);
    }
    return outcomes;
  });
}

/** The takes, in one order for all processes, so that none waits for another in a circle. */
async function lockTakes(tx: Orm, ids: string[]): Promise<Take[]> {
  const rows = await tx
    .select({
      id: takes.id,
      meetingId: takes.meetingId,
      kept: takes.kept,
      highest: takes.highest,
      bytes: takes.bytes,
      pieces: takes.pieces,
    })
    .from(takes)
    .where(inArray(takes.id, ids))
    .orderBy(asc(takes.id))
    .for('update');
  if (rows.length === 0) return [];
  // The end of a recording waits for pieces that are being stored, and pieces that come later see it.
  const states = await tx
    .select({ id: liveRecordings.meetingId, state: liveRecordings.state, deletedAt: meetings.deletedAt })
    .from(liveRecordings)
    .innerJoin(meetings, eq(meetings.id, liveRecordings.meetingId))
    .where(
      inArray(
        liveRecordings.meetingId,
        rows.map(({ meetingId }) => meetingId),
      ),
    )
    .orderBy(asc(liveRecordings.meetingId))
    .for('share', { of: liveRecordings });
  const byMeeting = new Map(states.map((one) => [one.id, one]));
  return rows.flatMap((row) => {
    const { state, deletedAt } = byMeeting.get(row.meetingId) ?? {};
    return state === undefined ? [] : [{ ...row, state, deletedAt: deletedAt ?? null }];
  });
}

/** Digests of stored pieces with the numbers of those that came. */
async function storedDigests(tx: Orm, batch: Batch): Promise<Map<string, Map<number, Buffer>>> {
  const found = new Map<string, Map<number, Buffer>>();
  const spans = [...batch].flatMap(([id, { pieces }]) => {
    const numbers = pieces.map(({ n }) => n);
    return numbers.length > 0 ? [{ id, from: Math.min(...numbers), to: Math.max(...numbers) }] : [];
  });
  if (spans.length === 0) return found;
  const rows = await tx
    .select({ takeId: takePieces.takeId, firstN: takePieces.firstN, digests: takePieces.digests })
    .from(takePieces)
    .where(
      sql.join(
        spans.map(
          ({ id, from, to }) =>
            sql`(${takePieces.takeId} = ${id} and ${takePieces.firstN} <= ${to} and ${takePieces.lastN} >= ${from})`,
        ),
        sql` or `,
      ),
    );
  for (const { takeId, firstN, digests } of rows) {
    const ofTake = found.get(takeId) ?? new Map<number, Buffer>();
    for (let at = 0; at < digests.length; at += digestBytes)
      ofTake.set(firstN + at / digestBytes, digests.subarray(at, at + digestBytes));
    found.set(takeId, ofTake);
  }
  return found;
}

type Fresh = Piece & { digest: Buffer };

/** The pieces that are not stored yet, in order; or why none of them is taken. */
function judge(
  take: Take,
  pieces: readonly Piece[],
  stored: ReadonlyMap<number, Buffer>,
): { fresh: Fresh[] } | Extract<Outcome, { refused: string }> {
  if (take.deletedAt) return { refused: 'gone' };
  const fresh = new Map<number, Fresh>();
  for (const piece of pieces) {
    const digest = createHash('sha256').update(piece.bytes).digest();
    const before = stored.get(piece.n) ?? fresh.get(piece.n)?.digest;
    if (before && !before.equals(digest)) return { refused: 'differs' };
    if (!before) fresh.set(piece.n, { ...piece, digest });
  }
  // Stored pieces are confirmed even after the end.
  if (fresh.size > 0 && take.state !== 'recording' && take.state !== 'paused' && take.state !== 'ended')
    return { refused: 'ended' };
  const added = [...fresh.values()].reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (take.bytes + added > recorderLimits.takeBytes) return { refused: 'full' };
  return { fresh: [...fresh.values()].toSorted((one, other) => one.n - other.n) };
}

/** Rows for runs of pieces whose numbers follow each other. */
function rowsOf(takeId: string, fresh: readonly Fresh[]) {
  const runs: Fresh[][] = [];
  for (const piece of fresh) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && last.n + 1 === piece.n && run.length < mostInRow) run.push(piece);
    else runs.push([piece]);
  }
  return runs.map((run) => {
    const firstN = run[0]?.n ?? 0;
    return {
      takeId,
      firstN,
      lastN: firstN + run.length - 1,
      bytes: Buffer.concat(run.map(({ bytes }) => bytes)),
      lengths: run.map(({ bytes }) => bytes.byteLength),
      digests: Buffer.concat(run.map(({ digest }) => digest)),
    };
  });
}

const mostInRow = 64;

/** The number of the last piece before the first hole. */
async function keptAfter(
  tx: Orm,
  { id, kept, highest }: Take,
  made: readonly { firstN: number; lastN: number }[],
): Promise<number> {
  let next = kept;
  for (const { firstN, lastN } of made) if (firstN <= next + 1) next = Math.max(next, lastN);
  if (highest <= next || next === kept) return next;
  // A hole was closed: rows behind it were stored before.
  const behind = await tx
    .select({ firstN: takePieces.firstN, lastN: takePieces.lastN })
    .from(takePieces)
    .where(and(eq(takePieces.takeId, id), gt(takePieces.lastN, next)))
    .orderBy(asc(takePieces.firstN));
  for (const { firstN, lastN } of behind) {
    if (firstN > next + 1) break;
    next = Math.max(next, lastN);
  }
  return next;
}
