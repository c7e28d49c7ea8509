import { and, eq, inArray, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { glossaryTerms } from '#db/schema/glossary.ts';
import type { UndoneAnswer } from '#shared/actions.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { noteUndone, type GlossaryChange } from '../people/noted.ts';
import { lockGlossary, refuseTooMany, rowOf } from './glossaries.ts';
import { scopeOf } from './scope.ts';

/**
 * Undoes a change of a glossary, by the rights of today: what the caller added goes, except a term to which others added
 * since, and what was removed is there again as that of the person who had added it.
 */
export async function undoGlossary(ctx: Ctx, id: string, changes: readonly GlossaryChange[]): Promise<UndoneAnswer> {
  const signed = signedIn(ctx);
  const { person } = signed;
  const [change] = changes;
  if (!change) throw new Problem('CONFLICT');
  const { glossary, added, at, removed } = change;
  return transaction(ctx, async (tx) => {
    const scope = await scopeOf(tx, person, glossary.kind, glossary.id);
    if (!scope?.mayAdd) throw new Problem('NO_ACCESS');
    const glossaryId = await lockGlossary(tx, scope);
    const gone = await takeAway(tx, { glossaryId, addedBy: person.id, at }, added);
    const back = await putBack(tx, glossaryId, removed);
    const undone = new Set([...gone, ...back]).size;
    if (undone === 0) throw new Problem('CONFLICT');
    await refuseTooMany(tx, glossaryId, removed);
    await noteUndone(signed, tx, id, [glossary.id]);
    const answer = { undone, failed: [], next: null };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Returns the terms of the rows that went. */
async function takeAway(
  tx: Orm,
  by: { glossaryId: string; addedBy: string; at: number },
  added: GlossaryChange['added'],
): Promise<string[]> {
  const { term, heard } = glossaryTerms;
  const ofThisChange = and(
    eq(glossaryTerms.glossaryId, by.glossaryId),
    eq(glossaryTerms.addedBy, by.addedBy),
    // Not what a later change has added again.
    eq(glossaryTerms.createdAt, new Date(by.at)),
  );
  const forms = added.filter((one) => one.heard !== '');
  const terms = added.filter((one) => one.heard === '');
  const gone: { term: string }[] = [];
  if (forms.length > 0) {
    const pairs = sql.join(
      forms.map((one) => sql`(${one.term}, ${one.heard})`),
      sql`, `,
    );
    gone.push(
      ...(await tx
        .delete(glossaryTerms)
        .where(and(ofThisChange, sql`(${term}, ${heard}) in (${pairs})`))
        .returning({ term })),
    );
  }
  if (terms.length > 0) {
    const names = terms.map((one) => one.term);
    const form = alias(glossaryTerms, 'form');
    // A term is left while it has misheard forms.
    const hasForms = tx
      .select({ term: form.term })
      .from(form)
      .where(and(eq(form.glossaryId, by.glossaryId), eq(form.term, term), ne(form.heard, '')));
    gone.push(
      ...(await tx
        .delete(glossaryTerms)
        .where(and(ofThisChange, inArray(term, names), eq(heard, ''), notExists(hasForms)))
        .returning({ term })),
    );
  }
  return gone.map((row) => row.term);
}

/** Returns the terms of the rows that are there again. */
async function putBack(tx: Orm, glossaryId: string, removed: GlossaryChange['removed']): Promise<string[]> {
  if (removed.length === 0) return [];
  const authors = [...new Set(removed.flatMap(({ addedBy }) => (addedBy === null ? [] : [addedBy])))];
  const rows =
    authors.length === 0 ? [] : await tx.select({ id: users.id }).from(users).where(inArray(users.id, authors));
  const there = new Set(rows.map((row) => row.id));
  const kept = await tx
    .select({ term: glossaryTerms.term })
    .from(glossaryTerms)
    .where(and(eq(glossaryTerms.glossaryId, glossaryId), eq(glossaryTerms.heard, '')));
  const terms = new Set([...kept, ...removed.filter(({ heard }) => heard === '')].map(({ term }) => term));
  const back = removed.flatMap(({ term, heard, addedBy, at }) => {
    // A form of a term that was removed since has no place.
    if (!terms.has(term)) return [];
    const by = addedBy !== null && there.has(addedBy) ? addedBy : null;
    return [{ glossaryId, ...rowOf({ term, heard }), addedBy: by, createdAt: new Date(at) }];
  });
  if (back.length === 0) return [];
  const put = await tx.insert(glossaryTerms).values(back).onConflictDoNothing().returning({ term: glossaryTerms.term });
  return put.map((row) => row.term);
}
