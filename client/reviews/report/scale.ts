import { negative } from '#shared/meetings/outcome-types.ts';

/** Marks of the scale from the lowest grade on. */
export const scale: readonly number[] = [negative, 1, 2, 3, 4];

/** Distance of two marks, and of the first one from the edge. */
export const step = 48;
export const inset = 24;

export const placeOf = (grade: number): number => inset + Math.max(0, scale.indexOf(grade)) * step;

/** Equal grades lie above each other: how many are below each one. */
export function stacked(grades: readonly number[]): { grade: number; below: number }[] {
  const counts = new Map<number, number>();
  return grades.map((grade) => {
    const below = counts.get(grade) ?? 0;
    counts.set(grade, below + 1);
    return { grade, below };
  });
}
