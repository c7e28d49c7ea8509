import { lt } from 'drizzle-orm';
import { identityFlows, mailTokens } from '#db/schema/accounts.ts';
import { usedProofs } from '#db/schema/house.ts';
import { keepLogs } from '#sync/server/keeper.ts';
import { sweepInvitations } from './people/invitations.ts';
import { sweepUnconfirmed } from './accounts/register.ts';
import { sweepSessions } from './people/sessions.ts';
import { sweepArchives } from './archive/archives.ts';
import { forgetAuthors } from './annotations/authors.ts';
import { sweepStalledRuns } from './ai/stalled-runs.ts';
import { sweepAttachments } from './attachments/attachments.ts';
import { booksKeeper } from './billing/books.ts';
import { sweepHolds, sweepLots } from './billing/desk.ts';
import { sweepClosedPurses } from './billing/closing.ts';
import { sweepGifts } from './billing/gift.ts';
import type { House } from './context.ts';
import { sweepAnswers } from './http/once.ts';
import { sweepIntakes } from './intake/drafts.ts';
import { sweepStalled } from './intake/stalled.ts';
import { sweepServiceFlows } from './intake/service-accounts.ts';
import { sweepUploads } from './intake/uploads.ts';
import { sweepJobs } from './jobs.ts';
import { startRounds } from './rounds.ts';
import { sweepActions } from './library/actions.ts';
import { sweepFolders } from './library/folders.ts';
import { sweepLeftovers } from './meetings/leftovers.ts';
import { emptyTrash, oldestInTrash } from './library/trash.ts';
import { endForgotten, sweepPieces } from './recorder/recordings.ts';
import { emptyReviewTrash } from './reviews/trash.ts';
import { carryForgotten } from './rooms/carry.ts';
import { sweepPasses } from './sharing/link.ts';
import { sweepSupportChats } from './support/chat.ts';

/** Deletes expired rows and files at intervals. Every step is safe to run in several processes at once. */
export function startHousekeeping(
  house: House,
  { sweepLimits }: { sweepLimits: () => Promise<void> },
): { stop(): Promise<void> } {
  const every = 600_000;
  const keepBooks = booksKeeper(house);
  const sweep = async () => {
    const now = house.clock.now();
    for (const step of [
      () => sweepSessions(house),
      () => sweepUnconfirmed(house),
      () => sweepInvitations(house),
      () => house.db.orm.delete(mailTokens).where(lt(mailTokens.expiresAt, now)),
      () => house.db.orm.delete(identityFlows).where(lt(identityFlows.expiresAt, now)),
      () => house.db.orm.delete(usedProofs).where(lt(usedProofs.expiresAt, now)),
      () => sweepServiceFlows(house),
      () => sweepAnswers(house),
      () => sweepSupportChats(house),
      () => sweepPasses(house),
      () => carryForgotten(house),
      () => keepLogs(house.db.sql, now),
      () => sweepIntakes(house),
      () => sweepUploads(house),
      () => endForgotten(house),
      () => sweepPieces(house),
      () => sweepJobs(house),
      () => sweepStalled(house),
      () => sweepStalledRuns(house),
      () => sweepHolds(house),
      () => sweepLots(house),
      () => sweepGifts(house),
      () => sweepClosedPurses(house),
      keepBooks,
      () => emptyTrash(house),
      () => emptyReviewTrash(house, oldestInTrash(house)),
      () => sweepFolders(house),
      () => sweepActions(house),
      () => sweepArchives(house),
      () => forgetAuthors(house),
      () => sweepAttachments(house),
      // Runs after all steps that delete rows, so that their files are deleted in the same round.
      () => sweepLeftovers(house),
      sweepLimits,
    ]) {
      try {
        await step();
      } catch (error) {
        house.log.warn({ err: error }, 'housekeeping failed; tried again later');
      }
    }
  };
  return startRounds(every, sweep);
}
