/** The database was too busy or did not answer; callers check the code. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  readonly code = 'NO_CONNECTION';
}

interface TurnstileOptions {
  places: number;
  /** Milliseconds to wait for a place. */
  wait: number;
  /** Called with the start time of work that takes too long. */
  overdue(since: number): void;
}

export interface Turnstile {
  /** Runs the work when a place is free. Callers wait at most `wait` plus `most` milliseconds. */
  pass<T>(work: () => Promise<T>, most: number, wait?: number): Promise<T>;
}

/** Limits how much work runs at a time, in order of arrival. A place is free only after its work has ended. */
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
    // Passes the place directly to the next in line, so that a newcomer cannot overtake.
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
