import { readableLayers } from '#db/access.ts';
import type { House } from '../context.ts';

interface Reads {
  meetingId: string;
  layerId: string;
  userId: string;
}

/** Layers with a sheet of grades. */
const withSheet: ReadonlySet<string> = new Set(['own', 'shared', 'discussion']);

/**
 * Right of a person to what a machine says beside an assessment: `no` before a blind review opens, whose supervisors alone
 * read it; `none` by a layer that has no grades.
 */
export async function machineFor(
  { db }: Pick<House, 'db'>,
  { meetingId, layerId, userId }: Reads,
): Promise<'reads' | 'no' | 'none'> {
  const readable = await db.ask((sql) => readableLayers(sql, userId, meetingId));
  const layer = readable.find(({ id }) => id === layerId);
  if (!layer || !withSheet.has(layer.kind)) return 'none';
  return readable.some(({ kind, reviewId }) => kind === 'machine' && reviewId === layer.reviewId) ? 'reads' : 'no';
}
