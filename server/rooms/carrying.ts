import type { House } from '../context.ts';
import { carryAnnotations } from './carry.ts';

/** Milliseconds before each further try; after the last one, housekeeping tries (`carryForgotten`). */
const pauses = [1_000, 3_000, 9_000, 27_000];

type Around = Parameters<typeof carryAnnotations>[0] & Pick<House, 'log'>;

/** Carries annotations over when a transcript is renewed, and tries again soon where that failed: people wait for it. */
export class Carrying {
  private readonly house: () => Around;
  private readonly waiting = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(house: () => Around) {
    this.house = house;
  }

  /** Resolves after the first try, whatever became of it. Does nothing once this is stopped: another process will. */
  async carry(meetingId: string, failed = 0): Promise<void> {
    if (this.isStopped) return;
    const running = this.try(meetingId, failed).finally(() => this.running.delete(running));
    this.running.add(running);
    await running;
  }

  private async try(meetingId: string, failed: number): Promise<void> {
    const house = this.house();
    try {
      await carryAnnotations(house, meetingId);
    } catch (error) {
      house.log.warn({ err: error, meeting: meetingId }, 'annotations could not be carried over; tried again later');
      const pause = pauses[failed];
      if (pause === undefined || this.isStopped) return;
      const timer = setTimeout(() => {
        this.waiting.delete(timer);
        void this.carry(meetingId, failed + 1);
      }, pause);
      this.waiting.add(timer.unref());
    }
  }

  /** Waits for tries that run; none begins after that. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.waiting) clearTimeout(timer);
    this.waiting.clear();
    await Promise.all(this.running);
  }
}
