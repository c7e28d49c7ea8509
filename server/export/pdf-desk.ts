import type { Page } from '#shared/formats/page.ts';
import { Problem } from '#shared/problems.ts';
import { startThread, ThreadDesk } from '#sync/server/thread.ts';

export type PdfPage = Extract<Page, { kind: 'pdf' }>;

const limits = { milliseconds: 120_000, megabytes: 512 };
/** PDFs that are written or wait, of everybody and of one person; further ones are refused. */
const most = 100;
const mostEach = 5;
const retryAfter = 5;

/**
 * Writes PDFs in a thread: fonts and the layout of a long transcript take a second of the processor. People take turns.
 */
export class PdfDesk {
  private readonly desk = new ThreadDesk<PdfPage | Uint8Array>(
    (options) => startThread('pdf-thread', import.meta.url, { ...options, name: 'pdf' }),
    limits,
  );
  private waiting = 0;

  /** `page`: also as `v8.serialize` makes it. `asker`: the person, or the address of somebody who is not signed in. */
  async write(page: PdfPage | Uint8Array, asker: string): Promise<Buffer> {
    if (this.waiting >= most || this.desk.tasksOf(asker) >= mostEach) throw new Problem('UNAVAILABLE', { retryAfter });
    this.waiting += 1;
    try {
      return Buffer.from((await this.desk.ask(page, asker)) as Uint8Array);
    } finally {
      this.waiting -= 1;
    }
  }

  close(): Promise<void> {
    return this.desk.close();
  }
}
