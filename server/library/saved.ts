import { and, asc, eq } from 'drizzle-orm';
import type { Fragment, Sql } from 'postgres';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { savedSearches } from '#db/schema/finding.ts';
import { newId } from '#shared/ids.ts';
import { nameKey, rootPath } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { searchLimits, type RenameSearchInput, type SearchInput, type SearchView } from '#shared/searches.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { findPlace, idOf, readLibraries, type Libraries } from '../folders/libraries.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { readSelection } from './selection.ts';

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

/** Keys of the results of a search, or null where its folder is gone; each search is counted by the limit. */
async function resultsOf(
  ctx: Ctx,
  libraries: Libraries,
  { query, filters, folderId, shared }: Pick<Row, 'query' | 'filters' | 'folderId' | 'shared'>,
): Promise<((sql: Sql) => Fragment) | null> {
  const { person } = signedIn(ctx);
  const place = placeOf(libraries, folderId);
  if (!place) return null;
  await ctx.limits.take(rules.count, person.id);
  const selection = await readSelection(
    ctx,
    {
      ...{ query, filters, folder: place.folder },
      ...(place.sid !== null && { shared_folder: place.sid }),
      ...(shared && { shared: 'with-me' as const }),
    },
    { listing: false },
  );
  return (sql) => sql`
    ${selection.tables(sql)}
    select ('x' || left(md5(c.id), 16))::bit(64)::bigint as key ${selection.rows(sql)} and c.listed
      ${selection.filters(sql).reduce((all, { fits }) => sql`${all} and ${fits}`, sql``)}`;
}

/** Notes all results of a search as seen. */
async function look(ctx: Ctx, libraries: Libraries, row: Row): Promise<void> {
  const results = await resultsOf(ctx, libraries, row);
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
  const { name, query, filters, sort, folder, sid, shared } = asked;
  const libraries = await readLibraries(ctx.db.orm, person);
  const place = findPlace(libraries, { path: folder, sid });
  if (!place) throw new Problem('NO_ACCESS');
  const now = ctx.clock.now();
  const row: Row = {
    ...{ id: newId(), userId: person.id, name, nameKey: nameKey(name), query: query.trim(), filters, sort, shared },
    ...{ folderId: idOf(place), seen: [], lookedAt: now, createdAt: now },
  };
  const view = viewOf(libraries, row);
  await naming(ctx, name, async (tx, others) => {
    if (others.length >= searchLimits.most) throw invalid({ field: '', code: 'too_many' });
    await tx.insert(savedSearches).values(row);
    await keepResult(ctx, tx, view);
  });
  await look(ctx, libraries, row);
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
  await look(ctx, await readLibraries(ctx.db.orm, signedIn(ctx).person), row);
}

/** Counts the results of each search that were none when the person looked last, one after the other. */
export async function countSearches(ctx: Ctx): Promise<{ counts: { id: string; fresh: number }[] }> {
  const libraries = await readLibraries(ctx.db.orm, signedIn(ctx).person);
  const counts: { id: string; fresh: number }[] = [];
  for (const row of await rowsOf(ctx)) {
    const results = await resultsOf(ctx, libraries, row);
    if (!results) continue;
    const [counted] = await ctx.db.ask(
      (sql) => sql<{ fresh: number }[]>`
        select count(*)::int as fresh from (
          select key from (${results(sql)}) r
          except select unnest(seen) from saved_searches where id = ${row.id}
        ) n`,
    );
    counts.push({ id: row.id, fresh: counted?.fresh ?? 0 });
  }
  return { counts };
}
