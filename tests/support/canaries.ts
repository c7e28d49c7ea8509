import { textOf } from '#shared/meetings/transcript.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';
import { makeRecording } from './recording.ts';
import { askFor } from './reviews.ts';

/** A word of the transcript that a model gets. */
export const openCanary = 'canary-open';

/**
 * Words where a model that reads a recording has nothing to look for: other recordings, titles, annotations for everyone, for
 * one person and of an assessment, deleted words, words in braces, ids and addresses.
 */
export async function plantCanaries(
  house: SharedHouse,
  { id, owner, other }: { id: string; owner: Person; other: Person },
): Promise<string[]> {
  const by = { userId: owner.id, origin: 'test' };
  const { rooms } = house.house;
  const append = (meeting: string, words: string) =>
    rooms.change(meeting, 'transcript', by, (doc) => textOf(doc).insert(textOf(doc).length, words));
  const good = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
  };
  const another = await makeRecording(house, owner);
  await append(another, ' canary-other');
  await good(owner.post(`/api/meetings/${another}/rename`, { title: 'canary-titled' }));
  await good(owner.post(`/api/meetings/${id}/rename`, { title: 'canary-title' }));
  await good(owner.post(`/api/meetings/${id}/comments`, { start: 1, end: 2, text: 'canary-comment' }));
  const outcome = { type: 'decisions', start: 1, end: 2, text: 'canary-private', private: true };
  await good(owner.post(`/api/meetings/${id}/outcomes`, { outcome }));
  await good(owner.put(`/api/meetings/${id}/summary/own`, { summary: [{ text: 'canary-own' }] }));
  const { cloneId } = await askFor(owner, id, {
    policy: 'relaxed',
    roles: [
      [owner, 'required'],
      [other, 'required'],
    ],
  });
  await good(owner.post(`/api/meetings/${cloneId}/comments`, { start: 1, end: 2, text: 'canary-layer' }));
  const deleted = ' canary-deleted';
  await append(id, deleted);
  await rooms.change(id, 'transcript', by, (doc) =>
    textOf(doc).delete(textOf(doc).length - deleted.length, deleted.length),
  );
  await append(id, ` {canary-brace} ${openCanary}`);
  const words = ['other', 'titled', 'title', 'comment', 'private', 'own', 'layer', 'deleted', 'brace'];
  return [...words.map((word) => `canary-${word}`), owner.id, owner.email, other.id, other.email, id, another];
}
