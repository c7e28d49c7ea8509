import { Problem } from '#shared/problems.ts';

/** Limit for one process; files sent in parts do not count. */
const mostAtOnce = 2;
const retryAfter = 10;

/**
 * Limits files sent within a meeting's form, which pass through this process: a few at once, the others are refused
 * unread.
 */
export class FilesAlong {
  private underWay = 0;

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay >= mostAtOnce) throw new Problem('UNAVAILABLE', { retryAfter });
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }
}
