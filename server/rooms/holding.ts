import { rightsSettled, type Holder } from '#db/access.ts';
import type { Ended } from '#db/answers.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { RightsEnded } from '#sync/server/generations.ts';
import { signedIn, type Ctx } from '../context.ts';

/** As often as a turn in a room is tried anew (sync/server/server-writes.ts). */
const mostTurns = 50;

/**
 * The rights by which a write is judged, until it is stored: a right that ends meanwhile ends the write. `ask` throws what
 * whoever does not hold enough any more is told.
 */
export class Holding {
  held: ReadonlySet<Permission>;
  private readonly ctx: Ctx;
  private readonly meetingId: string;
  private readonly ask: () => Promise<ReadonlySet<Permission>>;

  constructor(ctx: Ctx, meetingId: string, held: ReadonlySet<Permission>, ask: () => Promise<ReadonlySet<Permission>>) {
    this.ctx = ctx;
    this.meetingId = meetingId;
    this.held = held;
    this.ask = ask;
  }

  get holder(): Holder {
    const { person, proof, browser = null } = signedIn(this.ctx);
    return {
      meetingId: this.meetingId,
      userId: person.id,
      browser,
      proof: proof.kind === 'session' ? { session: proof.sessionHash } : { token: proof.tokenId },
      held: this.held,
    };
  }

  /** They are not what they were: what is held now is asked, for it to be judged anew. */
  async again(ended: Ended): Promise<void> {
    if (ended === 'out') throw new Problem('UNAUTH');
    if (ended === 'busy') await rightsSettled(this.ctx.db.sql, this.holder);
    this.held = await this.ask();
  }

  /** Does what stores only as long as they hold, and says so where they do not. */
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
