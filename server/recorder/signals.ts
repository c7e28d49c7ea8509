import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import type { StopReason } from '#shared/recorder.ts';

/** Notification to the sockets of takes, in all processes: of one take, or of all takes of a meeting. */
export type TakeSignal = { stop: StopReason } & ({ meeting: string } | { take: string });

export const takeChannel = 'colloquy_takes';

/** Sent with the commit of the transaction. */
export const tellTakes = (tx: Orm, signal: TakeSignal) =>
  tx.execute(sql`select pg_notify(${takeChannel}, ${JSON.stringify(signal)})`);
