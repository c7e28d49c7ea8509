/**
 * Gathers what is asked while an answer is on its way into the next question: a crowd that comes back at once costs a few
 * statements, and nobody gets an answer that is older than their question. `most`: how many questions are on their way at a time.
 */
export function together<K, A>(ask: (asked: readonly K[]) => Promise<readonly A[]>, most = 1): (one: K) => Promise<A> {
  let waiting: { one: K; resolve(answer: A): void; reject(error: unknown): void }[] = [];
  let flying = 0;

  async function fly(): Promise<void> {
    // Other questions of this turn of the event loop join the first.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const answers = await ask(batch.map(({ one }) => one));
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as A);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flying -= 1;
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject });
      if (flying === most || waiting.length > 1) return;
      flying += 1;
      void fly();
    });
}
