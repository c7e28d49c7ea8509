/** Yjs documents of a meeting, one for each domain of authority; `layer`: annotations of a reviewer. */
export const parts = ['transcript', 'outcomes', 'comments', 'notes', 'layer'] as const;
export type Part = (typeof parts)[number];
