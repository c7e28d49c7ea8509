import { readableLayers } from '#db/access.ts';
import { outcomes as texts } from '#shared/i18n/meetings/en/outcomes.ts';
import {
  inOrder,
  readAnnotations,
  rootOf,
  type AnnotationKind,
  type AnnotationOf,
} from '#shared/meetings/annotations.ts';
import { ownName } from '#shared/meetings/own-types.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import type { House } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import type { RoomOf } from '../rooms/documents.ts';
import type { Beside } from './context.ts';
import type { Run } from './runs.ts';

const names: Readonly<Record<string, string>> = texts.one;
const types: Readonly<Record<string, string>> = texts.types;

/**
 * Annotations that the asker reads: the shared ones of the recording, those of the asker alone, and those of assessments
 * that are open to the asker. They go without the names of their authors, who may be veiled.
 */
export async function annotationsFor(house: House, { meetingId, userId }: Run): Promise<Beside[]> {
  const layers = await house.db.ask((sql) => readableLayers(sql, userId, meetingId));
  const read = async <K extends AnnotationKind>(kind: K): Promise<AnnotationOf[K][]> => {
    const from = (place: RoomOf, visibility: 'shared' | 'private') =>
      house.documents.inRoom(meetingId, (room) => room.read((doc) => readAnnotations(doc, kind, visibility)), place);
    const found = await Promise.all([
      from({ part: rootOf[kind], of: null }, 'shared'),
      from({ part: 'notes', of: userId }, 'private'),
      ...layers.filter((one) => one.kind !== 'words').map(({ id }) => from({ part: 'layer', of: id }, 'shared')),
    ]);
    // One that is being published may still be in the private room.
    return [...new Map(found.flat().map((one) => [one.id, one])).values()];
  };
  const [outcomes, comments] = await Promise.all([read('outcome'), read('comment')]);
  await learnTypes(
    house.db.orm,
    outcomes.map(({ type }) => type),
  );
  return [
    ...outcomes.map((one) => ({ ...one, what: ownName(one.type) ?? names[one.type] ?? types[one.type] ?? 'Outcome' })),
    ...comments.map((one) => ({ ...one, what: 'Comment', text: plainOf(one.text) })),
  ]
    .sort(inOrder)
    .map(({ start, what, text }) => ({ start, what, text }));
}
