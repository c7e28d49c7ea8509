import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import type { OutcomeModelId } from '#shared/account-choices.ts';
import { accountTypesFor } from '#shared/accounts.ts';
import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import type { OutcomeTypeView } from '#shared/meetings/meeting.ts';
import { modelIn, typesIn } from '#shared/meetings/outcome-schema.ts';
import { negative } from '#shared/meetings/outcome-types.ts';
import { rulingOf } from '#shared/team-rules.ts';
import type { Ctx } from '../context.ts';
import { membershipsOf } from '../groups/teams.ts';
import { outcomeWords } from './said-words.ts';

/** The person's settings that select outcome types and their language. */
export interface Reading {
  model: string | null;
  language: Language;
}

export async function readingOf(ctx: Ctx): Promise<Reading> {
  if (!ctx.person) return { model: null, language: fallbackLanguage };
  const [row] = await ctx.db.orm
    .select({ accountType: users.accountType, models: users.outcomeModels, language: users.language })
    .from(users)
    .where(eq(users.id, ctx.person.id));
  const ruling = rulingOf(await membershipsOf(ctx.db.orm, ctx.person.id));
  const type = row && accountTypesFor(row.accountType, row.models, ruling).find(({ active }) => active);
  const wished = row?.language ?? null;
  return {
    model: type?.models.find(({ active }) => active)?.id ?? null,
    language: isLanguage(wished) ? wished : fallbackLanguage,
  };
}

/** The outcome types a person can choose, and those that existing outcomes already use. */
export function outcomesSchema(
  preferred: OutcomeModelId | null,
  { model, language }: Reading,
  outcomes: readonly Outcome[],
): OutcomeTypeView[] {
  const { types, one, about, grades } = outcomeWords[language];
  const named: Readonly<Record<string, string>> = types;
  const ofOne: Readonly<Record<string, string>> = one;
  const descriptions: Readonly<Record<string, string>> = about;
  const used = outcomes.map(({ type }) => type);
  return typesIn(preferred ?? modelIn(null, model), used).map(({ id, code, color, readOnly, ...type }) => {
    const labelPlural = named[id] ?? id;
    const label = ofOne[id] ?? labelPlural;
    const graded = type.grades.length === 0 ? [] : [...type.grades, { value: negative, label: 'negative' }];
    const gradeNames: Readonly<Record<string, string>> = grades;
    return {
      ...{ id, code, color, readOnly, label, labelPlural, description: descriptions[id] ?? '' },
      grades: graded.map((grade) => ({ value: grade.value, label: gradeNames[grade.label] ?? grade.label })),
      children: type.children.map((child) => ({ id: child, label: named[child] ?? child })),
    };
  });
}
