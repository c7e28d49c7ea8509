import type { Orm } from '#db/open.ts';
import type { House } from '../context.ts';
import type { Intake } from './drafts.ts';

/** The queue of human transcripts, as far as intake uses it. `server/orders` gives it to the house at the start. */
export interface OrderDesk {
  /** Queues an order for a recording that can be heard, and tells the operators. */
  place(house: House, tx: Orm, intake: Intake, durationMs: number | null): Promise<void>;
  /** Withdraws the order of a deleted recording, and tells the operator who works on it. */
  withdraw(house: Pick<House, 'clock' | 'origin'>, tx: Orm, meetingId: string): Promise<void>;
  /** Queues the delivery of a transcript whose job was lost; whether there is one to deliver. */
  deliverAgain(house: Pick<House, 'clock'>, tx: Orm, meetingId: string): Promise<boolean>;
}
