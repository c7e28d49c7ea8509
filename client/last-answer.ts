import { ApiError } from './api.ts';

/** Milliseconds to wait for an answer where a stored one can be shown. */
const patience = 3_000;

/**
 * The answer of the server; while it is out of reach, the stored one. `late` is called with an answer that came after
 * the stored one was used.
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

/** No answer, or a proxy's answer for a server that is down. */
const isAway = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502);

/** Answers of repeated requests for one thing, which may arrive in another order than they were asked for. */
export class AnswersInOrder {
  private asked = 0;
  private used = 0;

  /** Begins a request; returns whether its answer may be used when it arrives: not after that of a later request. */
  ask(): () => boolean {
    this.asked += 1;
    const mine = this.asked;
    return () => {
      if (mine < this.used) return false;
      this.used = mine;
      return true;
    };
  }
}
