import { readableLayers, type AccessById } from '#db/access.ts';
import type { LayerVerb } from '#shared/roles.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { refusalOf } from '../rooms/access.ts';

// The machine's layer of a review holds what language models suggest. Who reads it follows from the review
// (shared/reviews/grants.ts), and everything that shows or writes a suggestion by a layer's id asks here.

interface Reads {
  meetingId: string;
  layerId: string;
  userId: string;
}

/** Layers with a sheet of grades. */
const withSheet: ReadonlySet<string> = new Set(['own', 'shared', 'discussion']);

/** The layer by whose id a person came, if they read it, and the machine's layer of its review, if they read that. */
async function layersFor({ db }: Pick<House, 'db'>, { meetingId, layerId, userId }: Reads) {
  const readable = await db.ask((sql) => readableLayers(sql, userId, meetingId));
  const layer = readable.find(({ id }) => id === layerId) ?? null;
  const machine = layer && readable.find(({ kind, reviewId }) => kind === 'machine' && reviewId === layer.reviewId);
  return { layer, machine: machine?.id ?? null };
}

/**
 * Right of a person to what a machine says beside an assessment: `no` before a blind review opens, whose supervisors alone
 * read it; `none` by a layer that has no grades.
 */
export async function machineFor(house: Pick<House, 'db'>, reads: Reads): Promise<'reads' | 'no' | 'none'> {
  const { layer, machine } = await layersFor(house, reads);
  if (!layer || !withSheet.has(layer.kind)) return 'none';
  return machine === null ? 'no' : 'reads';
}

/** Id of the machine's layer of a layer's review; null for who does not read it. */
export const machineLayerOf = async (house: Pick<House, 'db'>, reads: Reads): Promise<string | null> =>
  (await layersFor(house, reads)).machine;

/** A recording whose suggestions are its writers', or a review whose suggestions are those of its machine's layer. */
export interface SuggestionsAt {
  meetingId: string;
  /** `id`: the layer by which the caller came, for which they decide; `machine`: that of the suggestions. */
  layer: { id: string; machine: string; userId: string } | null;
}

/** Suggestions that a call is about; refuses who does not read the machine's layer. */
export async function suggestionsAt(
  ctx: Ctx,
  verb: LayerVerb,
  { meetingId, layerId }: Pick<AccessById, 'meetingId' | 'layerId'>,
): Promise<SuggestionsAt> {
  if (layerId === null) return { meetingId, layer: null };
  const { id: userId } = signedIn(ctx).person;
  const machine = await machineLayerOf(ctx, { meetingId, layerId, userId });
  if (machine === null) throw refusalOf(verb);
  return { meetingId, layer: { id: layerId, machine, userId } };
}
