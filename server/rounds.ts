import type { Logger } from 'pino';

/** Runs `round` at intervals, never twice at once; `stop` waits for the one that is running. */
export function startRounds(every: number, round: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(round);
  }, every);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}

interface Each<T> {
  items: readonly T[];
  /** Line of the log for one that failed. */
  failure: string;
  work: (item: T) => Promise<unknown>;
  /** Whether a failure would be that of all others, too: they wait for the next round. */
  endsRound?: (error: unknown) => boolean;
}

/** Works on each by itself: one that fails is logged and stops no other. Answers what failed. */
export async function tryEach<T extends { id: string }>(
  { log }: { log: Logger },
  { items, failure, work, endsRound = () => false }: Each<T>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      log.warn({ err: error, id: item.id }, failure);
      failures.push(error);
      if (endsRound(error)) break;
    }
  }
  return failures;
}

/** The same, for a round that is tried again: throws in the end where anything failed. */
export async function workOnEach<T extends { id: string }>(house: { log: Logger }, each: Each<T>): Promise<void> {
  const failures = await tryEach(house, each);
  if (failures.length > 0) throw new AggregateError(failures, each.failure);
}
