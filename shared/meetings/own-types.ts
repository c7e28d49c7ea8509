import { isOwnModel, type OwnModelId } from '../account-choices.ts';
import type { OutcomeType } from './outcome-types.ts';

// Sets of outcome types that people made. Ids of their types begin with the id of the set, so that an outcome alone tells
// which set it needs. A set is learnt from the database or the server before its types are used; its words are in one
// language, and are shown as they were written.

interface OwnGrade {
  value: number;
  name: string;
  /** No longer offered, as those of types are; grades that were given stay readable. */
  retired?: boolean | undefined;
}

export interface OwnChild {
  id: string;
  name: string;
  /** No longer offered; outcomes that have it stay readable. */
  retired: boolean;
}

export interface OwnType extends OwnChild {
  about: string;
  color: number;
  grades: OwnGrade[];
  children: OwnChild[];
}

/** Sets that one person, or one group, offers. */
export const mostSets = 50;

/** Sets that are named for one recording. */
export const mostNamed = 10;

interface OwnSet {
  id: OwnModelId;
  types: readonly OwnType[];
}

/** Set that a type is of; null for types of the product. */
export function setOfType(type: string): OwnModelId | null {
  const set = type.slice(0, type.lastIndexOf('_'));
  return isOwnModel(set) ? set : null;
}

/** Characters of all sets that are learnt at once; the sets that were learnt first are forgotten beyond it. */
const mostLearnt = 16_000_000;
/** Bytes of a type beside its words. */
const perType = 500;

interface Learnt {
  size: number;
  types: ReadonlyMap<string, OutcomeType>;
  offered: readonly OutcomeType[];
  names: ReadonlyMap<string, string>;
  abouts: ReadonlyMap<string, string>;
}

const learnt = new Map<OwnModelId, Learnt>();
let learntSize = 0;

function forget(id: OwnModelId): void {
  learntSize -= learnt.get(id)?.size ?? 0;
  learnt.delete(id);
}

const lengthOf = (words: readonly { name: string }[]): number => words.reduce((sum, { name }) => sum + name.length, 0);
const sizeOf = (types: readonly OwnType[]): number =>
  types.reduce(
    (sum, { about, grades, children }) =>
      sum + about.length + lengthOf(grades) + lengthOf(children) + perType * (1 + grades.length + children.length),
    lengthOf(types),
  );

/** Key of a grade's name. */
const gradeLabel = (type: string, value: number): string => `${type}_g${value}`;

export function learnSet({ id, types }: OwnSet): void {
  const made = types.map((type, i): OutcomeType => ({
    ...{ id: type.id, code: i + 1, color: type.color, readOnly: false },
    grades: type.grades.flatMap(({ value, retired }) =>
      retired === true ? [] : { value, label: gradeLabel(type.id, value) },
    ),
    children: type.children.map((child) => child.id),
  }));
  const retired = new Set(types.flatMap((type) => (type.retired ? type.id : [])));
  forget(id);
  const size = sizeOf(types);
  learntSize += size;
  learnt.set(id, {
    size,
    types: new Map(made.map((type) => [type.id, type])),
    offered: made.filter((type) => !retired.has(type.id)),
    names: new Map(
      types.flatMap((type) => [
        [type.id, type.name],
        ...type.grades.map(({ value, name }): [string, string] => [gradeLabel(type.id, value), name]),
        ...type.children.map((child): [string, string] => [child.id, child.name]),
      ]),
    ),
    abouts: new Map(types.map((type) => [type.id, type.about])),
  });
  for (const first of learnt.keys()) {
    if (learntSize <= mostLearnt || first === id) break;
    forget(first);
  }
}

const setWith = (id: string): Learnt | null => {
  const set = setOfType(id.replace(/_g\d+$/, ''));
  return (set && learnt.get(set)) ?? null;
};

export const ownTypeOf = (id: string): OutcomeType | null => setWith(id)?.types.get(id) ?? null;

/** Types of a set that can be chosen, in its order. */
export const ownTypesIn = (set: OwnModelId): readonly OutcomeType[] => learnt.get(set)?.offered ?? [];

/** Name of an own type, of a type below one, or of a grade by its label; null for those of the product. */
export const ownName = (id: string): string | null => setWith(id)?.names.get(id) ?? null;

export const ownAbout = (id: string): string | null => setWith(id)?.abouts.get(id) ?? null;

/** Name of a grade of an own type, or its number where it has none; null for all others, and for "not shown". */
export const ownGradeName = (type: string, value: number): string | null =>
  ownName(gradeLabel(type, value)) ?? (setOfType(type) !== null && value >= 0 ? String(value) : null);

/** Whether an own type has this grade, offered or not. */
export const hasOwnGrade = (type: string, value: number): boolean => ownName(gradeLabel(type, value)) !== null;
