// The longest recording of a team where its length is known only when it is there (server/intake/longest.ts): what was
// recorded in a browser, and a file whose header is wrong. The recording is kept; its transcript is refused.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDesk } from '#server/billing/desk.ts';
import { systemClock } from '#server/clock.ts';
import { externalModel } from '#shared/intake.ts';
import { creditsLeft, giveCredits, setFreeMinutes } from '#tests/support/billing.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, multipart, processed } from '#tests/support/intake.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { beginLive, beginTake, cut, endLive, TakeSocket } from '#tests/support/recorder.ts';
import { openRecogniser, type Recogniser } from '#tests/support/speech.ts';
import { webm } from '#tests/support/voice.ts';

/** Micro-dollars a minute; the transcript that a person adds costs as much as one of the engine. */
let price = 0;
const desk = createDesk({ clock: systemClock }, () => ({ speech: price, [externalModel]: price }));

let house: TestHouse;
let server: Recogniser;
let [ann, ben]: Person[] = [];
let team: string;
beforeAll(async () => {
  server = await openRecogniser(() => ({ body: { segments: [{ start: 1, end: 3, text: 'Hello' }] } }));
  house = await openHouse({
    env: { PATH: '/nowhere', TRANSCRIBE_URL: server.url, TRANSCRIBE_KEY: 'the-key' },
    house: { costs: desk },
    jobPace: { poll: 100, beat: 5000, lease: 30, pause: 0 },
  });
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

/** Ann pays for a team that permits a minute; Ben is in its scope, and has nothing of his own. */
beforeEach(async () => {
  server.asked.length = 0;
  price = 0;
  [ann, ben] = await house.people(2);
  team = await makeTeam(payer(), [member()], { name: 'Interviews', maxDurationMins: 1 });
  await giveCredits(house, payer(), '10');
  for (const one of [payer(), member()]) await setFreeMinutes(house, one, 0);
  await member().post('/api/principals/change', { scope: { scope_id: team, role_id: 'member' } });
});
const payer = () => ann as Person;
const member = () => ben as Person;

const permit = (mins: number) => payer().put(`/api/groups/${team}`, { maxDurationMins: mins });
const spent = async (): Promise<number> => 10 - (await creditsLeft(house, payer()));
/** Three minutes of speech; its header says how many frames it has. */
async function talk(claimedSeconds: number) {
  const content = await readFile(new URL('../../server/demo/talk.mp3', import.meta.url));
  content.writeUInt32BE(Math.round((claimedSeconds * 16_000) / 576), content.indexOf('Info') + 8);
  return { fileName: 'talk.mp3', content };
}
const mediaOf = async (id: string) =>
  ((await member().get(`/api/meetings/${id}`)).body as { media: { tag: string }[] }).media.map(({ tag }) => tag);
function isRefused({ status, problem }: Answer): void {
  expect([status, problem]).toMatchObject([
    422,
    {
      message: 'The team Interviews permits recordings of up to 1 minutes',
      info: {
        errors: [{ field: 'file', code: 'too_long' }],
        ...{ maxDurationMins: 1, team: { id: team, name: 'Interviews' } },
      },
    },
  ]);
}

/** A third as many blocks, each with a time three times as late: times of one cluster have no more than 32 seconds. */
function slowly(seconds: number): Buffer {
  const sound = webm({ seconds: Math.ceil(seconds / 3) });
  sound.writeUIntBE(3_000_000, sound.indexOf(Buffer.from([0x2a, 0xd7, 0xb1])) + 5, 3);
  return sound;
}

async function recordLive(seconds: number): Promise<string> {
  const id = await beginLive(member(), { model: 'speech' });
  const take = await beginTake(member(), id);
  const socket = new TakeSocket(member(), take);
  await socket.opened();
  const pieces = cut(slowly(seconds), 3);
  for (const [i, piece] of pieces.entries()) socket.send(i + 1, piece);
  socket.finish(pieces.length);
  await socket.untilKept(pieces.length);
  socket.close();
  await endLive(member(), id);
  return id;
}

test('a recording from a browser that is too long is kept, and the team pays for no transcript of it', async () => {
  price = 600_000;
  const payersOf = async (id: string) =>
    (await house.database.sql`select group_id from holds where meeting_id = ${id}`).map((row) => row['group_id']);
  const short = await recordLive(30);
  await processed(member(), short);
  expect(await payersOf(short)).toEqual([team]);

  const id = await recordLive(62);
  expect(await processed(member(), id)).toMatchObject({ percentage: 100, untranscribed: true });
  expect(await mediaOf(id)).toContain('audio');
  const { body: costs } = await member().get(`/api/meetings/${id}/costs?model=speech`);
  isRefused(await beginProcessing(member(), id, { model: 'speech', cost: costs[0] }));
  expect(await payersOf(id)).toEqual([]);
  // With a longer limit it is paid for.
  await permit(2);
  expect((await beginProcessing(member(), id, { model: 'speech', cost: costs[0] })).status).toBe(200);
  expect(await payersOf(id)).toEqual([team]);
  await processed(member(), id);
});

test('a free transcript of a file that is longer than its header says is refused, and the file is kept', async () => {
  const form = multipart({ title: 'Talk', model: 'speech', lang: 'en-US', file: await talk(30) });
  const { id } = await createMeeting(member(), form);
  await beginProcessing(member(), id);
  expect(await processed(member(), id)).toMatchObject({ percentage: 100, untranscribed: true });
  expect(await mediaOf(id)).toContain('audio');
  expect(server.asked).toEqual([]);
  isRefused(await beginProcessing(member(), id, { model: 'speech' }));
  await permit(3);
  expect((await beginProcessing(member(), id, { model: 'speech' })).status).toBe(200);
  expect(await processed(member(), id)).toMatchObject({ percentage: 100, failures_present: false });
  expect(server.asked).toHaveLength(1);
});

test('a file whose measured length is to be paid is refused at that length, and can be kept without a transcript', async () => {
  price = 600_000;
  const { id, costs } = await createMeeting(member(), external({ file: await talk(30) }));
  await beginProcessing(member(), id, { cost: costs[0] });
  expect(await processed(member(), id)).toMatchObject({ failure: 'longer' });
  expect(await spent()).toBe(0);
  const anew = (await member().get(`/api/meetings/${id}`)).body.costs;
  isRefused(await beginProcessing(member(), id, { cost: anew[0] }));
  expect((await beginProcessing(member(), id, { model: 'none' })).status).toBe(200);
  expect(await processed(member(), id)).toMatchObject({ percentage: 100, untranscribed: true });
  expect(await mediaOf(id)).toContain('audio');
  expect(await spent()).toBe(0);
});
