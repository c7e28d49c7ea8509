import type { Orm } from '#db/open.ts';
import type { invitations } from '#db/schema/accounts.ts';
import type { Ctx, Person } from '../context.ts';

export type Invitation = typeof invitations.$inferSelect;

/** What accepting an invitation of one kind does, inside the transaction that accepts it. */
export type InvitationApplier = (ctx: Ctx, tx: Orm, invitation: Invitation, person: Pick<Person, 'id'>) => Promise<{ meetingId: string | null }>;
export type InvitationAppliers = Readonly<Record<string, InvitationApplier>>;

/** Each capability that invites adds its kind here. */
export const invitationAppliers: InvitationAppliers = {
  account: () => Promise.resolve({ meetingId: null }),
};
