import { writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';

const retryMs = 500;
/** After this long without a commit, peers are told that they are not saved. */
const admitAfterMs = 1500;
const giveUpAfterMs = 30_000;

/** The row could not be stored, and nobody waits for it any more. */
export class NotStored extends Error {
  override name = 'NotStored';
}

/** Tries until something is stored: says after a while that it is not, and then gives up (L6). */
export class Storing {
  private readonly room: RoomContext;
  private current: { since: number; admitted: boolean; giveUp(): void } | null = null;
  private watchdog: { cancel(): void } | null = null;

  constructor(room: RoomContext) {
    this.room = room;
  }

  async untilStored<T extends object | string | number>(append: () => Promise<T>): Promise<T> {
    const { world, name } = this.room;
    let givenUp = false;
    const enough = new Promise<null>((resolve) => {
      const giveUp = () => {
        givenUp = true;
        resolve(null);
      };
      this.current = { since: world.now().getTime(), admitted: false, giveUp };
    });
    this.watchdog ??= world.later(admitAfterMs, () => this.watch());
    try {
      while (!givenUp && !this.room.dropped) {
        try {
          const stored = await Promise.race([append(), enough]);
          if (stored !== null) return stored;
        } catch (error) {
          world.event('append failed', { room: name, why: String(error) });
          await new Promise<void>((resolve) => world.later(retryMs, resolve));
        }
      }
      throw new NotStored('the database is away');
    } finally {
      this.current = null;
    }
  }

  /** One timer serves all appends, as nearly all of them end long before it. */
  private watch(): void {
    const { world, sessions } = this.room;
    const { current } = this;
    this.watchdog = null;
    if (!current) return;
    const waited = world.now().getTime() - current.since;
    if (waited >= giveUpAfterMs) return current.giveUp();
    if (waited >= admitAfterMs && !current.admitted) {
      current.admitted = true;
      for (const peer of sessions.keys()) if (peer.wantsSaved) peer.send(writeFrame({ kind: 'notSaved' }));
    }
    // Never negative, also where the clock was set back.
    const next = (current.admitted ? giveUpAfterMs : admitAfterMs) - Math.max(0, waited);
    this.watchdog = world.later(next, () => this.watch());
  }
}
