import { readableLayers } from '#db/access.ts';
import { outcomes as texts } from '#shared/i18n/meetings/en/outcomes.ts';
import {
  inOrder,
  readAnnotations,
  rootOf,
  type AnnotationKind,
  type AnnotationOf,
} from '#shared/meetings/annotations.ts';
import { ownName, setOfType } from '#shared/meetings/own-types.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import type { House } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsAt } from '../outcome-models/named.ts';
import type { RoomOf } from '../rooms/documents.ts';
import type { Beside } from './context.ts';
import type { Run } from './runs.ts';

const names: Readonly<Record<string, string>> = texts.one;
const types: Readonly<Record<string, string>> = texts.types;

/**
 * Annotations that the asker reads: the shared ones of the recording, those of the asker alone, and those of assessments
 * that are open to the asker. They go without the names of their authors, who may be veiled.
 */
export async function annotationsFor(
  house: House,
  { meetingId, userId }: Run,
): Promise<{ beside: Beside[]; layers: string[] }> {
  const readable = await house.db.ask((sql) => readableLayers(sql, userId, meetingId));
  const layers = readable.filter(({ kind }) => kind !== 'words').map(({ id }) => id);
  const read = async <K extends AnnotationKind>(kind: K): Promise<AnnotationOf[K][]> => {
    const from = (place: RoomOf, visibility: 'shared' | 'private') =>
      house.documents.inRoom(meetingId, (room) => room.read((doc) => readAnnotations(doc, kind, visibility)), place);
    const found = await Promise.all([
      from({ part: rootOf[kind], of: null }, 'shared'),
      from({ part: 'notes', of: userId }, 'private'),
      ...layers.map((id) => from({ part: 'layer', of: id }, 'shared')),
    ]);
    // One that is being published may still be in the private room.
    return [...new Map(found.flat().map((one) => [one.id, one])).values()];
  };
  const [outcomes, comments] = await Promise.all([read('outcome'), read('comment')]);
  // Sets that are named here alone: the id of another one in a document shows nobody its words.
  const places = await Promise.all([null, ...layers].map((layerId) => setsAt(house, { meetingId, layerId })));
  const known = new Set(places.flatMap(({ sets }) => sets.map(({ id }) => id)));
  await learnTypes(house.db.orm, known);
  const isKnown = (type: string) => {
    const set = setOfType(type);
    return set !== null && known.has(set);
  };
  const beside = [
    ...outcomes.map((one) => ({
      ...one,
      what: (isKnown(one.type) ? ownName(one.type) : null) ?? names[one.type] ?? types[one.type] ?? 'Outcome',
    })),
    ...comments.map((one) => ({ ...one, what: 'Comment', text: plainOf(one.text) })),
  ]
    .sort(inOrder)
    .map(({ start, what, text }) => ({ start, what, text }));
  return { beside, layers };
}
