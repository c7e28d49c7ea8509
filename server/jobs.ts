import { lt } from 'drizzle-orm';
import { identityFlows, mailTokens } from '#db/schema/accounts.ts';
import { usedProofs } from '#db/schema/house.ts';
import { sweepInvitations } from './accounts/invitations.ts';
import { sweepUnconfirmed } from './accounts/register.ts';
import { sweepSessions } from './accounts/sessions.ts';
import type { House } from './context.ts';

/** Housekeeping: what has run out is cleared away. Every job may run in any number of processes at once. */
export function startJobs(
  house: House,
  { sweepLimits }: { sweepLimits: () => Promise<void> },
): { stop(): Promise<void> } {
  const every = 600_000;
  let running: Promise<void> = Promise.resolve();
  const sweep = async () => {
    const now = house.clock.now();
    for (const step of [
      () => sweepSessions(house),
      () => sweepUnconfirmed(house),
      () => sweepInvitations(house),
      () => house.db.orm.delete(mailTokens).where(lt(mailTokens.expiresAt, now)),
      () => house.db.orm.delete(identityFlows).where(lt(identityFlows.expiresAt, now)),
      () => house.db.orm.delete(usedProofs).where(lt(usedProofs.expiresAt, now)),
      sweepLimits,
    ]) {
      try {
        await step();
      } catch (error) {
        house.log.warn({ err: error }, 'housekeeping failed; tried again later');
      }
    }
  };
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, every);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}
