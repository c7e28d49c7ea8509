import type { Sql } from 'postgres';
import { differencesIn } from '#server/billing/books.ts';

/** Recomputes the books and says what is wrong with them; true where nothing is. */
export async function sayBooks(sql: Sql, say: (line: string) => void): Promise<boolean> {
  const found = await differencesIn(sql);
  for (const one of found) say(one);
  say(found.length === 0 ? 'The books are right.' : 'The books are wrong.');
  return found.length === 0;
}
