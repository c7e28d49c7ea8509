/** The database was too busy, or did not answer. The code is what callers go by. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  readonly code = 'NO_CONNECTION';
}

export interface TurnstileOptions {
  places: number;
  /** Milliseconds to wait for a place. */
  wait: number;
  /** Told, with the time it began, of work that goes on for longer than any should. */
  overdue(since: number): void;
}

export interface Turnstile {
  /** Does the work when there is a place for it. Nobody is kept waiting for longer than `wait` and `most` milliseconds. */
  pass<T>(work: () => Promise<T>, most: number, wait?: number): Promise<T>;
}

/** So much work at a time, first come first served. A place is free again only when its work has really ended. */
export function createTurnstile({ places, wait, overdue }: TurnstileOptions): Turnstile {
  let free = places;
  const waiting = new Set<() => void>();

  const turn = (patience: number) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(new NoConnection('no connection to the database came free in time'));
      }, patience);
      waiting.add(go);
    });

  const leave = () => {
    // Handed over, not given back: whoever comes in this very moment waits behind those who wait already.
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };

  return {
    async pass(work, most, patience = wait) {
      if (free > 0) free -= 1;
      else await turn(patience);
      const since = performance.now();
      const done = work().finally(leave);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new NoConnection('the database did not answer in time'));
          overdue(since);
        }, most);
        void done.then(resolve, reject).finally(() => clearTimeout(timer));
      });
    },
  };
}
