import { ApiError } from './api.ts';

/** How long an answer is waited for where an older one is at hand. */
const patience = 3_000;

/**
 * The answer; or, while the server is out of reach, what this browser kept of the last one. `late` hears of an answer
 * that came after all.
 */
export function answerOr<T>(asked: Promise<T>, kept: T | undefined, late: (answer: T) => void): Promise<T> {
  if (kept === undefined) return asked;
  return new Promise((resolve, reject) => {
    let waiting = true;
    const settle = (work: () => void) => {
      if (waiting) work();
      waiting = false;
      clearTimeout(timer);
    };
    const timer = setTimeout(() => settle(() => resolve(kept)), navigator.onLine ? patience : 0);
    asked.then(
      (answer) => (waiting ? settle(() => resolve(answer)) : late(answer)),
      (error: unknown) => settle(() => (isAway(error) ? resolve(kept) : reject(error))),
    );
  });
}

/** No answer at all, or one of whoever stands before a server that is away. */
const isAway = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502);
