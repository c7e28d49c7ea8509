import { layerAccess, layers, reviews } from '#db/schema/reviews.ts';
import { newId } from '#shared/ids.ts';
import type { LayerKind } from '#shared/reviews/grants.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';

interface MadeLayer {
  kind?: LayerKind;
  /** Permissions of people on it. */
  held?: readonly (readonly [Person, readonly string[]])[];
}

/** Makes a review with layers straight in the tables, with these permissions and no others; gives the layers' ids. */
export async function makeLayers(
  { database: { orm } }: Pick<SharedHouse, 'database'>,
  meetingId: string,
  leader: Person,
  made: readonly MadeLayer[],
): Promise<string[]> {
  const reviewId = newId();
  await orm.insert(reviews).values({
    ...{ id: reviewId, meetingId, leaderId: leader.id, policy: 'relaxed', anonymous: false },
    ...{ haveRead: [], createdAt: new Date() },
  });
  const ids: string[] = [];
  for (const { kind = 'own', held = [] } of made) {
    const layerId = newId();
    ids.push(layerId);
    await orm
      .insert(layers)
      .values({ id: layerId, meetingId, reviewId, kind, reviewerId: kind === 'own' ? layerId : null });
    for (const [{ id }, permissions] of held)
      await orm
        .insert(layerAccess)
        .values({ layerId, meetingId, kind: 'user', principalId: id, permissions: [...permissions] });
  }
  return ids;
}
