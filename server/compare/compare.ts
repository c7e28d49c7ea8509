import { accessesByIdOf, accessesOf, ownLayers, readableLayers } from '#db/access.ts';
import type { CompareAnswer, ComparedColumn, CompareQuery } from '#shared/compare.ts';
import { inOrder } from '#shared/meetings/annotations.ts';
import { readHighlights } from '#shared/meetings/entries.ts';
import { Problem } from '#shared/problems.ts';
import { machineOutcomes } from '../reviews/suggested.ts';
import { signedIn, type Ctx } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { viewReview } from '../reviews/view.ts';
import { shownTitle } from '../rooms/projection.ts';
import type { AuthorOutcomes } from './outcomes.ts';
import { outcomesIn, typesIn, type Reading } from './readings.ts';
import { rowsOf, typesOf, type Compared } from './rows.ts';

/** Layers that are compared; the others hold no assessment. */
const comparedKinds = ['own', 'shared', 'machine'] as const;
type ComparedKind = (typeof comparedKinds)[number];

/** A recording or a layer that the caller reads. */
interface Document {
  id: string;
  meeting: string;
  /** Review, kind and reviewer of a layer; null of a recording. */
  layer: { review: string; kind: ComparedKind; reviewer: string | null } | null;
}

/**
 * Compares what the callers of all these recordings and layers share. Of layers it takes those that `readableLayers`
 * gives: a blind reviewer has their own alone. What is not there and what the caller may not read are one answer.
 */
export async function compare(ctx: Ctx, { ids, rows, row }: CompareQuery): Promise<CompareAnswer> {
  const { readable, layers } = await documentsOf(ctx, ids);
  const most = ctx.config.compareDocuments;
  const counted: string[] = [];
  const cut: string[] = [];
  const shown: Document[] = [];
  for (const one of readable) {
    const document = one.layer?.review ?? one.meeting;
    if (!counted.includes(document)) counted.push(document);
    if (counted.indexOf(document) < most) shown.push(one);
    else cut.push(one.id);
  }
  const [abouts, notes, names, readings] = await Promise.all([
    aboutOf(ctx, shown),
    notesOf(ctx, shown, layers),
    namesOf(ctx, shown),
    readingsOf(ctx, shown),
  ]);
  const columns: { view: ComparedColumn; held: Compared }[] = [];
  for (const one of shown) {
    const { title = '', sound = null } = abouts.get(one.meeting) ?? {};
    const src = sound === null ? null : `/api/meetings/${one.id}/media/${sound}`;
    const opens = { document: one.id, meeting: one.meeting, notes: notes.get(one.meeting) ?? one.id };
    const machine = one.layer?.kind === 'machine';
    const about = { ...opens, title, review: one.layer?.review ?? null, src, machine };
    const by = { meeting: one.meeting, assesses: one.layer !== null && !machine, machine };
    for (const { name, held } of await assessmentsOf(ctx, one, names, readings))
      columns.push({ view: { ...about, name }, held: { ...by, ...held } });
  }
  const held = columns.map((column) => column.held);
  const by = rows ?? (held.some(({ outcomes }) => outcomes.length > 0) ? 'outcomes' : 'highlights');
  const { rows: shownRows, moreRows } = rowsOf(held, by, row);
  const types = new Set(held.flatMap(({ outcomes }) => [...typesOf(outcomes).keys()]));
  for (const { grades } of held) for (const { type } of grades) types.add(type);
  return {
    by,
    columns: columns.map(({ view }) => view),
    ...{ rows: shownRows, moreRows, sets: await setsOfTypes(ctx, [...types]) },
    missing: ids.filter((id) => !readable.some((one) => one.id === id)),
    ...{ cut, most },
  };
}

type LayerRow = Awaited<ReturnType<typeof readableLayers>>[number];

/** Documents among `ids` that the caller reads, and all layers that they read. */
async function documentsOf(
  ctx: Ctx,
  ids: readonly string[],
): Promise<{ readable: Document[]; layers: readonly LayerRow[] }> {
  const { person } = signedIn(ctx);
  const [held, layers] = await ctx.db.ask((sql) =>
    Promise.all([
      accessesByIdOf(
        sql,
        ids.map((meetingId) => ({ meetingId, userId: person.id, browser: ctx.browser ?? null })),
      ),
      readableLayers(sql, person.id),
    ]),
  );
  const readable = ids.flatMap((id, nth): Document[] => {
    const access = held[nth];
    if (!access?.held.has('read')) return [];
    if (access.layerId === null) return [{ id, meeting: access.meetingId, layer: null }];
    const found = layers.find((one) => one.id === access.layerId);
    const kind = comparedKinds.find((one) => one === found?.kind);
    if (!found || !kind) return [];
    const { reviewId: review, reviewerId: reviewer } = found;
    return [{ id, meeting: access.meetingId, layer: { review, kind, reviewer } }];
  });
  return { readable, layers };
}

/**
 * Ids that open the caller's notes on recordings, whatever is compared: the browser keeps what is not sent yet by such an
 * id. Who reads a recording by reviews alone has the layer that the page of a review opens.
 */
async function notesOf(
  ctx: Ctx,
  shown: readonly Document[],
  layers: readonly LayerRow[],
): Promise<ReadonlyMap<string, string>> {
  const { person } = signedIn(ctx);
  const meetings = [...new Set(shown.map(({ meeting }) => meeting))];
  const found = layers.filter(({ meetingId }) => meetings.includes(meetingId));
  const [held, own] = await ctx.db.ask((sql) =>
    Promise.all([
      accessesOf(
        sql,
        meetings.map((meetingId) => ({ meetingId, userId: person.id, browser: ctx.browser ?? null })),
      ),
      ownLayers(
        sql,
        person.id,
        found.map(({ id }) => id),
      ),
    ]),
  );
  const rank = ({ id, kind }: LayerRow): number => (own.has(id) ? 0 : kind === 'shared' ? 1 : kind === 'words' ? 2 : 3);
  return new Map(
    meetings.flatMap((meeting, nth) => {
      if (held[nth]?.has('read')) return [[meeting, meeting] as const];
      const [first] = found
        .filter(({ meetingId }) => meetingId === meeting)
        .toSorted((one, other) => rank(one) - rank(other));
      return first ? [[meeting, first.id] as const] : [];
    }),
  );
}

/** Titles of recordings, and their sound. */
async function aboutOf(ctx: Ctx, shown: readonly Document[]) {
  const rows = await ctx.db.ask(
    (sql) => sql<{ id: string; title: string; sound: string | null }[]>`
      select m.id, ${shownTitle(sql)} as title, (
        select id from media where media.meeting_id = m.id and tag in ('audio', 'video') order by created_at, id limit 1
      ) as sound
      from meetings m left join meeting_projections p on p.meeting_id = m.id left join intakes i on i.meeting_id = m.id
      where m.id = any(${[...new Set(shown.map(({ meeting }) => meeting))]}::text[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const personIn = (review: string, userId: string): string => `${review} ${userId}`;

/** Names of people by their layers, and by review and account or row, as far as the caller may know them. */
async function namesOf(ctx: Ctx, shown: readonly Document[]): Promise<Map<string, string | null>> {
  const reviews = new Map(shown.flatMap(({ meeting, layer }) => (layer ? [[layer.review, meeting] as const] : [])));
  const names = new Map<string, string | null>();
  const views = await Promise.all(
    [...reviews].map(async ([reviewId, id]) => {
      try {
        return { reviewId, ...(await viewReview(ctx, { id, reviewId })).review };
      } catch (error) {
        // The part in the review has just ended.
        if (error instanceof Problem) return null;
        throw error;
      }
    }),
  );
  for (const { reviewId, student, reviewers } of views.filter((one) => one !== null)) {
    for (const { cloneId, userId, name, email } of [...(student ? [{ ...student, email: null }] : []), ...reviewers]) {
      if (cloneId !== null) names.set(cloneId, name ?? email);
      if (userId !== null) names.set(personIn(reviewId, userId), name ?? email);
    }
    // In an anonymous review the rows of the list are authors.
    for (const { id: row, name, email } of reviewers) names.set(personIn(reviewId, row), name ?? email);
  }
  return names;
}

/** Annotations of documents, by their ids. */
async function readingsOf(ctx: Ctx, shown: readonly Document[]): Promise<Map<string, Reading>> {
  const read = await ctx.readings.read(
    shown.map(({ id, meeting, layer }) => ({ meetingId: meeting, layerId: layer && id })),
  );
  await learnTypes(ctx.db.orm, new Set(read.flatMap(typesIn)));
  return new Map(
    shown.flatMap(({ id }, nth) => {
      const found = read[nth];
      return found ? [[id, found] as const] : [];
    }),
  );
}

type Held = Pick<Compared, 'outcomes' | 'highlights' | 'grades'>;

/** Content of a document; of a shared layer, apart for each author. */
async function assessmentsOf(
  ctx: Ctx,
  { id, meeting, layer }: Document,
  names: ReadonlyMap<string, string | null>,
  readings: ReadonlyMap<string, Reading>,
): Promise<{ name: string | null; held: Held }[]> {
  const reading: Reading = readings.get(id) ?? { authors: new Map(), grades: [] };
  const { grades } = reading;
  if (layer === null) {
    const outcomes = outcomesIn(reading);
    const highlights = await ctx.documents.read(meeting, readHighlights);
    return [{ name: null, held: { outcomes, highlights, grades: [] } }];
  }
  if (layer.kind === 'machine') {
    const suggested = await machineOutcomes(ctx, meeting, id);
    if (suggested.length === 0) return [];
    const held = suggested.map((one) => ({ ...one, grade: null, children: [] }));
    return [{ name: null, held: { outcomes: held, highlights: [], grades: [] } }];
  }
  if (layer.kind === 'own')
    return [{ name: names.get(id) ?? null, held: { outcomes: outcomesIn(reading), highlights: [], grades } }];
  const nameIn = (by: string) => names.get(personIn(layer.review, by)) ?? null;
  const annotated = [...reading.authors].toSorted(([, one], [, other]) => byFirst(one, other));
  const authors = new Map<string, string | null>(
    // The name of a row stands in the list of reviewers alone.
    annotated.map(([authorId, { outcomes }]) => [authorId, outcomes.at(-1)?.author.name || nameIn(authorId)]),
  );
  // Some set a grade and mark no passage.
  for (const { by, grade } of grades) if (grade !== null && !authors.has(by)) authors.set(by, nameIn(by));
  return [...authors].map(([authorId, name]) => ({
    name,
    held: {
      outcomes: reading.authors.get(authorId)?.outcomes ?? [],
      highlights: [],
      grades: grades.filter(({ by }) => by === authorId),
    },
  }));
}

/** Order of authors: who annotated first in the transcript comes first. */
function byFirst({ outcomes: [one] }: AuthorOutcomes, { outcomes: [other] }: AuthorOutcomes): number {
  return one && other ? inOrder(one, other) : 0;
}
