import { sql } from 'drizzle-orm';
import { rightsSettled, type AccessById, type Holder, type Standing } from '#db/access.ts';
import type { Ended } from '#db/answers.ts';
import type { Orm } from '#db/open.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { RightsEnded } from '#sync/server/generations.ts';
import { signedIn, type Ctx } from '../context.ts';

/** Attempts, as many as for a change of a room (sync/server/server-writes.ts). */
const mostTurns = 50;

/**
 * Permissions a write depends on, until it is stored: revoking one meanwhile stops the write. `ask` throws the error
 * for a caller whose permissions no longer suffice.
 */
export class Holding {
  held: ReadonlySet<Permission>;
  private readonly ctx: Ctx;
  private readonly place: Omit<AccessById, 'held'>;
  private readonly ask: () => Promise<ReadonlySet<Permission>>;

  constructor(ctx: Ctx, { held, ...place }: AccessById, ask: () => Promise<ReadonlySet<Permission>>) {
    this.ctx = ctx;
    this.place = place;
    this.held = held;
    this.ask = ask;
  }

  get holder(): Holder {
    const { person, proof, browser = null } = signedIn(this.ctx);
    return {
      ...this.place,
      userId: person.id,
      browser,
      proof: proof.kind === 'session' ? { session: proof.sessionHash } : { token: proof.tokenId },
      held: this.held,
    };
  }

  /** Reads the permissions again after they have changed; throws if they no longer suffice. */
  async again(ended: Ended): Promise<void> {
    if (ended === 'out') throw new Problem('UNAUTH');
    if (ended === 'busy') await rightsSettled(this.ctx.db.sql, this.holder);
    this.held = await this.ask();
  }

  /** Runs work that stores under the condition that the permissions still hold, and retries when they changed. */
  async during<T>(work: (holder: Holder) => Promise<T>): Promise<T> {
    for (let turns = 1; ; turns += 1) {
      try {
        return await work(this.holder);
      } catch (error) {
        if (!(error instanceof RightsEnded) || turns === mostTurns) throw error;
        await this.again(error.standing);
      }
    }
  }
}

/** The caller has these permissions until the transaction ends, behind the lock of the recording. */
export async function holdRights(
  tx: Orm,
  { meetingId, userId, browser, proof }: Holder,
  needs: readonly Permission[],
): Promise<void> {
  const session = 'session' in proof ? proof.session : null;
  const token = 'token' in proof ? proof.token : null;
  const [rights] = await tx.execute<{ standing: Standing }>(sql`
    select hold_rights(${meetingId}, ${userId}, ${browser}::text, ${session}::bytea, ${token}::text,
      string_to_array(${needs.join()}, ','), null) as standing`);
  if (rights && rights.standing !== 'held') throw new RightsEnded(rights.standing);
}
