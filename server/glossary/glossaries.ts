import { and, asc, eq, inArray, or, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { glossaries, glossaryTerms } from '#db/schema/glossary.ts';
import {
  glossaryLimits,
  termKey,
  type GlossariesAnswer,
  type GlossaryAnswer,
  type GlossaryInput,
  type GlossaryKind,
  type GlossaryView,
  type TermView,
} from '#shared/glossary.ts';
import { newId } from '#shared/ids.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { noteAction } from '../people/noted.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { grouped } from './grouped.ts';
import { among, scopeOf, scopesAt, scopesOf, type Scope } from './scope.ts';

/** Glossaries that the caller can read, their own first. */
export async function listGlossaries(ctx: Ctx): Promise<GlossariesAnswer> {
  const { person } = signedIn(ctx);
  return { glossaries: await viewsOf(ctx.db.orm, person.id, await scopesOf(ctx.db.orm, person)) };
}

/** Glossaries that apply to a recording for the caller: those in which a correction can be kept. */
export async function listGlossariesAt(ctx: Ctx, { id }: { id: string }): Promise<GlossariesAnswer> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/glossaries', id);
  return { glossaries: await viewsOf(ctx.db.orm, person.id, await scopesAt(ctx.db.orm, person, id)) };
}

interface Row {
  term: string;
  heard: string;
  addedBy: string | null;
  /** Null for an account that is gone. */
  firstName: string | null;
  lastName: string | null;
}

async function viewsOf(orm: Orm, personId: string, scopes: readonly Scope[]): Promise<GlossaryView[]> {
  const rows = await orm
    .select({
      ...{ userId: glossaries.userId, folderId: glossaries.folderId, groupId: glossaries.groupId },
      ...{ term: glossaryTerms.term, heard: glossaryTerms.heard, addedBy: glossaryTerms.addedBy },
      ...{ firstName: users.firstName, lastName: users.lastName },
    })
    .from(glossaries)
    .innerJoin(glossaryTerms, eq(glossaryTerms.glossaryId, glossaries.id))
    .leftJoin(users, eq(users.id, glossaryTerms.addedBy))
    .where(among(scopes))
    .orderBy(asc(glossaryTerms.termKey), asc(glossaryTerms.term), asc(glossaryTerms.heard));
  const byOwner = grouped(rows, ({ userId, folderId, groupId }) => userId ?? folderId ?? groupId);
  return scopes.map((scope) => ({
    ...{ kind: scope.kind, id: scope.id, name: scope.name, mayAdd: scope.mayAdd },
    terms: termsOf(byOwner.get(scope.id) ?? [], personId, scope),
  }));
}

function termsOf(rows: readonly Row[], personId: string, scope: Scope): TermView[] {
  const mayRemove = ({ addedBy }: Row) => isRemovable(scope, personId, addedBy);
  return [...grouped(rows, ({ term }) => term)].flatMap(([term, all]) => {
    // The row without a misheard form comes first.
    const [row] = all;
    return row
      ? [
          {
            ...{ term, by: row.firstName === null ? null : `${row.firstName} ${row.lastName ?? ''}`.trim() },
            mayRemove: mayRemove(row),
            heard: all.slice(1).map((one) => ({ text: one.heard, mayRemove: mayRemove(one) })),
          },
        ]
      : [];
  });
}

const isRemovable = ({ mayAdd, rules: removesAll }: Scope, personId: string, addedBy: string | null): boolean =>
  removesAll || (mayAdd && addedBy === personId);

interface ChangeInput extends GlossaryInput {
  kind: GlossaryKind;
  id: string;
}

/** Adds and removes terms, and tells what that changed, so that it can be undone. */
export async function changeGlossary(ctx: Ctx, { kind, id, add, remove }: ChangeInput): Promise<GlossaryAnswer> {
  const signed = signedIn(ctx);
  const { person } = signed;
  await ctx.limits.take(rules.write, person.id);
  return transaction(ctx, async (tx) => {
    const scope = await scopeOf(tx, person, kind, id);
    // The same answer for one that is there and one that is not.
    if (!scope?.mayAdd) throw new Problem('NO_ACCESS');
    const glossaryId = await lockGlossary(tx, scope);
    const removed = await removeTerms(tx, { scope, glossaryId, personId: person.id }, remove);
    const createdAt = ctx.clock.now();
    const added = await addTerms(tx, { glossaryId, addedBy: person.id, createdAt }, add);
    await refuseTooMany(tx, glossaryId, add);
    const [glossary] = await viewsOf(tx, person.id, [scope]);
    if (!glossary) throw new Error('a glossary without its view');
    const terms = [...new Set([...removed, ...added].map(({ term }) => term))];
    const action = await noteAction(signed, tx, {
      kind: 'glossary',
      what: { terms: terms.slice(0, mostNamed), removed: removed.length > 0 },
      changes: terms.length === 0 ? [] : [{ glossary: { kind, id }, added, at: createdAt.getTime(), removed }],
    });
    const result = { glossary, added: changedOf(added), removed: changedOf(removed), action };
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** Terms that the list of actions names of one. */
const mostNamed = 5;

const columnOf = { person: 'userId', folder: 'folderId', group: 'groupId' } as const;

/** Creates the glossary if need be, and lets one change of it happen at a time. */
export async function lockGlossary(tx: Orm, { kind, id }: Scope): Promise<string> {
  const column = columnOf[kind];
  await tx
    .insert(glossaries)
    .values({ id: newId(), [column]: id })
    .onConflictDoNothing();
  const [row] = await tx
    .select({ id: glossaries.id })
    .from(glossaries)
    .where(eq(glossaries[column], id))
    .for('no key update');
  if (!row) throw new Problem('NO_ACCESS');
  return row.id;
}

type Changed = Pick<Row, 'term' | 'heard'>;

async function removeTerms(
  tx: Orm,
  { scope, glossaryId, personId }: { scope: Scope; glossaryId: string; personId: string },
  remove: GlossaryInput['remove'],
): Promise<(Changed & { addedBy: string | null; at: number })[]> {
  if (remove.length === 0) return [];
  const { term, heard, addedBy, createdAt } = glossaryTerms;
  const these = and(
    eq(glossaryTerms.glossaryId, glossaryId),
    or(
      ...remove.map((one): SQL | undefined =>
        and(eq(term, one.term), one.heard === undefined ? undefined : eq(heard, one.heard)),
      ),
    ),
  );
  const rows = await tx.select({ term, heard, addedBy, createdAt }).from(glossaryTerms).where(these);
  // With a term go the forms that others added to it.
  const whole = new Set(remove.flatMap((one) => (one.heard === undefined ? [one.term] : [])));
  const judged = rows.filter((row) => row.heard === '' || !whole.has(row.term));
  if (judged.some((row) => !isRemovable(scope, personId, row.addedBy))) throw new Problem('NO_PERM');
  await tx.delete(glossaryTerms).where(these);
  return rows.map(({ createdAt: at, ...row }) => ({ ...row, at: at.getTime() }));
}

/** A row with the words by which it is searched. */
export const rowOf = ({ term, heard }: Changed) => ({
  ...{ term, heard, termKey: termKey(term), heardKey: termKey(heard) },
});

async function addTerms(
  tx: Orm,
  by: { glossaryId: string; addedBy: string; createdAt: Date },
  add: GlossaryInput['add'],
): Promise<Changed[]> {
  const rows = add.flatMap(({ term, heard }) =>
    ['', ...heard.filter((one) => one !== term)].map((one) => ({
      ...{ ...by, ...rowOf({ term, heard: one }) },
    })),
  );
  if (rows.length === 0) return [];
  return tx
    .insert(glossaryTerms)
    .values(rows)
    .onConflictDoNothing()
    .returning({ term: glossaryTerms.term, heard: glossaryTerms.heard });
}

/** Refuses a glossary with more terms, or one of `add` with more misheard forms, than there may be. */
export async function refuseTooMany(tx: Orm, glossaryId: string, add: readonly { term: string }[]): Promise<void> {
  const of = eq(glossaryTerms.glossaryId, glossaryId);
  if ((await tx.$count(glossaryTerms, and(of, eq(glossaryTerms.heard, '')))) > glossaryLimits.terms)
    throw invalid({ field: 'add', code: 'too_many' });
  const terms = add.map(({ term }) => term);
  if (terms.length === 0) return;
  const rows = await tx
    .select({ term: glossaryTerms.term })
    .from(glossaryTerms)
    .where(and(of, inArray(glossaryTerms.term, terms)));
  const counts = grouped(rows, ({ term }) => term);
  const nth = terms.findIndex((term) => (counts.get(term)?.length ?? 0) > glossaryLimits.heard + 1);
  if (nth !== -1) throw invalid({ field: `add.${nth}.heard`, code: 'too_many' });
}

const changedOf = (rows: readonly Changed[]): GlossaryAnswer['added'] =>
  [...grouped(rows, ({ term }) => term)].map(([term, all]) => ({
    term,
    heard: all.flatMap(({ heard }) => (heard === '' ? [] : [heard])),
  }));
