import { startEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import { systemClock } from '#server/clock.ts';
import { readConfig } from '#server/config.ts';
import { differenceIn, indexRoom, roomsBehind, type BehindRoom } from '#server/finding/indexing.ts';
import { createLog } from '#server/log.ts';
import { createMetrics } from '#server/metrics.ts';
import { Documents } from '#server/rooms/documents.ts';
import { openRooms } from '#server/rooms/rooms.ts';
import { WholeDocuments } from '#server/rooms/whole-documents.ts';

const [command, id] = process.argv.slice(2);
const config = readConfig(process.env, new URL('..', import.meta.url).pathname);
const say = (line: string) => console.log(line);
if (command !== 'rebuild' && command !== 'check') {
  say('npm run finding -- rebuild [recording] makes the index of words, npm run finding -- check compares it.');
  process.exit(2);
}
const embedded = config.databaseUrl ? null : await startEmbedded({ dataDir: config.dataDir, say });
const db = openDatabase(config.databaseUrl ?? embedded?.url ?? '');
const around = { config, db, clock: systemClock, log: createLog('warn'), metrics: createMetrics() };
const rooms = openRooms(around, () => Promise.resolve());
const wholes = new WholeDocuments();
const house = { db, documents: new Documents(rooms, db.ask, wholes), wholes };
try {
  process.exitCode = command === 'check' ? await check() : await rebuild();
} finally {
  await rooms.drain(0);
  await house.wholes.close();
  await db.close();
  await embedded?.stop();
}

/** Indexes one recording anew; without one, all that are behind, so that a second call continues the first. */
async function rebuild(): Promise<number> {
  if (id !== undefined) await db.sql`update search_rooms set tokens = 0 where meeting_id = ${id}`;
  let indexed = 0;
  for (let after: BehindRoom | null | undefined = null; after !== undefined;) {
    const behind: BehindRoom[] = await roomsBehind(db.sql, null, after);
    for (const room of behind) {
      if (id !== undefined && room.meetingId !== id) continue;
      await indexRoom(house, room);
      indexed += 1;
    }
    after = behind.at(-1);
  }
  say(`${indexed} documents indexed.`);
  return 0;
}

async function check(): Promise<number> {
  const [behind, all] = [
    await roomsBehind(db.sql, null, null),
    await db.sql<BehindRoom[]>`
      select r.name, r.meeting_id as "meetingId", r.part, coalesce(r.owner_id, r.layer_id) as of, '' as "createdAt"
      from search_rooms s join rooms r on r.name = s.room order by r.name`,
  ];
  const late = new Set(behind.map(({ name }) => name));
  let wrong = behind.length;
  if (behind.length > 0) say(`${behind.length === 100 ? '100 or more' : behind.length} documents are not indexed yet.`);
  for (const room of all) {
    const difference = late.has(room.name) ? null : await differenceIn(house, room);
    if (difference === null) continue;
    say(difference);
    wrong += 1;
  }
  say(wrong === 0 ? 'The index is right.' : 'The index differs from the documents.');
  return wrong === 0 ? 0 : 1;
}
