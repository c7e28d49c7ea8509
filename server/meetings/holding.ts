import { rightsSettled, type Holder } from '#db/access.ts';
import type { Ended } from '#db/answers.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';

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
}
