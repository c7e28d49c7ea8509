import type { Language } from '#shared/i18n/languages.ts';
import type { OutcomeModelInput, OutcomeModelView, OwnTypeInput } from '#shared/outcome-models.ts';

// A set in the making. Rows have keys of their own, as what is new has no id yet.

interface Keyed {
  key: number;
}

interface DraftGrade extends Keyed {
  value: string;
  name: string;
}

interface DraftChild extends Keyed {
  id?: string | undefined;
  name: string;
}

export interface DraftType extends DraftChild {
  about: string;
  color: number;
  grades: readonly DraftGrade[];
  children: readonly DraftChild[];
}

export interface Draft {
  name: string;
  language: Language;
  /** Team that the set is for; empty: the person alone. */
  groupId: string;
  types: readonly DraftType[];
  /** Key of the next row. */
  next: number;
}

export const emptyDraft = (language: Language): Draft =>
  addType({ name: '', language, groupId: '', types: [], next: 0 });

export function draftOf({ name, language, group, types }: OutcomeModelView): Draft {
  let next = 0;
  const keyed = <Row extends object>(row: Row): Row & Keyed => {
    next += 1;
    return { ...row, key: next - 1 };
  };
  const offered = <One extends { retired?: boolean | undefined }>(all: readonly One[]) =>
    all.filter(({ retired }) => retired !== true);
  const drafted = offered(types).map(({ id, name: typeName, about, color, grades, children }) =>
    keyed({
      ...{ id, name: typeName, about, color },
      grades: offered(grades).map((grade) => keyed({ value: String(grade.value), name: grade.name })),
      children: offered(children).map((child) => keyed({ id: child.id, name: child.name })),
    }),
  );
  return { name, language, groupId: group?.id ?? '', types: drafted, next };
}

/** A new type has the grades of the last one: most sets have one scale. */
export function addType(draft: Draft): Draft {
  const last = draft.types.at(-1);
  const grades = last?.grades.map((grade, i) => ({ ...grade, key: draft.next + 1 + i })) ?? [];
  const type = { ...{ key: draft.next, name: '', about: '' }, color: draft.types.length % 5, grades, children: [] };
  return { ...draft, types: [...draft.types, type], next: draft.next + 1 + grades.length };
}

export const changeType = (draft: Draft, key: number, more: Partial<DraftType>): Draft => ({
  ...draft,
  types: draft.types.map((type) => (type.key === key ? { ...type, ...more } : type)),
});

export const removeType = (draft: Draft, key: number): Draft => ({
  ...draft,
  types: draft.types.filter((type) => type.key !== key),
});

export function moveType(draft: Draft, key: number, by: 1 | -1): Draft {
  const from = draft.types.findIndex((type) => type.key === key);
  const moved = draft.types[from];
  const to = from + by;
  if (!moved || to < 0 || to >= draft.types.length) return draft;
  const rest = draft.types.filter((type) => type !== moved);
  return { ...draft, types: [...rest.slice(0, to), moved, ...rest.slice(to)] };
}

/** Number of a grade as typed; what is none is sent as it is, so that the answer names its place. */
const numberOf = (typed: string): number => (typed.trim() === '' ? -1 : Number(typed));

const typeInput = ({ id, name, about, color, grades, children }: DraftType): OwnTypeInput => ({
  ...{ id, name, about, color },
  grades: grades.map((grade) => ({ value: numberOf(grade.value), name: grade.name })),
  children: children.map((child) => ({ id: child.id, name: child.name })),
});

export const inputOf = ({ name, language, groupId, types }: Draft): OutcomeModelInput => ({
  ...{ name, language, groupId: groupId === '' ? null : groupId },
  types: types.map(typeInput),
});

/** The file of an export: what makes the same set again. */
export const fileOf = (set: OutcomeModelView): string => {
  const { name, language, types } = inputOf(draftOf(set));
  const withoutIds = types.map(({ name: typeName, about, color, grades, children }) => ({
    ...{ name: typeName, about, color, grades },
    children: children.map((child) => ({ name: child.name })),
  }));
  return `${JSON.stringify({ name, language, types: withoutIds }, null, 2)}\n`;
};
