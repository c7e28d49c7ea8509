import { ApiError } from '../api.ts';
import { ChunkError } from '../load.ts';

const longest = 4000;
const most = 5;
const per = 60_000;

/**
 * What of an error may leave the browser: what went wrong and where in our code. What an error quotes may be what
 * somebody wrote or keeps private, so quotations stay here. Null for what the server knows already, for connections
 * that broke, and for what was called off.
 */
export function described(error: unknown): string | null {
  if (error instanceof ApiError || error instanceof ChunkError) return null;
  // Anything can be thrown; of what is no error only the kind is told.
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  if (error.name === 'AbortError') return null;
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s*at .+:\d+:\d+\)?$|@\S+:\d+:\d+$/.test(line));
  return [`${error.name}: ${withoutQuotations(error.message)}`, ...places].join('\n').slice(0, longest);
}

/** An engine quotes the JSON it cannot parse, an editor the text that does not fit; a quotation may also be cut off. */
const withoutQuotations = (message: string): string => message.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '"…"');

export interface Reporting {
  send: (message: string) => Promise<unknown>;
  now: () => number;
}

/** Reports each thing once, and only a few a minute: a page that breaks over and over breaks nothing else. */
export function createReporter({ send, now }: Reporting): (error: unknown) => void {
  const said = new Set<string>();
  let times: number[] = [];
  return (error) => {
    const message = described(error);
    if (message === null || said.has(message)) return;
    times = times.filter((time) => now() - time < per);
    if (times.length >= most) return;
    times.push(now());
    said.add(message);
    // A report that fails is not reported: that would never end.
    send(message).catch(() => undefined);
  };
}

/** What nobody caught. An event without its error is no fault of ours: a script of an extension, a resized box. */
export function watchErrors(page: Pick<EventTarget, 'addEventListener'>, report: (error: unknown) => void): void {
  page.addEventListener('error', (event) => {
    if (event instanceof ErrorEvent && event.error !== null && event.error !== undefined) report(event.error);
  });
  page.addEventListener('unhandledrejection', (event) => {
    if (event instanceof PromiseRejectionEvent) report(event.reason);
  });
}
