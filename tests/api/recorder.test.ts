// Recording in a browser (live-meeting slice 1): `kept n` is said of stored pieces alone, and what was kept is in the
// file that the meeting gets when the recording ends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { and, eq } from 'drizzle-orm';
import { media } from '#db/schema/media.ts';
import { liveRecordings, takePieces, takes } from '#db/schema/recorder.ts';
import { endForgotten, sweepPieces } from '#server/recorder/recordings.ts';
import { recorderLimits, type LiveView } from '#shared/recorder.ts';
import type { Progress } from '#shared/intake.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import { processed } from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';
import {
  beginLive,
  beginTake,
  cut,
  endLive,
  endTake,
  putPiece,
  recordTone,
  TakeSocket,
  tonesIn,
} from '#tests/support/recorder.ts';
import { noFfmpeg } from '#tests/support/speech.ts';
import { webm } from '#tests/support/voice.ts';
import { roles } from '#shared/roles.ts';

let house: TestHouse;
let ben: Person;
beforeAll(async () => {
  house = await openHouse({
    env: { PATH: process.env['PATH'] ?? '' },
    jobPace: { poll: 100, beat: 5000, lease: 30, pause: 0 },
  });
  ben = await house.person('Ben');
});
afterAll(() => house.close());

const bytes = (text: string) => Buffer.from(text);
const tones = { a: 440, b: 1000 };

/** A new person who records. */
async function started(more = {}): Promise<{ ann: Person; id: string; take: string }> {
  const ann = await house.person('Ann');
  const id = await beginLive(ann, more);
  return { ann, id, take: await beginTake(ann, id) };
}
const progressOf = async (person: Person, id: string): Promise<Progress> =>
  ((await person.get(`/api/meetings/${id}/about`)).body as { progress: Progress }).progress;
const viewOf = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}/live`)).body as LiveView;
const storedOf = (take: string) =>
  house.database.orm.select().from(takePieces).where(eq(takePieces.takeId, take)).orderBy(takePieces.firstN);

/** The playable sound of a meeting. */
async function soundOf(person: Person, id: string): Promise<{ medium: MediumView; file: Uint8Array }> {
  const { body } = await person.get(`/api/meetings/${id}`);
  const media = (body as { media: MediumView[] }).media;
  const medium = media.find(({ tag }) => tag === 'audio');
  if (!medium) throw new Error(JSON.stringify(media));
  return { medium, file: (await person.get(medium.src)).bytes };
}

async function recordAll(person: Person, take: string, pieces: readonly Buffer[]): Promise<void> {
  const socket = new TakeSocket(person, take);
  await socket.opened();
  for (const [i, piece] of pieces.entries()) socket.send(i + 1, piece);
  socket.finish(pieces.length);
  await socket.untilKept(pieces.length);
  socket.close();
}

test('a recording is in the lists of all who may read it as long as it runs', async () => {
  const { ann, id } = await started();
  await share(house, id, ben, roles.canRead);
  const { hits } = (await ben.get('/api/meetings')).body as { hits: { id: string; progress: Progress }[] };
  expect(hits.find((hit) => hit.id === id)?.progress).toMatchObject({ percentage: 0, recording: true });
  expect(await viewOf(ben, id)).toMatchObject({ state: 'recording', name: 'Ann Test', mine: false, takes: [] });
  expect((await viewOf(ann, id)).takes).toHaveLength(1);
  expect((await ann.post(`/api/meetings/${id}/live/pause`)).status).toBe(204);
  expect((await viewOf(ben, id)).state).toBe('paused');
  expect((await ann.post(`/api/meetings/${id}/live/resume`)).status).toBe(204);
  expect((await viewOf(ben, id)).state).toBe('recording');
});

test('who confirmed which notice, and when, is stored', async () => {
  const { ann, id } = await started();
  const [row] = await house.database.orm.select().from(liveRecordings).where(eq(liveRecordings.meetingId, id));
  expect(row).toMatchObject({ personId: ann.id, consentVersion: 1, consentAt: expect.any(Date) as Date });
});

test('the same request makes one recording, and another under its id none', async () => {
  const { ann } = await started();
  const headers = { 'X-Request-ID': `live-${Date.now()}` };
  const form = { title: 'Twice', tracks: ['mic'], language: 'en-US', model: 'none', consent: 1 };
  const made = await Promise.all([1, 2].map(() => ann.post('/api/meetings/live', form, { headers })));
  expect(made.map(({ status }) => status)).toEqual([200, 200]);
  expect(made[0]?.body).toEqual(made[1]?.body);
  const other = await ann.post('/api/meetings/live', { ...form, title: 'Other' }, { headers });
  expect(other.problem.code).toBe('IDEMP');
});

test('pieces are told to be kept when they are stored, a row of many', async () => {
  const { ann, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  expect(socket.kept).toBe(0);
  for (let n = 1; n <= 8; n += 1) socket.send(n, bytes(`piece ${n}`));
  await socket.untilKept(8);
  const rows = await storedOf(take);
  expect(rows.map(({ firstN, lastN }) => [firstN, lastN])).toEqual([[1, 8]]);
  expect(Buffer.concat(rows.map((row) => row.bytes)).toString()).toBe(
    Array.from({ length: 8 }, (_, i) => `piece ${i + 1}`).join(''),
  );
  socket.close();
});

test('nothing is told to be kept that could not be stored', async () => {
  const { ann, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  const { sql } = house.database;
  await sql.unsafe(`create function test_full() returns trigger language plpgsql as $$
    begin raise exception using errcode = '53100', message = 'no space left'; end $$;
    create trigger test_full before insert on take_pieces for each row execute function test_full();`);
  try {
    socket.send(1, bytes('one'));
    await socket.untilEnded();
    expect([socket.kept, socket.stops, socket.ended]).toEqual([0, ['disk'], 1013]);
    expect(await putPiece(ann, take, 1, bytes('one'))).toMatchObject({ status: 507 });
  } finally {
    await sql.unsafe('drop trigger test_full on take_pieces; drop function test_full();');
  }
  expect((await putPiece(ann, take, 1, bytes('one'))).body).toEqual({ kept: 1 });
});

test('a piece that comes again is confirmed and stored once; another one under its number is refused', async () => {
  const { ann, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  socket.send(1, bytes('one'));
  socket.send(1, bytes('one'));
  await socket.untilKept(1);
  expect((await putPiece(ann, take, 1, bytes('one'))).body).toEqual({ kept: 1 });
  expect(await storedOf(take)).toHaveLength(1);
  const differs = await putPiece(ann, take, 1, bytes('two'));
  expect([differs.status, differs.problem.info['reason']]).toEqual([409, 'PIECE_DIFFERS']);
  socket.send(1, bytes('two'));
  await socket.untilEnded();
  expect(socket.ended).toBe(4400);
});

test('pieces behind a hole are stored, and told to be kept once it is closed', async () => {
  const { ann, take } = await started();
  expect((await putPiece(ann, take, 3, bytes('three'))).body).toEqual({ kept: 0 });
  expect((await putPiece(ann, take, 1, bytes('one'))).body).toEqual({ kept: 1 });
  expect((await putPiece(ann, take, 5, bytes('five'))).body).toEqual({ kept: 1 });
  expect((await putPiece(ann, take, 2, bytes('two'))).body).toEqual({ kept: 3 });
  expect((await putPiece(ann, take, 4, bytes('four'))).body).toEqual({ kept: 5 });
});

test.for([
  ['no piece', (socket: TakeSocket) => socket.ws.send(Buffer.alloc(4)), 4400],
  ['a piece without a number', (socket: TakeSocket) => socket.send(0, bytes('x')), 4400],
  ['a text that is no end', (socket: TakeSocket) => socket.ws.send('{"end":"soon"}'), 4400],
  ['too large a piece', (socket: TakeSocket) => socket.send(1, Buffer.alloc(recorderLimits.pieceBytes)), 1009],
  [
    'more messages than there may be',
    (socket: TakeSocket) => {
      for (let n = 1; n <= 3 * recorderLimits.messageBurst; n += 1) socket.send(n, bytes('x'));
    },
    4429,
  ],
] as const)('a socket is closed for %s', async ([, misbehave, code]) => {
  const { ann, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  misbehave(socket);
  await socket.untilEnded();
  expect(socket.ended).toBe(code);
});

test('a socket is let in for its own person and from our own pages alone', async () => {
  const { ann, take } = await started();
  const refused = [
    new TakeSocket(ben, take),
    new TakeSocket(
      ann,
      take.replace(/./, (letter) => (letter === 'x' ? 'y' : 'x')),
    ),
    new TakeSocket(ann, take, { Origin: 'https://elsewhere.example' }),
    new TakeSocket(house.stranger(), take),
  ];
  await Promise.all(refused.map((socket) => socket.untilEnded()));
  expect(refused.map(({ ended }) => ended)).toEqual([403, 403, 403, 401]);
  expect((await putPiece(ben, take, 1, bytes('x'))).problem.code).toBe('NO_ACCESS');
});

test('the socket ends with the login and with the meeting; its pieces wait for the same person', async () => {
  const { ann, id, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  expect((await ann.delete(`/api/meetings/${id}`)).status).toBe(204);
  await socket.untilEnded();
  expect(socket.ended).toBe(4403);
  expect((await putPiece(ann, take, 1, bytes('one'))).problem.code).toBe('NO_ACCESS');
  expect((await ann.post(`/api/meetings/${id}/restore`)).status).toBe(204);
  const again = new TakeSocket(ann, take);
  await again.opened();
  again.send(1, bytes('one'));
  await again.untilKept(1);
  await house.database.sql`delete from sessions where user_id = ${ann.id}`;
  await again.untilEnded();
  expect(again.ended).toBe(4401);
});

test('another tab has to take over, and the first one hears of it', async () => {
  const { ann, id, take } = await started();
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  const second = { track: 'mic', type: 'audio/webm', offset: 5000 };
  const refused = await ann.post(`/api/meetings/${id}/takes`, second);
  expect([refused.status, refused.problem.info['reason']]).toEqual([409, 'RECORDING_ELSEWHERE']);
  // The other track is recorded beside it.
  await beginTake(ann, id, { track: 'tab' });
  const taken = await ann.post(`/api/meetings/${id}/takes`, { ...second, takeOver: true });
  expect(taken.status).toBe(200);
  await socket.until(() => socket.stops.length > 0);
  expect(socket.stops).toEqual(['elsewhere']);
  // Unsent sound of the first tab still counts.
  socket.send(1, bytes('late'));
  await socket.untilKept(1);
  socket.close();
});

test('a take whose device fell silent is followed by another without a question', async () => {
  const { ann, id, take } = await started();
  house.clock.forward(recorderLimits.aliveSeconds + 1);
  const next = await beginTake(ann, id, { offset: 20_000 });
  expect((await viewOf(ann, id)).takes).toMatchObject([
    { take, ended: true },
    { take: next, ended: false },
  ]);
});

test('only who began it records; who owns it may end it, and who reads it may ask to stop', async () => {
  const { ann, id, take } = await started();
  await share(house, id, ben, roles.canEditShare);
  for (const call of ['takes', 'live/pause', 'live/resume'])
    expect(
      (await ben.post(`/api/meetings/${id}/${call}`, { track: 'mic', type: 'audio/webm', offset: 0 })).problem.code,
    ).toBe('NO_PERM');
  const socket = new TakeSocket(ann, take);
  await socket.opened();
  expect((await ben.post(`/api/meetings/${id}/live/ask-to-stop`)).status).toBe(204);
  await socket.until(() => socket.stops.length > 0);
  expect((await endLive(ben, id)).status).toBe(204);
  await socket.until(() => socket.stops.length > 1);
  expect(socket.stops).toEqual(['asked', 'ended']);
  const again = await endLive(ben, id);
  expect([again.status, again.problem.info['reason']]).toEqual([409, 'RECORDING_ENDED']);
  const late = await ann.post(`/api/meetings/${id}/takes`, { track: 'mic', type: 'audio/webm', offset: 0 });
  expect(late.problem.info['reason']).toBe('RECORDING_ENDED');
  socket.close();
});

test('what was recorded becomes the sound of the meeting, every second of it', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started({ title: 'A <talk> / of "Monday"' });
  await recordAll(ann, take, cut(await recordTone(6, tones.a), 6));
  expect((await endLive(ann, id)).status).toBe(204);
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false, untranscribed: true });
  const { medium, file } = await soundOf(ann, id);
  expect(medium.duration).toBeGreaterThan(5.9);
  expect(medium.duration).toBeLessThan(6.2);
  expect(await tonesIn(file, tones)).toMatch(/^a{59,61}\.?$/);
  expect((await viewOf(ann, id)).state).toBe('assembled');
  expect((await progressOf(ann, id)).recording).toBeUndefined();
  const late = await putPiece(ann, take, 100, bytes('late'));
  expect([late.status, late.problem.info['reason']]).toEqual([409, 'RECORDING_ENDED']);
});

test('a pause becomes a second of silence, and two tracks are mixed and stored apart', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started({ tracks: ['mic', 'tab'] });
  const [a2, b3] = [await recordTone(2, tones.a), await recordTone(3, tones.b)];
  await recordAll(ann, take, cut(a2, 2));
  const second = await beginTake(ann, id, { offset: 182_000 });
  await recordAll(ann, second, cut(a2, 2));
  const tab = await beginTake(ann, id, { track: 'tab', offset: 183_000 });
  await recordAll(ann, tab, cut(b3, 3));
  await endLive(ann, id);
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failure_messages: [] });
  const { file } = await soundOf(ann, id);
  const heard = await tonesIn(file, tones);
  // Two seconds, the pause, one second alone, one of both, two of the tab.
  expect(heard).toMatch(/^a{19,21}[.]{8,11}a{9,11}[+]{9,11}b{19,21}[.]*$/);
  expect(heard.length).toBeGreaterThanOrEqual(69);
  expect((await viewOf(ann, id)).gaps).toEqual([
    { atMs: expect.closeTo(2000, -2) as number, ms: expect.any(Number) as number },
  ]);
  const stored = await house.database.orm
    .select()
    .from(media)
    .where(and(eq(media.meetingId, id), eq(media.tag, 'track')));
  expect(stored.map(({ name }) => name).toSorted()).toEqual(['mic.m4a', 'tab.m4a']);
  const { body } = await ann.get(`/api/meetings/${id}`);
  expect((body as { media: MediumView[] }).media.map(({ tag }) => tag).toSorted()).toEqual(['audio', 'histogram']);
  expect((await ann.get(`/api/meetings/${id}/media/${stored[0]?.id}`)).status).toBe(404);
});

test('a take that was cut within its first piece takes nothing from the others', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started();
  await putPiece(ann, take, 1, Buffer.of(0x1a));
  await endTake(ann, take, 1);
  const second = await beginTake(ann, id, { offset: 1000 });
  await recordAll(ann, second, cut(await recordTone(2, tones.a), 2));
  await endLive(ann, id);
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failure_messages: [] });
  expect(await tonesIn((await soundOf(ann, id)).file, tones)).toMatch(/a{19,21}\.?$/);
});

test('what is behind a hole is not in the file, and what is before it is', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started();
  const pieces = cut(await recordTone(4, tones.a), 4);
  for (const [i, piece] of pieces.entries()) if (i !== 8) await putPiece(ann, take, i + 1, piece);
  await endLive(ann, id);
  // Two minutes are waited for the piece that is missing.
  house.clock.forward(recorderLimits.lateSeconds + 1);
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failure_messages: [] });
  expect(await tonesIn((await soundOf(ann, id)).file, tones)).toMatch(/^a{17,20}\.?$/);
});

test('a piece that is missing at the end is waited for, and the file is made as soon as it is there', async ({
  skip,
}) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started();
  const pieces = cut(await recordTone(4, tones.a), 4);
  const last = pieces.length;
  for (const [i, piece] of pieces.entries()) if (i + 1 < last) await putPiece(ann, take, i + 1, piece);
  await endLive(ann, id);
  expect((await endTake(ann, take, last)).body).toEqual({ kept: last - 1 });
  expect((await viewOf(ann, id)).state).toBe('ended');
  expect((await putPiece(ann, take, last, pieces[last - 1] ?? Buffer.alloc(0))).body).toEqual({ kept: last });
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failure_messages: [] });
  expect(await tonesIn((await soundOf(ann, id)).file, tones)).toMatch(/^a{39,41}\.?$/);
});

test('a recording that nobody ended ends after half an hour without a piece, and one without sound fails', async () => {
  const { ann, id } = await started();
  house.clock.forward(recorderLimits.quietSeconds - 60);
  await endForgotten(house.house);
  expect((await viewOf(ann, id)).state).toBe('recording');
  house.clock.forward(120);
  await endForgotten(house.house);
  expect(await processed(ann, id)).toMatchObject({ failures_present: true, failure: 'no_recording' });
});

test('pieces are deleted a day after their file was made', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const { ann, id, take } = await started();
  await recordAll(ann, take, cut(await recordTone(1, tones.a), 1));
  await endLive(ann, id);
  await processed(ann, id);
  await sweepPieces(house.house);
  expect(await storedOf(take)).not.toEqual([]);
  house.clock.forward(86_400 + 60);
  await sweepPieces(house.house);
  expect(await storedOf(take)).toEqual([]);
});

test('a meeting that is deleted for good takes its sound along', async () => {
  const { id, take } = await started();
  await house.database.sql`delete from meetings where id = ${id}`;
  expect(await house.database.orm.select().from(takes).where(eq(takes.id, take))).toEqual([]);
});

test('without ffmpeg one take becomes the file as it is, with its length', async () => {
  const poor = await openHouse({ env: { PATH: '/nowhere' }, jobPace: { poll: 100, beat: 5000, lease: 30, pause: 0 } });
  try {
    const cara = await poor.person('Cara');
    const id = await beginLive(cara);
    const take = await beginTake(cara, id);
    const sound = webm({ seconds: 3 });
    await recordAll(cara, take, cut(sound, 3));
    await endLive(cara, id);
    expect(await processed(cara, id)).toMatchObject({ percentage: 100, failure_messages: [] });
    const { medium, file } = await soundOf(cara, id);
    expect(medium.duration).toBeCloseTo(3.1, 1);
    // All of its blocks, behind a header that says how long it is.
    const blocks = sound.indexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
    expect(Buffer.from(file).includes(sound.subarray(blocks))).toBe(true);

    const other = await beginLive(cara);
    for (const offset of [0, 10_000]) {
      const part = await beginTake(cara, other, { offset });
      await recordAll(cara, part, cut(sound, 3));
    }
    await endLive(cara, other);
    expect(await processed(cara, other)).toMatchObject({ failures_present: true, failure: 'no_joiner' });
  } finally {
    await poor.close();
  }
});
