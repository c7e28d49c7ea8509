import { and, inArray, isNotNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { invalid } from '#shared/problems.ts';
import type { PrincipalInput, ReviewerInput } from '#shared/reviews.ts';
import type { PrincipalKey, Reviewer } from '#shared/reviews/review.ts';
import type { Signed } from '../context.ts';
import { acquaintancesOf } from '../sharing/acl.ts';
import { keyOf, twinsOf } from './rows.ts';

interface Found {
  key: PrincipalKey;
  /** The address as it was entered, of a person who has no account as far as the caller knows. */
  email: string | null;
}

/**
 * People whom the caller names by id or address. An address finds only people the caller knows, so that the answer does not
 * reveal whether it has an account; an id finds only these, and the caller.
 */
export async function findPeople(
  { person }: Signed,
  tx: Orm,
  named: readonly { field: string; principal: PrincipalInput }[],
): Promise<Found[]> {
  const known = await acquaintancesOf(tx, person.id);
  const byAddress = new Map([...known, person].map((one) => [one.emailKey, one.id]));
  const ids = new Set([person.id, ...known.map(({ id }) => id)]);
  return named.map(({ field, principal: { id, email } }) => {
    if (email !== undefined) {
      const account = byAddress.get(emailKey(email));
      if (account !== undefined) return { key: account, email: null };
      return { key: keyOf({ kind: 'pending', principalId: emailKey(email) }), email };
    }
    if (id === undefined || !ids.has(id)) throw invalid({ field, code: 'unknown' });
    return { key: id, email: null };
  });
}

export type NewReviewer = Pick<Reviewer, 'id' | 'principal' | 'role'>;

/**
 * New reviewers. Somebody who is there already gets the key they have there, by account or by address, and is refused by
 * the rules: the answer is the same before they begin, when an address turns into an account, and afterwards.
 */
export async function newReviewers(
  ctx: Signed,
  tx: Orm,
  given: readonly ReviewerInput[],
  there: readonly PrincipalKey[],
  field = 'reviewers',
): Promise<{ reviewers: NewReviewer[]; addresses: Map<PrincipalKey, string> }> {
  const found = await findPeople(
    ctx,
    tx,
    given.map(({ principal }, i) => ({ field: `${field}.${i}.principal`, principal })),
  );
  const addresses = new Map(found.flatMap(({ key, email }) => (email === null ? [] : [[key, email]])));
  const twins = await twinsOf(tx, [...there, ...found.map(({ key }) => key)]);
  const account = (key: PrincipalKey) => twins.get(key) ?? key;
  const keyThere = (key: PrincipalKey) => there.find((other) => account(other) === account(key)) ?? key;
  const reviewers = given.map(({ role }, i) => ({ id: newId(), principal: keyThere(found[i]?.key ?? ''), role }));
  return { reviewers, addresses };
}

interface Named {
  name: string;
  email: string;
  language: string | null;
}

/** Names and addresses of accounts. */
export async function accountsOf(tx: Orm, ids: readonly string[]): Promise<Map<string, Named>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(users)
    .where(and(inArray(users.id, [...ids]), isNotNull(users.confirmedAt)));
  return new Map(
    rows.map(({ id, firstName, lastName, email, language }) => [
      id,
      { name: `${firstName} ${lastName}`.trim(), email, language },
    ]),
  );
}
