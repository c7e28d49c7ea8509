/** One Yjs document for each domain of authority, not one for each meeting. */
export const parts = ['transcript', 'outcomes', 'comments', 'notes'] as const;
export type Part = (typeof parts)[number];
