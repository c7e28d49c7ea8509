/** Object a test waits on: whatever changes it calls `wake`. */
export abstract class Waiting {
  private readonly waiters = new Set<() => void>();

  protected wake(): void {
    for (const waiter of this.waiters) waiter();
  }

  /** Resolves when the condition holds; the limit of the test bounds the wait. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        this.waiters.delete(look);
        resolve();
      };
      this.waiters.add(look);
      look();
    });
  }
}
