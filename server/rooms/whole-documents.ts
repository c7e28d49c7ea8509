import { Problem } from '#shared/problems.ts';
import { DocumentFull } from '#sync/server/document.ts';
import { Refused } from '#sync/server/inspect.ts';
import { NobodyWaits, startThread, ThreadDesk, ThreadFailed, TookTooLong } from '#sync/server/thread.ts';
import type { Ctx } from '../context.ts';
import type { Given, Readings } from './whole-readings.ts';
import { run, type WholeTask, type Works } from './whole-works.ts';

/** Bytes of a transcript from which the way to another thread and back takes less time than the work. */
const longDocument = 128 * 1024;
const usual = { milliseconds: 120_000, megabytes: 1024 };
/** Answers that are made or wait, of everybody and of one person; further ones are refused. */
const most = 200;
const mostEach = 20;
const retryAfter = 5;

/** The one whom an answer is made for. */
export interface Asker {
  /** The person, or the address of somebody who is not signed in. */
  id: string;
  /** Tells that the request was given up. */
  gone?: AbortSignal | undefined;
}

export const askerOf = ({ person, address, gone }: Pick<Ctx, 'person' | 'address' | 'gone'>): Asker => ({
  id: person?.id ?? address,
  gone: gone?.(),
});

const sizeOf = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  return typeof value === 'object' && value !== null && 'state' in value ? sizeOf(value.state) : 0;
};

const deskFor = (name: string, limits: typeof usual): ThreadDesk<WholeTask> =>
  new ThreadDesk((options) => startThread('whole-documents-thread', import.meta.url, { ...options, name }), limits);

/**
 * Does the work on whole transcripts: of long ones in threads, because everybody would wait for it on this one. Answers
 * have a thread of their own, so that they do not wait for a transcript that is added.
 */
export class WholeDocuments {
  /** Bytes from which a transcript is long; tests move it. */
  long = longDocument;
  private readonly desk: ThreadDesk<WholeTask>;
  private readonly answers: ThreadDesk<WholeTask>;
  private waiting = 0;
  /** Number of tasks that a thread was given; tests check that long transcripts are. */
  given = 0;
  /** The same by kind of work, with answers. */
  readonly answered = new Map<string, number>();

  constructor(limits = usual) {
    this.desk = deskFor('whole documents', limits);
    this.answers = deskFor('answers', limits);
  }

  isLong(pieces: readonly Uint8Array[]): boolean {
    return sizeOf(pieces) >= this.long;
  }

  async do<Kind extends keyof Works>(kind: Kind, ...args: Parameters<Works[Kind]>): Promise<ReturnType<Works[Kind]>> {
    const task = { kind, with: args } as WholeTask;
    if (sizeOf(args) < this.long) return run(task) as ReturnType<Works[Kind]>;
    this.given += 1;
    this.count(kind);
    try {
      return (await this.desk.ask(task)) as ReturnType<Works[Kind]>;
    } catch (error) {
      if (error instanceof ThreadFailed && error.name === 'Refused') throw new Refused(error.message);
      if (error instanceof ThreadFailed && error.name === 'DocumentFull') throw new DocumentFull();
      if (error instanceof TookTooLong) throw notReady(error);
      throw error;
    }
  }

  /**
   * Makes an answer in a thread. People take turns, and what nobody waits for any more is not begun. `who`: null for a job,
   * which may always wait. Throws `ThreadFailed` where the bytes make no document.
   */
  answer<Kind extends keyof Readings>(
    who: Asker | null,
    pieces: readonly Uint8Array[],
    generation: number,
    kind: Kind,
    given: Given<Kind>,
  ): Promise<ReturnType<Readings[Kind]>> {
    const task = { kind: 'read', with: [pieces, generation, kind, given] } as WholeTask;
    return this.answerBy(who, kind, task) as Promise<ReturnType<Readings[Kind]>>;
  }

  /** The same for work that needs more than one document. */
  answerOf<Kind extends 'changesBy' | 'changesInstead'>(
    who: Asker,
    kind: Kind,
    ...args: Parameters<Works[Kind]>
  ): Promise<ReturnType<Works[Kind]>> {
    return this.answerBy(who, kind, { kind, with: args } as WholeTask) as Promise<ReturnType<Works[Kind]>>;
  }

  private async answerBy(who: Asker | null, kind: string, task: WholeTask): Promise<unknown> {
    if (who && (this.waiting >= most || this.answers.tasksOf(who.id) >= mostEach)) throw notReady();
    this.waiting += 1;
    this.count(kind);
    try {
      return await this.answers.ask(task, who?.id ?? '', who?.gone);
    } catch (error) {
      if (error instanceof NobodyWaits || error instanceof TookTooLong) throw notReady(error);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  private count(kind: string): void {
    this.answered.set(kind, (this.answered.get(kind) ?? 0) + 1);
  }

  async close(): Promise<void> {
    await Promise.all([this.desk.close(), this.answers.close()]);
  }
}

const notReady = (cause?: Error): Problem => new Problem('UNAVAILABLE', { retryAfter, cause });
