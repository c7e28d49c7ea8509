/** Yjs documents of a meeting, one for each domain of authority. */
export const parts = ['transcript', 'outcomes', 'comments', 'notes'] as const;
export type Part = (typeof parts)[number];
