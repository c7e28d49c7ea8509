// The original transcript of a recording whose versions were restored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

test('has the words that were deleted in the version that was restored', async () => {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  const before = (await ann.get(`/api/meetings/${id}/original`)).body;
  const by = { userId: ann.id, origin: 'test' };
  const remove = (at: number, length: number) =>
    house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).delete(at, length));
  await remove(30, 40);
  const version = await house.house.documents.read(id, (_doc, now) => now.version);
  await remove(1, 20);
  const restored = await ann.post(`/api/meetings/${id}/versions/${version}/restore`);
  expect(restored.status, restored.text).toBe(200);
  const after = (await ann.get(`/api/meetings/${id}/original`)).body;
  expect(after.generation).toBe(before.generation + 1);
  expect(after.seeds).toEqual(before.seeds);
});
