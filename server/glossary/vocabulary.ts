import { asc, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { glossaries, glossaryTerms } from '#db/schema/glossary.ts';
import { longestVocabulary } from '#shared/intake.ts';
import { grouped } from './grouped.ts';
import { among, ownerOf, scopesAt } from './scope.ts';

/**
 * Words for the transcription of a recording: those that were typed for it, and then the terms of its owner, of its
 * folders, and of the owner's groups, as far as a vocabulary goes.
 */
export async function vocabularyOf(orm: Orm, meetingId: string, typed: string): Promise<string> {
  const owner = await ownerOf(orm, meetingId);
  if (!owner) return typed;
  const scopes = await scopesAt(orm, owner, meetingId);
  const rows = await orm
    .selectDistinctOn([glossaryTerms.glossaryId, glossaryTerms.term], {
      ...{ userId: glossaries.userId, folderId: glossaries.folderId, groupId: glossaries.groupId },
      term: glossaryTerms.term,
    })
    .from(glossaries)
    .innerJoin(glossaryTerms, eq(glossaryTerms.glossaryId, glossaries.id))
    .where(among(scopes))
    .orderBy(asc(glossaryTerms.glossaryId), asc(glossaryTerms.term));
  const byOwner = grouped(rows, ({ userId, folderId, groupId }) => userId ?? folderId ?? groupId);
  const terms = new Set(scopes.flatMap(({ id }) => (byOwner.get(id) ?? []).map(({ term }) => term)));
  let vocabulary = typed;
  for (const term of terms) {
    const longer = vocabulary.trim() === '' ? term : `${vocabulary}\n${term}`;
    if (longer.length > longestVocabulary) break;
    vocabulary = longer;
  }
  return vocabulary;
}
