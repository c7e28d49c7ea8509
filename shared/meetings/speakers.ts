import * as Y from 'yjs';
import { speakerColors } from './palette.ts';
import { readSegments, segmentsOf } from './transcript.ts';

export interface Speaker {
  id: string;
  name: string;
  /** Index in the palette. */
  color: number;
  sortId: number;
}

export const longestName = 100;

/** Refusal: the speaker has segments, does not exist, or would have no name. */
type SpeakerRefusal = 'active' | 'unknown' | 'nameless';

// Each speaker is a map of its own, so that name and colour can be changed at the same time.
export const speakersOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('speakers');
const nameOf = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, longestName);

/** Field of a speaker; other programs may have written a plain value instead of a map. */
const fieldOf = (value: unknown, key: string): unknown => {
  if (value instanceof Y.Map) return (value as Y.Map<unknown>).get(key);
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
};

function speakerFrom(id: string, value: unknown): Speaker {
  const whole = (field: unknown) => (Number.isSafeInteger(field) ? Math.max(0, Number(field)) : 0);
  const name = fieldOf(value, 'name');
  return {
    id,
    name: typeof name === 'string' ? name : '',
    color: whole(fieldOf(value, 'color')) % speakerColors,
    sortId: whole(fieldOf(value, 'sortId')),
  };
}

/** Speakers in display order. */
export function readSpeakers(doc: Y.Doc): Speaker[] {
  return [...speakersOf(doc)]
    .map(([id, value]) => speakerFrom(id, value))
    .sort((a, b) => a.sortId - b.sortId || (a.id < b.id ? -1 : 1));
}

function put(doc: Y.Doc, { id, name, color, sortId }: Speaker): void {
  speakersOf(doc).set(id, new Y.Map<unknown>(Object.entries({ name: nameOf(name), color, sortId })));
}

/** Writes new speakers: those of a seed, or of a document without any. */
export function writeSpeakers(doc: Y.Doc, speakers: readonly Speaker[], origin: unknown): void {
  doc.transact(() => {
    for (const speaker of speakers) put(doc, speaker);
  }, origin);
}

/** Adds a speaker after the others, in the least used colour. */
export function addSpeaker(doc: Y.Doc, id: string, name: string, origin: unknown): SpeakerRefusal | null {
  if (nameOf(name) === '') return 'nameless';
  const existing = readSpeakers(doc);
  const color = leastUsedColor(existing);
  doc.transact(
    () => put(doc, { id, name, color, sortId: Math.max(0, ...existing.map((one) => one.sortId)) + 1 }),
    origin,
  );
  return null;
}

export function renameSpeaker(doc: Y.Doc, id: string, name: string, origin: unknown): SpeakerRefusal | null {
  return nameOf(name) === '' ? 'nameless' : change(doc, id, 'name', nameOf(name), origin);
}

export function recolorSpeaker(doc: Y.Doc, id: string, color: number, origin: unknown): SpeakerRefusal | null {
  return change(doc, id, 'color', color, origin);
}

/** Moves a speaker one place up (-1) or down (1) in the list; at its end nothing changes. */
export function moveSpeaker(doc: Y.Doc, id: string, by: -1 | 1, origin: unknown): SpeakerRefusal | null {
  const list = readSpeakers(doc);
  const at = list.findIndex((one) => one.id === id);
  const [one, other] = [list[at], list[at + by]];
  if (!one) return 'unknown';
  if (!other) return null;
  list[at] = other;
  list[at + by] = one;
  // Swaps two numbers where they differ, so that concurrent moves of others stay; else numbers them all.
  const distinct = new Set(list.map(({ sortId }) => sortId)).size === list.length;
  doc.transact(() => {
    if (distinct) {
      change(doc, one.id, 'sortId', other.sortId, origin);
      change(doc, other.id, 'sortId', one.sortId, origin);
    } else for (const [index, { id: each }] of list.entries()) change(doc, each, 'sortId', index + 1, origin);
  }, origin);
  return null;
}

function change(doc: Y.Doc, id: string, key: string, value: string | number, origin: unknown): SpeakerRefusal | null {
  const known = speakersOf(doc).get(id);
  if (known === undefined) return 'unknown';
  if (fieldOf(known, key) === value) return null;
  doc.transact(() => {
    if (known instanceof Y.Map) known.set(key, value);
    else put(doc, { ...speakerFrom(id, known), [key]: value });
  }, origin);
  return null;
}

/** Number of segments of each speaker. */
export function activeSpeakers(doc: Y.Doc): Map<string, number> {
  const active = new Map<string, number>();
  for (const { speaker } of readSegments(doc)) active.set(speaker, (active.get(speaker) ?? 0) + 1);
  return active;
}

export function removeSpeaker(doc: Y.Doc, id: string, origin: unknown): SpeakerRefusal | null {
  if (!speakersOf(doc).has(id)) return 'unknown';
  if (activeSpeakers(doc).has(id)) return 'active';
  doc.transact(() => speakersOf(doc).delete(id), origin);
  return null;
}

/**
 * Sets the speakers; unchanged fields are not touched. Returns the ids of missing speakers that stay because they have
 * segments.
 */
export function replaceSpeakers(doc: Y.Doc, wanted: readonly Speaker[], origin: unknown): string[] {
  const remaining = new Set(speakersOf(doc).keys());
  const active = activeSpeakers(doc);
  const staying: string[] = [];
  doc.transact(() => {
    for (const speaker of wanted) {
      const { id, name, color, sortId } = speaker;
      if (remaining.delete(id)) {
        for (const [key, value] of Object.entries({ name: nameOf(name), color, sortId }))
          change(doc, id, key, value, origin);
      } else put(doc, speaker);
    }
    for (const id of remaining) {
      if (active.has(id)) staying.push(id);
      else speakersOf(doc).delete(id);
    }
  }, origin);
  return staying;
}

/** Colour with the fewest speakers. */
export function leastUsedColor(speakers: readonly Pick<Speaker, 'color'>[]): number {
  const uses = Array.from(
    { length: speakerColors },
    (_, color) => speakers.filter((one) => one.color === color).length,
  );
  return uses.indexOf(Math.min(...uses));
}

/** Gives all segments of one speaker to another and removes the first; for a person the recogniser took for two. */
export function mergeSpeakers(doc: Y.Doc, id: string, into: string, origin: unknown): SpeakerRefusal | null {
  if (id === into || !speakersOf(doc).has(id) || !speakersOf(doc).has(into)) return 'unknown';
  const theirs = readSegments(doc).filter(({ speaker }) => speaker === id);
  doc.transact(() => {
    for (const segment of theirs) if (segment.id !== null) segmentsOf(doc).set(segment.id, { p: into });
    speakersOf(doc).delete(id);
  }, origin);
  return null;
}

/** A merge of two speakers, with what takes it back. */
export interface SpeakerMerge {
  /** The speaker who is removed. */
  speaker: Speaker;
  /** Id of the one who stays. */
  into: string;
  /** Ids of the segments that change hands. */
  segments: string[];
}

/** The merge that `mergeSpeakers` would make now; null where it would refuse. */
export function mergeOf(doc: Y.Doc, id: string, into: string): SpeakerMerge | null {
  const speaker = readSpeakers(doc).find((one) => one.id === id);
  if (!speaker || id === into || !speakersOf(doc).has(into)) return null;
  const segments = readSegments(doc).flatMap((one) => (one.speaker === id && one.id !== null ? one.id : []));
  return { speaker, into, segments };
}

/** Takes a merge back, for the segments that are still as it left them; false if nothing is. */
export function splitSpeakers(doc: Y.Doc, { speaker, into, segments }: SpeakerMerge, origin: unknown): boolean {
  if (speakersOf(doc).has(speaker.id)) return false;
  const merged = new Set(segments);
  const theirs = readSegments(doc).flatMap((one) =>
    one.id !== null && one.speaker === into && merged.has(one.id) ? one.id : [],
  );
  if (theirs.length === 0 && segments.length > 0) return false;
  doc.transact(() => {
    put(doc, speaker);
    for (const id of theirs) segmentsOf(doc).set(id, { p: speaker.id });
  }, origin);
  return true;
}
