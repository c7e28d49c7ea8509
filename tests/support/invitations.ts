import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { createInvitation, type NewInvitation } from '#server/people/invitations.ts';
import { transaction, type Signed } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';

/**
 * Invites an address on behalf of a person, through the function that capabilities use; returns the id, and the secret
 * of the mail.
 */
export async function invite(
  house: SharedHouse,
  invitation: Partial<NewInvitation> & { email: string },
  by?: Person,
): Promise<{ id: string; secret: string }> {
  const inviter = by ?? (await house.person('Ines'));
  const [row] = await house.database.orm.select().from(users).where(eq(users.id, inviter.id));
  if (!row) throw new Error('nobody invites');
  const ctx: Signed = {
    ...house.house,
    requestId: newId(),
    address: 'test',
    userAgent: 'test',
    language: 'en',
    person: { ...row, confirmed: true, hasPassword: true },
    proof: { kind: 'token', tokenId: 'test' },
  };
  const { id } = await transaction(house.house, (tx) => createInvitation(ctx, tx, { kind: 'account', ...invitation }));
  return { id, secret: await house.tokenFor(invitation.email, '/invitation') };
}
