import { Problem } from '#shared/problems.ts';

/** Of a process, as much of it may be busy with them; who sends a file in parts waits for nobody. */
const mostAtOnce = 2;
const retryAfter = 10;

/** Files that come along with the form of their meeting go through this process: a few at once, and none of the rest is read. */
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
