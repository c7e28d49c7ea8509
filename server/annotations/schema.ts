import type { AccessById } from '#db/access.ts';
import { builtInFor, isOwnModel, type ModelId } from '#shared/account-choices.ts';
import type { Language } from '#shared/i18n/languages.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import type { OutcomeTypeView } from '#shared/meetings/meeting.ts';
import { modelIn, typesIn } from '#shared/meetings/outcome-schema.ts';
import { negative } from '#shared/meetings/outcome-types.ts';
import { ownAbout, ownGradeName, ownName, setOfType } from '#shared/meetings/own-types.ts';
import type { Ctx } from '../context.ts';
import { chosenBy } from '../outcome-models/chosen.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsAt, type SetsAt } from '../outcome-models/named.ts';
import { outcomeWords } from './said-words.ts';

/** Set and language in which a reader sees outcome types, with the sets of the recording or the assessment that is read. */
export interface Reading extends SetsAt {
  model: string | null;
  language: Language;
}

export async function readingOf(ctx: Ctx, place: Pick<AccessById, 'meetingId' | 'layerId'>): Promise<Reading> {
  const [model, sets] = await Promise.all([modelOf(ctx), setsAt(ctx, place)]);
  return { model, language: ctx.language, ...sets };
}

/** Built-in set of the person; sets that people made stand in the recordings that have them. */
async function modelOf({ db, person }: Ctx): Promise<string | null> {
  if (!person) return null;
  const { accountType, model } = await chosenBy(db.orm, person.id);
  return builtInFor(accountType, model);
}

/** The outcome types a person can choose, and those that existing outcomes already use. */
export async function outcomesSchema(
  { db }: Pick<Ctx, 'db'>,
  preferred: ModelId | null,
  { model, language, asked, sets }: Reading,
  outcomes: readonly Outcome[],
): Promise<OutcomeTypeView[]> {
  // The document alone does not decide that its readers learn a set.
  const isHere = (id: ModelId) => !isOwnModel(id) || sets.some((set) => set.id === id);
  const named = asked ?? (preferred !== null && isHere(preferred) ? preferred : null);
  await learnTypes(db.orm, [named, ...outcomes.map(({ type }) => type)]);
  const { types, one, about, grades } = outcomeWords[language];
  const texts: Readonly<Record<string, string>> = types;
  const ofOne: Readonly<Record<string, string>> = one;
  const descriptions: Readonly<Record<string, string>> = about;
  const used = outcomes.map(({ type }) => type);
  return typesIn(named ?? modelIn(null, model), used).map(({ id, code, color, readOnly, ...type }) => {
    const labelPlural = texts[id] ?? ownName(id) ?? id;
    const label = ofOne[id] ?? labelPlural;
    const known = [...type.grades, ...retiredGrades(id, type.grades, outcomes)];
    const graded = known.length === 0 ? [] : [...known, { value: negative, label: 'negative' }];
    const gradeNames: Readonly<Record<string, string>> = grades;
    return {
      ...{ id, code, color, readOnly, label, labelPlural, description: descriptions[id] ?? ownAbout(id) ?? '' },
      grades: graded.map((grade) => ({
        value: grade.value,
        label: ownGradeName(id, grade.value) ?? gradeNames[grade.label] ?? grade.label,
      })),
      children: type.children.map((child) => ({ id: child, label: texts[child] ?? ownName(child) ?? child })),
    };
  });
}

/** Grades of an own type that outcomes have, and that are no longer offered. */
function retiredGrades(type: string, offered: readonly { value: number }[], outcomes: readonly Outcome[]) {
  if (setOfType(type) === null) return [];
  const given = outcomes.flatMap((one) =>
    one.type === type ? [one.grade, ...one.children.map(({ grade }) => grade)] : [],
  );
  return [...new Set(given)]
    .filter((grade) => grade !== null && grade !== negative && !offered.some(({ value }) => value === grade))
    .map((grade) => ({ value: Number(grade), label: String(grade) }));
}
