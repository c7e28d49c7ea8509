import type { SessionInfo } from '#shared/accounts.ts';
import { balanceLevel, lowBalance } from '#shared/low-balance.ts';

import { paths } from '../paths.ts';

/** Pages about money, which say the same and more. */
const quietPages: readonly string[] = [paths.balance, paths.buyCredits, paths.changePlan, paths.transactions];

/**
 * Whether a plan is offered to a person: one of the type individual who pays by the minute, whom no team pays for, and
 * whose minutes run out or have; null where it is not.
 */
export function upgradeOffer(session: SessionInfo | undefined, path: string): 'low' | 'none' | null {
  if (!session?.billing || quietPages.includes(path)) return null;
  const { principal, billing, teams, invitations } = session;
  if (!principal.confirmed || principal.accountType !== 'individual') return null;
  if (principal.preferences.upgradeNotice === 'dismissed') return null;
  // A question that waits comes first.
  if (billing.plan !== null || teams.some(({ pays }) => pays) || invitations.length > 0) return null;
  const level = balanceLevel(billing.totalMinutes + billing.minutesForBalance, lowBalance.minutes);
  return level === 'enough' ? null : level;
}
