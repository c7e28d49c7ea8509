import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';
import type { Signed } from '../context.ts';

/** Language that the caller has chosen, for payment pages and receipts. */
export async function languageOf({ db, person }: Pick<Signed, 'db' | 'person'>): Promise<Language> {
  const [row] = await db.orm.select({ language: users.language }).from(users).where(eq(users.id, person.id));
  const language = row?.language ?? null;
  return isLanguage(language) ? language : fallbackLanguage;
}
