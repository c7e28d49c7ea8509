/**
 * Whether an annotation was added after a review opened for the first time; false where that time is not known. Before, its
 * author could not read what others had written.
 */
export const isAfterOpening = ({ createdAt }: { createdAt: string }, openedAt: string | null): boolean =>
  openedAt !== null && Date.parse(createdAt) > Date.parse(openedAt);
