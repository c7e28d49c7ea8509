import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { fallbackLanguage, isLanguage } from '#shared/i18n/languages.ts';
import type { House, Signed } from '../context.ts';

/**
 * Work of the house in the name of a person, as by a request of theirs; null if the account is gone. The proof is of no
 * session: it could not write into any document.
 */
export async function onBehalfOf(house: House, userId: string, requestId: string): Promise<Signed | null> {
  const [user] = await house.db.orm.select().from(users).where(eq(users.id, userId));
  if (!user) return null;
  const { id, email, emailKey, firstName, lastName } = user;
  const person = {
    ...{ id, email, emailKey, firstName, lastName },
    confirmed: user.confirmedAt !== null,
    hasPassword: user.passwordHash !== null,
  };
  return {
    ...house,
    requestId,
    address: '',
    userAgent: '',
    language: isLanguage(user.language) ? user.language : fallbackLanguage,
    person,
    proof: { kind: 'token', tokenId: '' },
  };
}
