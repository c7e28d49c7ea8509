import type { Sql } from 'postgres';
import type { FailedRecording, Undone } from '#shared/actions.ts';
import { newId } from '#shared/ids.ts';
import { putTagsBack, replaceTags, type TagChange } from '#shared/meetings/about.ts';
import { Problem } from '#shared/problems.ts';
import { mostTagged, type ReplaceTagsInput, type TagsAnswer, type TagsQuery } from '#shared/tags.ts';
import { signedIn, type Ctx } from '../context.ts';
import { facetsOf } from '../finding/facets.ts';
import { rules } from '../limits.ts';
import { foldTitle } from '../rooms/projection.ts';
import { reasonOf, requireSameAction, writePart } from './parts.ts';
import { countBehind, readSelection, type Selection } from './selection.ts';

// Tags of all recordings that a person reads, from the index, and changed wherever they may write.

/** Tags that became another one, or none, in one recording. */
export interface TagsChange extends TagChange {
  meeting: string;
}

interface Tag {
  tag: string;
  recordings: number;
  writes: number;
}

/** The recordings of a selection, as rows `c (id, writes, transcript, whole)` of `base`. */
const base = (sql: Sql, selection: Selection) => sql`${selection.tables(sql)}, base as materialized (
    select c.id, c.writes, c.transcript, c.whole ${selection.rows(sql)} and c.listed
      ${selection.filters(sql).reduce((all, { fits }) => sql`${all} and ${fits}`, sql``)}
  )`;

/** Lists tags in the order of their letters. */
export async function listTags(ctx: Ctx, { like, start, size }: TagsQuery): Promise<TagsAnswer> {
  const selection = await readSelection(ctx, { query: '', filters: {} }, { listing: false });
  const { asker } = selection;
  const [rows, behind] = await Promise.all([
    ctx.db.ask(
      (sql) => sql<Tag[]>`
      ${base(sql, selection)}
      select substr(f, length('tag:') + 1) as tag, count(distinct c.id)::int as recordings,
        (count(distinct c.id) filter (where c.writes))::int as writes
      from base c cross join lateral ${facetsOf(sql, asker)} cross join unnest(s.facets) f
      where f ^@ 'tag:' group by 1`,
    ),
    countBehind(ctx.db, selection),
  ]);
  const text = foldTitle(like);
  const tags = rows
    .map((row) => ({ ...row, key: foldTitle(row.tag) }))
    .filter(({ key }) => key.includes(text))
    .toSorted((a, b) => (a.key === b.key ? compare(a.tag, b.tag) : compare(a.key, b.key)));
  return {
    tags: tags.slice(start, start + size).map(({ tag, recordings, writes }) => ({ tag, recordings, writes })),
    total: tags.length,
    behind,
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : 1);

/** The document has none of these tags any more. */
class Unchanged extends Error {
  override name = 'Unchanged';
}

/**
 * Puts one tag, or none, in the place of others wherever the caller may write: one edit a recording, and one action for
 * all. Recordings come in the order of their ids, so that the next request begins behind them, though the index still has
 * what they were.
 */
export async function changeTags(ctx: Ctx, { tags, to, after = '', action }: ReplaceTagsInput) {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  const what = { tags, to };
  if (action !== undefined) await requireSameAction(ctx, action, { kind: 'tags', what });
  const id = action ?? newId();
  const selection = await readSelection(ctx, { query: '', filters: { tag: tags } }, { listing: false });
  const found = await ctx.db.ask(
    (sql) => sql<{ id: string }[]>`
      ${base(sql, selection)} select id from base where writes and id > ${after} order by id limit ${mostTagged + 1}`,
  );
  const some = found.slice(0, mostTagged).map((row) => row.id);
  const failed: FailedRecording[] = [];
  let changed = 0;
  for (const recording of some)
    try {
      await writePart<TagsChange>(ctx, {
        verb: 'PUT /api/meetings/:id',
        recording,
        origin: 'put',
        write: (doc) => {
          const change = replaceTags(doc, tags, to, 'put');
          if (!change) throw new Unchanged();
          return { meeting: recording, ...change };
        },
        action: (change) => ({ id, kind: 'tags', what, change }),
      });
      changed += 1;
    } catch (error) {
      if (!(error instanceof Unchanged)) failed.push({ recording, places: 1, code: reasonOf(error) });
    }
  return {
    changed,
    failed,
    next: found.length > mostTagged ? (some.at(-1) ?? null) : null,
    action: changed > 0 || action !== undefined ? id : null,
  };
}

/** Gives recordings their tags back where these are still as the action left them. */
export async function undoTags(ctx: Ctx, id: string, changes: readonly TagsChange[]): Promise<Undone> {
  const failed: FailedRecording[] = [];
  let undone = 0;
  for (const change of changes)
    try {
      const { meeting } = change;
      await writePart(ctx, {
        verb: 'PUT /api/meetings/:id',
        recording: meeting,
        origin: 'put',
        write: (doc) => {
          if (!putTagsBack(doc, change, 'put')) throw new Problem('CONFLICT');
        },
        action: () => ({ id, undoes: { meeting, left: null } }),
      });
      undone += 1;
    } catch (error) {
      failed.push({ recording: change.meeting, places: 1, code: reasonOf(error) });
    }
  return { undone, failed };
}
