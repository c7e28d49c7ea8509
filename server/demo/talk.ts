import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as Y from 'yjs';
import { z } from 'zod';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { seedState, type Seed } from '#shared/meetings/seed.ts';
import { roles, type Permission } from '#shared/roles.ts';
import type { House } from '../context.ts';
import { addMedium, addMediumFile } from '../media/media.ts';
import { updateProjection } from '../rooms/projection.ts';

/** Output of scripts/talk/make.mjs: times in milliseconds, and the recognizer's confidence for each word. */
const talkShape = z.object({
  segments: z.array(
    z.object({
      speaker: z.string(),
      words: z.array(z.object({ w: z.string(), f: z.number(), t: z.number(), c: z.number() })),
    }),
  ),
});

const title = 'Practice session: asking for a decision';
const names: Record<string, string> = { moderator: 'Moderator', coach: 'Coach', client: 'Client' };
const durationMs = 175_608;

/** A transcript of three minutes with some misheard words. */
async function readTalk(root: string): Promise<Seed> {
  const { segments } = talkShape.parse(JSON.parse(await readFile(join(root, 'server/demo/talk.json'), 'utf8')));
  const speakers = Object.keys(names).map((id, i) => ({ id, name: names[id] ?? '', color: i, sortId: i }));
  return {
    about: { title, lang: 'en-US' },
    tags: ['practice', 'coaching'],
    speakers,
    segments: segments.map(({ speaker, words }) => ({
      id: newId(),
      speaker,
      words: words.map(({ w, f, t, c }) => ({ w, f: f / 1000, t: t / 1000, confidence: c })),
    })),
  };
}

/** Creates a meeting with the demo recording. */
export async function makeTalk(house: House, ownerId: string, guests: readonly string[] = []): Promise<string> {
  const id = newId();
  await house.db.orm.insert(meetings).values({ id, ownerId, createdAt: house.clock.now() });
  const permissions: Permission[] = [...roles.canEdit];
  if (guests.length > 0)
    await house.db.orm.insert(meetingAccess).values(
      guests.map((principalId) => ({
        meetingId: id,
        kind: 'user',
        principalId,
        permissions,
        seenAt: house.clock.now(),
      })),
    );
  await fillTalk(house, id);
  return id;
}

/** Gives a new meeting the demo recording: its sound, its waveform and its transcript. */
export async function fillTalk(house: House, id: string): Promise<void> {
  const { root } = house.config;
  const folder = join(root, 'server/demo');
  const sound = { tag: 'audio', name: 'talk.mp3', type: 'audio/mpeg', durationMs } as const;
  await addMediumFile(house, id, sound, join(folder, 'talk.mp3'));
  const peaks = await readFile(join(folder, 'talk.peaks.json'));
  const waveform = { tag: 'histogram', name: 'talk.peaks.json', type: 'application/json', durationMs } as const;
  await addMedium(house, id, waveform, Readable.from([peaks]));
  const seed = seedState(await readTalk(root));
  // First row of the log, without an author: the transcript before any edit.
  await house.rooms.change(id, 'transcript', { userId: null, origin: 'seed' }, (doc) => Y.applyUpdate(doc, seed));
  await updateProjection(house, id);
}
