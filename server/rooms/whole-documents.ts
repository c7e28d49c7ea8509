import { Refused } from '#sync/server/inspect.ts';
import { startThread, ThreadDesk, ThreadFailed } from '#sync/server/thread.ts';
import { run, type WholeTask, type Works } from './whole-works.ts';

/** Bytes of a transcript from which the way to another thread and back takes less time than the work. */
export const longDocument = 128 * 1024;
const limits = { milliseconds: 120_000, megabytes: 1024 };

const sizeOf = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  return typeof value === 'object' && value !== null && 'state' in value ? sizeOf(value.state) : 0;
};

/** Does the work on whole transcripts: of long ones in a thread, because everybody would wait for it on this one. */
export class WholeDocuments {
  private readonly desk = new ThreadDesk<WholeTask>(
    (options) => startThread('whole-documents-thread', import.meta.url, { ...options, name: 'whole documents' }),
    limits,
  );
  /** Number of tasks that a thread was given; tests check that long transcripts are. */
  given = 0;

  async do<Kind extends keyof Works>(kind: Kind, ...args: Parameters<Works[Kind]>): Promise<ReturnType<Works[Kind]>> {
    const task = { kind, with: args } as WholeTask;
    if (sizeOf(args) < longDocument) return run(task) as ReturnType<Works[Kind]>;
    this.given += 1;
    try {
      return (await this.desk.ask(task)) as ReturnType<Works[Kind]>;
    } catch (error) {
      if (error instanceof ThreadFailed && error.name === 'Refused') throw new Refused(error.message);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.desk.close();
  }
}
