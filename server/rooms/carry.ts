import type * as Y from 'yjs';
import { appendNextRow } from '#db/updates.ts';
import {
  annotationKinds,
  moveAnchors,
  readAnnotations,
  rootOf,
  type AnnotationKind,
} from '#shared/meetings/annotations.ts';
import type { Anchor } from '#shared/meetings/anchors.ts';
import { carryAnchors, type Carried, type CarriedFrom } from '#shared/meetings/carry-anchors.ts';
import { moveHighlights, readHighlights } from '#shared/meetings/entries.ts';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { roomName } from '#sync/server/rooms.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import type { RoomOf } from './documents.ts';

type Around = Pick<House, 'clock' | 'db' | 'documents' | 'versions' | 'wholes'>;

/** Milliseconds of work between two turns for others. */
const turnMs = 10;

/** Runs work that yields, with turns for everybody else in between. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (let since = performance.now(); ;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - since < turnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/**
 * Anchors of earlier generations in the current one, by the last state of the generation each was made in. The first
 * state of the current generation is enough: its characters keep their ids from then on.
 */
export async function carriedAnchors(
  { versions, wholes }: Pick<House, 'versions' | 'wholes'>,
  meetingId: string,
  items: readonly CarriedFrom[],
): Promise<{ generation: number; carried: (Carried | null)[] }> {
  const count = await versions.count(meetingId);
  const { generation } = count.now;
  const carried: (Carried | null)[] = items.map(() => null);
  const earlier = new Set(items.map(({ anchor }) => anchor.g).filter((g) => g >= 1 && g < generation));
  if (earlier.size === 0) return { generation, carried };
  const first = { generation, seq: 1 };
  const now = await versions.stored(meetingId, first, count.mends);
  for (const g of [...earlier].toSorted((one, other) => other - one)) {
    const last = { generation: g, seq: count.lastOf(g) };
    const before = await versions.stored(meetingId, last, count.mends);
    const nths = [...items.keys()].filter((i) => items[i]?.anchor.g === g);
    const some = nths.flatMap((i) => items[i] ?? []).map(({ anchor, quote }) => ({ anchor, quote }));
    const found =
      wholes.isLong(before) || wholes.isLong(now)
        ? await wholes.do('carried', before, now, generation, some)
        : await inTurns(
            carryAnchors(
              await versions.docOf(meetingId, last, count.mends),
              await versions.docOf(meetingId, first, count.mends),
              generation,
              some,
            ),
          );
    for (const [n, i] of nths.entries()) carried[i] = found[n] ?? null;
  }
  return { generation, carried };
}

/** Annotation whose words may have to be found again. `counts`: others see it. */
interface Standing extends CarriedFrom {
  id: string;
  kind: AnnotationKind | 'highlight';
  counts: boolean;
}

type Moves = Map<string, { from: Anchor; to: Anchor }>;

/**
 * Carries outcomes, comments and highlights over to the words of a transcript's current generation. Safe to run again, and
 * at several processes: an annotation that somebody moved meanwhile stays where it is.
 */
export async function carryAnnotations(house: Around, meetingId: string): Promise<void> {
  const { db } = house;
  const rooms = await db.ask(
    (sql) => sql<RoomOf[]>`
      select part, coalesce(owner_id, layer_id) as of from rooms
      where meeting_id = ${meetingId} and seq > 0 and part = any(${[...parts]}) order by name`,
  );
  let [kept, lost] = [0, 0];
  let generation = 0;
  const failures: unknown[] = [];
  for (const room of rooms)
    try {
      const one = await carryRoom(house, meetingId, room);
      // Renewed again meanwhile: the rooms before this one were carried to the generation before.
      if (generation !== 0 && one.generation !== generation) return await carryAnnotations(house, meetingId);
      generation = one.generation;
      kept += one.kept;
      lost += one.lost;
    } catch (error) {
      // One damaged or full room must not keep the annotations of the others off their words.
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  await db.ask(
    (sql) => sql`
      update room_renewals set carried_at = ${house.clock.now().toISOString()}::timestamptz, kept = ${kept}, lost = ${lost}
      where room = ${roomName(meetingId, 'transcript', null)} and generation = ${generation} and carried_at is null`,
  );
}

/** Carries the anchors of one room. */
async function carryRoom(
  house: Around,
  meetingId: string,
  place: RoomOf,
): Promise<{ generation: number; kept: number; lost: number }> {
  const standing = await house.documents.inRoom(
    meetingId,
    (room) => room.read((doc) => standingIn(doc, place.part)),
    place,
  );
  const { generation, carried } = await carriedAnchors(house, meetingId, standing);
  let [kept, lost] = [0, 0];
  const moves = new Map<Standing['kind'], Moves>();
  for (const [i, { id, kind, anchor, counts }] of standing.entries()) {
    const one = carried[i];
    if (one?.fate === 'kept') {
      const ofKind = moves.get(kind) ?? new Map();
      moves.set(kind, ofKind.set(id, { from: anchor, to: one.anchor }));
    }
    if (!counts) continue;
    if (one?.fate === 'kept' || anchor.g === generation) kept += 1;
    else if (one?.fate === 'lost' && anchor.g === generation - 1) lost += 1;
  }
  if (moves.size > 0) await move(house, meetingId, place, moves);
  return { generation, kept, lost };
}

function standingIn(doc: Y.Doc, part: Part): Standing[] {
  if (part === 'transcript')
    return readHighlights(doc).flatMap(({ id, anchor, quote }) =>
      anchor ? [{ id, kind: 'highlight' as const, anchor, quote, counts: true }] : [],
    );
  const visibility = part === 'notes' ? 'private' : 'shared';
  return annotationKinds
    .filter((kind) => part === 'notes' || part === 'layer' || part === rootOf[kind])
    .flatMap((kind) =>
      readAnnotations(doc, kind, visibility).flatMap((item) => {
        // Replies stand where their thread does. How many a layer has is told to nobody.
        const counts = part === rootOf[kind] && !('parent' in item && item.parent !== null);
        return item.anchor ? [{ id: item.id, kind, anchor: item.anchor, quote: item.quote, counts }] : [];
      }),
    );
}

async function move(
  { db, documents }: Around,
  meetingId: string,
  place: RoomOf,
  moves: ReadonlyMap<Standing['kind'], Moves>,
): Promise<void> {
  const origin = 'carry';
  const visibility = place.part === 'notes' ? 'private' : 'shared';
  await documents.inRoom(
    meetingId,
    (room) =>
      room.changeNext(
        { userId: null, origin },
        (doc) => {
          for (const [kind, ofKind] of moves)
            if (kind === 'highlight') moveHighlights(doc, ofKind, origin);
            else moveAnchors(doc, kind, ofKind, visibility, origin);
        },
        // Nobody wrote it: without client ids, version history leaves it out.
        (row, last) => appendNextRow(db.sql, { ...row, clientIds: [] }, last),
      ),
    place,
  );
}

/** Seconds that the process which renewed a transcript has to carry its annotations over. */
const patience = 60;
/** Transcripts that one round takes care of. */
const mostForgotten = 200;

/** Carries annotations over where the process that renewed a transcript has ended, or failed in all its tries. */
export async function carryForgotten(house: Around & Pick<House, 'log'>): Promise<void> {
  const before = after(house.clock.now(), -patience).toISOString();
  const rows = await house.db.ask(
    (sql) => sql<{ meeting_id: string }[]>`
      select r.meeting_id from room_renewals n
      join rooms r on r.name = n.room and r.generation = n.generation
      join room_updates u on u.room = n.room and u.generation = n.generation and u.seq = 1
      where n.carried_at is null and u.at < ${before}::timestamptz order by random() limit ${mostForgotten}`,
  );
  for (const { meeting_id: id } of rows)
    await carryAnnotations(house, id).catch((error: unknown) =>
      house.log.warn({ err: error, meeting: id }, 'annotations could not be carried over; tried again later'),
    );
}
