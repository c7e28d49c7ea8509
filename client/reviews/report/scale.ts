import { negative, typeOf } from '#shared/meetings/outcome-types.ts';

/** Marks of a type's scale from the lowest grade on; `given` are on it, whatever became of the type. */
export function scaleOf(type: string, given: readonly number[]): readonly number[] {
  const own = typeOf(type)?.grades.map(({ value }) => value) ?? [];
  return [...new Set([negative, ...own, ...given])].toSorted((one, other) => one - other);
}

/** Distance of two marks, and of the first one from the edge. */
export const step = 48;
export const inset = 24;

export const placeOn = (scale: readonly number[], grade: number): number =>
  inset + Math.max(0, scale.indexOf(grade)) * step;

/** Equal grades lie above each other: how many are below each one. */
export function stacked(grades: readonly number[]): { grade: number; below: number }[] {
  const counts = new Map<number, number>();
  return grades.map((grade) => {
    const below = counts.get(grade) ?? 0;
    counts.set(grade, below + 1);
    return { grade, below };
  });
}
