import { inArray } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { reviewerUnnamed, type HistoryPerson } from '#shared/meetings/history.ts';
import type { Ctx } from '../context.ts';

/** Names only: readers of a document see who edits it, but no addresses. */
export async function peopleBy({ db }: Pick<Ctx, 'db'>, ids: Iterable<string | null>): Promise<HistoryPerson[]> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const named = wanted.filter((id) => !isGuest(id) && id !== reviewerUnnamed);
  const rows =
    named.length === 0
      ? []
      : await db.orm
          .select({ id: users.id, firstName: users.firstName, lastName: users.lastName })
          .from(users)
          .where(inArray(users.id, named));
  const names = new Map(rows.map(({ id, firstName, lastName }) => [id, `${firstName} ${lastName}`.trim()]));
  return wanted.map((id) => {
    const name = names.get(id);
    return { id, name: name ?? '', kind: name === undefined ? kindOf(id) : 'person' };
  });
}

const kindOf = (id: string): HistoryPerson['kind'] => {
  if (id === reviewerUnnamed) return 'reviewer';
  return isGuest(id) ? 'guest' : 'gone';
};

/** A visitor by link has an id for one visit (sync/server/door.ts). */
const isGuest = (id: string): boolean => id.startsWith('anonymous:');
