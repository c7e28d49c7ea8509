import { and, asc, eq } from 'drizzle-orm';
import type { Fragment, Sql } from 'postgres';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { savedSearches } from '#db/schema/finding.ts';
import { newId } from '#shared/ids.ts';
import { nameKey, rootPath, searchLimits } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { RenameSearchInput, SearchInput, SearchView } from '#shared/searches.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { findPlace, idOf, readLibraries, type Libraries } from '../folders/libraries.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { readReach, readSelection, type Reach } from './selection.ts';

// Searches that a person has saved. Their results are those of the list, asked when the person looks: nothing is stored of
// what they may read, but which recordings were results when they looked last.

type Row = typeof savedSearches.$inferSelect;

const mine = (ctx: Ctx, id: string) => and(eq(savedSearches.id, id), eq(savedSearches.userId, signedIn(ctx).person.id));

/** Place of a search as the person sees it now; null if they no longer have its folder. */
function placeOf({ byId }: Libraries, folderId: string | null): SearchView['place'] {
  if (folderId === null) return { folder: rootPath, sid: null, name: '' };
  const place = byId(folderId);
  if (!place) return null;
  const { library, folder } = place;
  return { folder: folder?.path ?? rootPath, sid: library.sid, name: folder?.name ?? library.name };
}

const viewOf = (libraries: Libraries, { id, name, query, filters, sort, folderId, shared }: Row): SearchView => ({
  ...{ id, name, query, filters, sort, shared },
  place: placeOf(libraries, folderId),
});

const rowsOf = (ctx: Ctx): Promise<Row[]> =>
  ctx.db.orm
    .select()
    .from(savedSearches)
    .where(eq(savedSearches.userId, signedIn(ctx).person.id))
    .orderBy(asc(savedSearches.nameKey));

export async function listSearches(ctx: Ctx): Promise<{ searches: SearchView[] }> {
  const { person } = signedIn(ctx);
  const libraries = await readLibraries(ctx.db.orm, person);
  return { searches: (await rowsOf(ctx)).map((row) => viewOf(libraries, row)) };
}

/** Keys of the results of a search, or null where its folder is gone; callers take the limit. */
async function resultsOf(
  ctx: Ctx,
  reach: Reach,
  { query, filters, folderId, shared }: Pick<Row, 'query' | 'filters' | 'folderId' | 'shared'>,
): Promise<((sql: Sql) => Fragment) | null> {
  const place = placeOf(reach.libraries, folderId);
  if (!place) return null;
  const selection = await readSelection(
    ctx,
    {
      ...{ query, filters, folder: place.folder },
      ...(place.sid !== null && { shared_folder: place.sid }),
      ...(shared && { shared: 'with-me' as const }),
    },
    { listing: false, reach },
  );
  return (sql) => sql`
    ${selection.tables(sql)}
    select ('x' || left(md5(c.id), 16))::bit(64)::bigint as key ${selection.rows(sql)} and c.listed
      and ${selection.fits(sql)}`;
}

/** Notes all results of a search as seen. */
async function look(ctx: Ctx, reach: Reach, row: Row): Promise<void> {
  const results = await resultsOf(ctx, reach, row);
  if (!results) return;
  const now = ctx.clock.now().toISOString();
  await ctx.db.ask(
    (sql) => sql`
      update saved_searches set seen = array(select key from (${results(sql)}) r), looked_at = ${now}::timestamptz
      where id = ${row.id}`,
  );
}

/** Runs a change of names, one at a time for each person, so that two requests at once count each other's search. */
function naming<T>(ctx: Ctx, name: string, work: (tx: Orm, others: Row[]) => Promise<T>, self?: string): Promise<T> {
  const { person } = signedIn(ctx);
  return transaction(ctx, async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, person.id)).for('no key update');
    const all = await tx.select().from(savedSearches).where(eq(savedSearches.userId, person.id));
    const others = all.filter(({ id }) => id !== self);
    if (others.some((one) => one.nameKey === nameKey(name))) throw invalid({ field: 'name', code: 'search_taken' });
    return work(tx, others);
  });
}

/** Saves a search; its present results are not new. */
export async function saveSearch(ctx: Ctx, asked: SearchInput): Promise<SearchView> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  await ctx.limits.take(rules.savedSearches, person.id);
  const { name, query, filters, sort, folder, sid, shared } = asked;
  const reach = await readReach(ctx);
  const place = findPlace(reach.libraries, { path: folder, sid });
  if (!place) throw new Problem('NO_ACCESS');
  const now = ctx.clock.now();
  const row: Row = {
    ...{ id: newId(), userId: person.id, name, nameKey: nameKey(name), query: query.trim(), filters, sort, shared },
    ...{ folderId: idOf(place), seen: [], lookedAt: now, createdAt: now },
  };
  const view = viewOf(reach.libraries, row);
  await naming(ctx, name, async (tx, others) => {
    if (others.length >= searchLimits.most) throw invalid({ field: '', code: 'too_many' });
    await tx.insert(savedSearches).values(row);
    await keepResult(ctx, tx, view);
  });
  // The search is saved: what fails from here on makes its present results new, and no answer wrong.
  await look(ctx, reach, row).catch((error: unknown) =>
    ctx.log.warn({ err: error, search: row.id }, 'the results of a new search could not be noted as seen'),
  );
  return view;
}

export async function renameSearch(ctx: Ctx, { id, name }: RenameSearchInput & { id: string }): Promise<SearchView> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  const renamed = { name, nameKey: nameKey(name) };
  const [row] = await naming(
    ctx,
    name,
    (tx) => tx.update(savedSearches).set(renamed).where(mine(ctx, id)).returning(),
    id,
  );
  if (!row) throw new Problem('NO_ACCESS');
  return viewOf(await readLibraries(ctx.db.orm, person), row);
}

export async function deleteSearch(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const gone = await ctx.db.orm.delete(savedSearches).where(mine(ctx, id)).returning({ id: savedSearches.id });
  if (gone.length === 0) throw new Problem('NO_ACCESS');
}

export async function lookAtSearch(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const [row] = await ctx.db.orm.select().from(savedSearches).where(mine(ctx, id));
  if (!row) throw new Problem('NO_ACCESS');
  await ctx.limits.take(rules.savedSearches, signedIn(ctx).person.id);
  await look(ctx, await readReach(ctx), row);
}

/** Milliseconds after which the counts that are missing are left out. */
const patience = 10_000;

/** Counts the results of each search that were none when the person looked last, one after the other. */
export async function countSearches(ctx: Ctx): Promise<{ counts: { id: string; fresh: number }[] }> {
  await ctx.limits.take(rules.savedSearches, signedIn(ctx).person.id);
  const reach = await readReach(ctx);
  const began = performance.now();
  const counts: { id: string; fresh: number }[] = [];
  for (const row of await rowsOf(ctx)) {
    if (performance.now() - began > patience) break;
    try {
      const fresh = await countFresh(ctx, reach, row);
      if (fresh !== null) counts.push({ id: row.id, fresh });
    } catch (error) {
      // One search that fails shall not cost the counts of all others.
      ctx.log.warn({ err: error, search: row.id }, 'the results of a saved search could not be counted');
    }
  }
  return { counts };
}

async function countFresh(ctx: Ctx, reach: Reach, row: Row): Promise<number | null> {
  const results = await resultsOf(ctx, reach, row);
  if (!results) return null;
  const [counted] = await ctx.db.ask(
    (sql) => sql<{ fresh: number }[]>`
      select count(*)::int as fresh from (
        select key from (${results(sql)}) r
        except select unnest(seen) from saved_searches where id = ${row.id}
      ) n`,
  );
  return counted?.fresh ?? 0;
}
