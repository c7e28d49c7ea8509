import type { z } from 'zod';
import { anonymousId, emailKey, type FoundPrincipal, type searchInput } from '#shared/accounts.ts';
import { isEmail } from '#shared/email.ts';
import { signedIn, type Ctx, type Person } from '../context.ts';
import { rules } from '../limits.ts';

/**
 * Finds people one already has to do with. Anybody else is not in here: a whole address comes back as one that can be
 * invited, the same whether it has an account or not.
 */
export async function searchPrincipals(ctx: Ctx, { text }: z.infer<typeof searchInput>): Promise<FoundPrincipal[]> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.search, person.id);
  const wanted = folded(text);
  const found = acquaintances(person).filter((one) =>
    [one.email, `${one.first_name} ${one.last_name}`].some((words) => folded(words).includes(wanted)),
  );
  const known = found.some((one) => emailKey(one.email) === emailKey(text));
  return isEmail(text) && !known ? [...found, stranger(text)] : found;
}

/** Who may be found by name: so far oneself; teams and shared recordings bring the others. */
const acquaintances = (person: Person): FoundPrincipal[] => [
  { id: person.id, kind: 'user', email: person.email, first_name: person.firstName, last_name: person.lastName },
];

const stranger = (email: string): FoundPrincipal => ({
  id: anonymousId,
  kind: 'pending',
  email,
  first_name: '',
  last_name: '',
});

const folded = (words: string): string => words.normalize('NFKC').toLowerCase();
