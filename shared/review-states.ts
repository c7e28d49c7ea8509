/**
 * How a list of recordings shows a review to a person, the most urgent first: theirs to do, others' to do, done by them,
 * and open.
 */
export const libraryStates = ['button', 'pending', 'completed', 'completed_review'] as const;
export type LibraryState = (typeof libraryStates)[number];
