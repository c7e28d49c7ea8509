import { ApiError } from '../api.ts';
import { ChunkError } from '../load.ts';

const longest = 4000;
const most = 5;
const per = 60_000;

/**
 * The report of an error: its name, message and place in our code. Quotations are left out, because they may hold
 * private text. Null for errors the server knows already, broken connections and aborts.
 */
export function described(error: unknown): string | null {
  if (error instanceof ApiError || error instanceof ChunkError) return null;
  // A thrown value that is no Error may hold anything: only its type is reported.
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  if (error.name === 'AbortError') return null;
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s*at .+:\d+:\d+\)?$|@\S+:\d+:\d+$/.test(line));
  return [`${error.name}: ${withoutQuotations(error.message)}`, ...places].join('\n').slice(0, longest);
}

/** Engines quote the JSON they cannot parse, the editor quotes text; a quotation may be cut off. */
const withoutQuotations = (message: string): string => message.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '"…"');

interface Reporting {
  send: (message: string) => Promise<unknown>;
  now: () => number;
}

/** Reports each error once, and few a minute, so that a failing page does not flood the server. */
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
    // A failed report is not reported, which would never end.
    send(message).catch(() => undefined);
  };
}

/** Reports uncaught errors. Events without an error come from extensions or a resize observer and are ignored. */
export function watchErrors(page: Pick<EventTarget, 'addEventListener'>, report: (error: unknown) => void): void {
  page.addEventListener('error', (event) => {
    if (event instanceof ErrorEvent && event.error !== null && event.error !== undefined) report(event.error);
  });
  page.addEventListener('unhandledrejection', (event) => {
    if (event instanceof PromiseRejectionEvent) report(event.reason);
  });
}
