// npm run bench -- history [rows]: time to list, read, compare and restore versions of a 3-hour transcript (30,000
// words) that three people have edited, with 50,000 stored changes by default; and for how long each call blocks the
// process.
import * as Y from 'yjs';
import { appendRows, type PendingRow } from '#db/updates.ts';
import { restoredAnswer } from '#shared/meetings/history.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { packUpdates } from '#sync/protocol.ts';
import setup from '#tests/support/cluster.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';

const count = Number(process.argv[2] ?? 50_000);
const [segments, wordsEach] = [1500, 20];
/** People sometimes reload the page, which gives them another client id. */
const visit = 2500;

const talk = seedState({
  about: { title: 'Three hours' },
  speakers: [{ id: 'one', name: 'One', color: 0, sortId: 0 }],
  segments: Array.from({ length: segments }, (_, s) => ({
    id: `s${s}`,
    speaker: 'one',
    words: Array.from({ length: wordsEach }, (_unused, w) => {
      const from = s * 7 + w * 0.3;
      return { w: `word${(s * wordsEach + w) % 977}`, f: from, t: from + 0.25, confidence: 0.9 };
    }),
  })),
});

/** Three people who insert and delete letters at one place for a while, then at another. */
function work(room: string, people: readonly Person[]): PendingRow[] {
  let state = 7;
  const pick = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const doc = new Y.Doc();
  Y.applyUpdate(doc, talk);
  const text = textOf(doc);
  const ids = new Map<string, number>();
  const carets = people.map(() => 1);
  let at = Date.now() - count * 400;
  return Array.from({ length: count }, (_, i): PendingRow => {
    const who = pick(people.length);
    const key = `${who} ${Math.floor(i / visit)}`;
    if (!ids.has(key)) ids.set(key, 1 + pick(2 ** 31));
    doc.clientID = ids.get(key) ?? 0;
    const updates: Uint8Array[] = [];
    const take = (update: Uint8Array) => updates.push(update);
    doc.on('update', take);
    if (pick(40) === 0) carets[who] = 1 + pick(text.length - 20);
    const caret = carets[who] ?? 1;
    if (pick(3) === 0) text.delete(caret, 1 + pick(3));
    else {
      text.insert(caret, 'abcdefgh '[pick(9)] ?? 'a');
      carets[who] = caret + 1;
    }
    doc.off('update', take);
    at += pick(800);
    const { id: userId = null } = people[who] ?? {};
    return { room, generation: 1, userId, clientIds: [doc.clientID], bytes: packUpdates(updates), at: new Date(at) };
  });
}

/** Duration of a call, and its longest block of the process. */
async function timed(what: string, call: () => Promise<Answer>): Promise<Answer> {
  let longest = 0;
  let last = performance.now();
  const beat = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  const begun = performance.now();
  const answer = await call();
  const took = performance.now() - begun;
  clearInterval(beat);
  if (answer.status !== 200) throw new Error(`${what}: ${answer.text}`);
  const kilobytes = Math.round(answer.text.length / 1024);
  console.log(`${what}: ${took.toFixed(0)} ms, held up for ${longest.toFixed(0)} ms at most, ${kilobytes} KB`);
  return answer;
}

async function measure(house: TestHouse): Promise<void> {
  const people = await house.people(3);
  const [ann] = people;
  if (!ann) throw new Error('nobody there');
  const id = await makeMeeting(house, ann);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'seed' }, (doc) => Y.applyUpdate(doc, talk));
  const rows = work(`${id}/transcript`, people);
  for (let i = 0; i < rows.length; i += 1000) await appendRows(house.database.sql, rows.slice(i, i + 1000));
  const [newest, middle] = [count + 1, Math.floor(count / 2)];
  const get = (what: string, path: string) => timed(what, () => ann.get(`/api/meetings/${id}/versions${path}`));
  await get('the list, by moments', '');
  await get('the list, by steps', '?by=step');
  await get('a version from the middle, as JSON', `/${middle}`);
  await get('the newest, as JSON', `/${newest}`);
  await get('who wrote each word', `/${newest}/changes`);
  await get('what the last 1,000 changes did', `/${newest}/changes?since=${newest - 1000}`);
  await get('what all changes did', `/${newest}/changes?since=1`);
  const brought = await timed('a version from the middle brought back', () =>
    ann.post(`/api/meetings/${id}/versions/${middle - 1}/restore`),
  );
  const { version, kept } = restoredAnswer.parse(brought.body);
  await get('the list after that', '');
  await get('what bringing it back did', `/${version}/changes?since=${kept}`);
}

const stop = await setup();
const house = await openHouse();
try {
  await measure(house);
} finally {
  await house.close();
  await stop();
}
