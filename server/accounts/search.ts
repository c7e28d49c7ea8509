import type { z } from 'zod';
import { anonymousId, emailKey, type FoundPerson, type FoundPrincipal, type searchInput } from '#shared/accounts.ts';
import { isEmail } from '#shared/email.ts';
import { signedIn, type Ctx } from '../context.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { rules } from '../limits.ts';
import { acquaintancesOf, waitingAddressesOf } from '../sharing/acl.ts';

/**
 * Finds the person's groups and the people they already work with. Other people are never found: a complete address is
 * returned as one to invite, the same whether it has an account or not.
 */
export async function searchPrincipals(ctx: Ctx, { text }: z.infer<typeof searchInput>): Promise<FoundPrincipal[]> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.search, person.id);
  const wanted = folded(text);
  const { orm } = ctx.db;
  const [others, waiting] = [await acquaintancesOf(orm, person.id), await waitingAddressesOf(orm, person.id)];
  const people = [person, ...others].map(({ id, email, firstName, lastName }): FoundPerson => ({
    id,
    kind: 'user',
    email,
    first_name: firstName,
    last_name: lastName,
  }));
  const found = people.filter((one) =>
    [one.email, `${one.first_name} ${one.last_name}`].some((words) => folded(words).includes(wanted)),
  );
  const known = (email: string) => people.some((one) => emailKey(one.email) === emailKey(email));
  const addresses = waiting.filter((email) => folded(email).includes(wanted) && !known(email));
  if (isEmail(text) && !known(text) && !addresses.some((email) => emailKey(email) === emailKey(text)))
    addresses.unshift(text);
  const groups = (await livingGroupsOf(orm, person.id))
    .filter(({ name }) => folded(name).includes(wanted))
    .map(({ id, name, members }) => ({ id, kind: 'group' as const, name, members }));
  return [...groups, ...found, ...addresses.map(stranger)].slice(0, mostFound);
}

/** Most results; typing more finds the others. */
const mostFound = 20;

const stranger = (email: string): FoundPerson => ({
  id: anonymousId,
  kind: 'pending',
  email,
  first_name: '',
  last_name: '',
});

const folded = (words: string): string => words.normalize('NFKC').toLowerCase();
