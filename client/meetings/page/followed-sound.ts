import type { Player } from '../sound/player.ts';

// Plays what a followed person hears, at their position. Their messages come twice a second and after every change;
// between them the position is reckoned from the rate.

export type FollowingPlayer = Pick<Player, 'ms' | 'now' | 'play' | 'pause' | 'seek' | 'setRate' | 'nudge'>;

/** Playback of the followed person, as their presence says. */
interface ToldPlayback {
  /** Seconds. */
  at: number | null;
  listening: boolean;
  /** 0 while they wait for data. */
  rate: number;
}

/** Milliseconds between a message and the expected position that are a jump, not a delay. */
const jump = 250;
/** Messages that are compared; the least delayed of them is the nearest to the truth. */
const remembered = 8;
/** Distance in milliseconds beyond which the player jumps instead of hurrying. */
const far = 1_000;
/** Shortest time in milliseconds between two such jumps: on a slow line each takes a while. */
const seekEvery = 3_000;
/** Steps of the correction; a smaller one would change the rate all the time. */
const step = 0.05;
const most = 0.25;

/** Estimates the present position and rate of the followed person's playback. */
class Lead {
  rate = 0;
  private ms = 0;
  /** Position at time 0 by each message, as far as the rate leads back. */
  private starts: number[] = [];

  hear(ms: number, rate: number, now: number): void {
    const start = ms - rate * now;
    const known = rate === this.rate && Math.abs(start - Math.max(...this.starts)) <= jump;
    this.starts = known ? [...this.starts.slice(1 - remembered), start] : [start];
    this.rate = rate;
    this.ms = ms;
  }

  positionAt(now: number): number {
    return this.rate === 0 ? this.ms : Math.max(...this.starts) + this.rate * now;
  }
}

export class FollowedSound {
  private readonly player: FollowingPlayer;
  private readonly clock: () => number;
  private readonly lead = new Lead();
  private readonly ownRate: number;
  private soughtAt = -Infinity;
  private factor = 1;

  constructor(player: FollowingPlayer, clock: () => number = () => performance.now()) {
    this.player = player;
    this.clock = clock;
    this.ownRate = player.now().rate;
  }

  hear({ at, listening, rate }: ToldPlayback): void {
    if (at === null) return;
    const { player } = this;
    this.lead.hear(at * 1000, listening ? rate : 0, this.clock());
    if (this.lead.rate === 0) {
      this.nudge(1);
      if (player.now().playing) player.pause();
      if (Math.abs(player.ms - at * 1000) > step * 1000) player.seek(at * 1000, 'quiet');
      return;
    }
    if (player.now().rate !== rate) {
      player.setRate(rate);
      this.factor = 1;
    }
    if (player.now().playing) this.adjust();
    else {
      this.soughtAt = this.clock();
      player.play(this.lead.positionAt(this.clock()), 'quiet');
    }
  }

  /** Hurries or waits a little, or jumps; called while the sound plays. */
  readonly adjust = (): void => {
    const { player, lead } = this;
    if (lead.rate === 0 || !player.now().playing) return;
    const now = this.clock();
    const behind = lead.positionAt(now) - player.ms;
    if (Math.abs(behind) > far && now - this.soughtAt > seekEvery) {
      this.soughtAt = now;
      this.nudge(1);
      player.seek(lead.positionAt(now), 'quiet');
    } else {
      const steps = Math.round(behind / 1000 / step);
      this.nudge(1 + Math.min(most, Math.max(-most, steps * step)));
    }
  };

  private nudge(factor: number): void {
    if (factor === this.factor) return;
    this.factor = factor;
    this.player.nudge(factor);
  }

  /** Restores the person's own rate. */
  end(): void {
    this.player.setRate(this.ownRate);
  }
}
