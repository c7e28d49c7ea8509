/** Identity by which a person has the same colour everywhere: the account, else the address they were invited by. */
export const personKey = (userId: string | number | null, email: string | null): string =>
  userId === null ? (email?.trim().toLowerCase() ?? '') : String(userId);
