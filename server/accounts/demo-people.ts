import { and, inArray, isNotNull } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import type { AccountTypeId } from '#shared/account-choices.ts';
import type { SignInOptions } from '#shared/accounts.ts';
import type { House } from '../context.ts';

/** Public password: demo accounts exist only on a server that no other machine can reach. */
export const demoPassword = 'demo-reading-room';
/** Demo addresses end in `.example`, a domain that nobody can own, so they never belong to a real person. */
export const demoPeople = [
  { firstName: 'Ann', accountType: 'coach' },
  { firstName: 'Ben', accountType: 'mentor' },
  { firstName: 'Chen', accountType: 'student' },
] as const satisfies readonly { firstName: string; accountType: AccountTypeId }[];
export type DemoPerson = (typeof demoPeople)[number];

export const demoLastName = 'Demo';
export const demoAddressOf = ({ firstName }: DemoPerson): string => `${firstName.toLowerCase()}@demo.example`;

/** Demo accounts that still exist, for the sign-in page. */
export async function demoAccounts(house: House): Promise<SignInOptions['demo']> {
  const rows = await house.db.orm
    .select({ emailKey: users.emailKey })
    .from(users)
    .where(and(inArray(users.emailKey, demoPeople.map(demoAddressOf)), isNotNull(users.confirmedAt)));
  const present = new Set(rows.map((row) => row.emailKey));
  return demoPeople
    .filter((person) => present.has(demoAddressOf(person)))
    .map((person) => ({
      name: `${person.firstName} ${demoLastName}`,
      email: demoAddressOf(person),
      password: demoPassword,
    }));
}
