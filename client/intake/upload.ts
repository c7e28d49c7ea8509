import { uploadTries, type PartView, type UploadInput } from '#shared/intake.ts';
import { Signal } from '#shared/signal.ts';

import { ApiError } from '../api.ts';

/** The calls and the clock an upload needs. */
export interface Around {
  begin(input: UploadInput, signal: AbortSignal): Promise<PartView>;
  /** The next missing part. With `part`, the server accepts that part only with this digest. */
  next(id: string, part: { offset: number; sha256: string } | undefined, signal: AbortSignal): Promise<PartView>;
  put(part: PartView, bytes: Blob, told: (sent: number) => void, signal: AbortSignal): Promise<void>;
  giveUp(id: string): Promise<void>;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

export interface Progress {
  state: 'going' | 'sent' | 'failed';
  /** Bytes sent. */
  sent: number;
  total: number;
  bytesPerSecond: number | null;
  secondsLeft: number | null;
  /** Cause of a failure. */
  error?: unknown;
}

export interface Upload {
  readonly file: File;
  progress(): Progress;
  subscribe(callback: () => void): () => void;
  /** Resolves to the upload's id once every part has arrived. */
  readonly done: Promise<string>;
  /** The id by which it can be resumed; null until the server's first answer. */
  readonly id: string | null;
  cancel(): Promise<void>;
}

/** Milliseconds over which the speed is measured. */
const window = 10_000;

/** Measures speed and remaining time from the bytes sent. */
function meter(total: number, now: () => number): (sent: number) => Omit<Progress, 'state'> {
  const samples: { at: number; sent: number }[] = [];
  return (sent) => {
    const at = now();
    samples.push({ at, sent });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > window) samples.shift();
    const [first] = samples;
    const seconds = first ? (at - first.at) / 1000 : 0;
    const moved = first ? sent - first.sent : 0;
    const bytesPerSecond = seconds >= 1 && moved > 0 ? moved / seconds : null;
    return { sent, total, bytesPerSecond, secondsLeft: bytesPerSecond && (total - sent) / bytesPerSecond };
  };
}

/** Sends a file in parts, with retries; resumes an interrupted upload by its id. */
export function sendFile(file: File, around: Around, resumed: string | null = null): Upload {
  const stop = new AbortController();
  const { signal } = stop;
  const changed = new Signal();
  const measured = meter(file.size, () => around.now());
  let id = resumed;
  let shown: Progress = { state: 'going', sent: 0, total: file.size, bytesPerSecond: null, secondsLeft: null };

  const show = (change: Partial<Progress>) => {
    shown = { ...shown, ...change };
    changed.emit();
  };
  const sentSoFar = (sent: number) => show(measured(sent));

  const begin = () => around.begin({ fileName: file.name, contentLength: file.size }, signal);
  /** Null where the server has deleted the upload meanwhile. */
  const goneOnWith = async (known: string): Promise<PartView | null> => {
    try {
      return await around.next(known, undefined, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || ![403, 404, 410].includes(error.status)) throw error;
      id = null;
      return null;
    }
  };

  async function work(): Promise<string> {
    const begun = (resumed === null ? null : await goneOnWith(resumed)) ?? (await begin());
    id = begun.multipartUploadId;
    // Bytes sent earlier do not count for the speed.
    sentSoFar(begun.received);
    let wanted = begun;
    for (let tries = 1; wanted.length > 0;) {
      const { offset, length } = wanted;
      const bytes = file.slice(offset, offset + length);
      let after: PartView;
      try {
        const sha256 = await digestOf(bytes);
        const asked = await around.next(id, { offset, sha256 }, signal);
        if (asked.offset === offset && asked.length > 0) {
          const received = asked.received;
          await around.put(asked, bytes, (sent) => sentSoFar(received + Math.min(sent, length)), signal);
          after = await around.next(id, undefined, signal);
        } else after = asked;
      } catch (error) {
        signal.throwIfAborted();
        if (tries === uploadTries.most) throw error;
        await around.pause(uploadTries.stepMs * tries, signal);
        after = wanted;
      }
      tries = after.offset === offset && after.length > 0 ? tries + 1 : 1;
      if (after !== wanted) sentSoFar(after.length === 0 ? file.size : after.received);
      // The server accepts the part and asks for it again.
      if (tries > uploadTries.most) throw new Error('a part of the file does not arrive');
      wanted = after;
    }
    return wanted.uploadId;
  }

  const done = work().then(
    (uploadId) => {
      show({ state: 'sent', sent: file.size, secondsLeft: 0 });
      return uploadId;
    },
    (error: unknown) => {
      if (!signal.aborted) show({ state: 'failed', bytesPerSecond: null, secondsLeft: null, error });
      throw error;
    },
  );
  // Not an unhandled rejection where nobody awaits it.
  done.catch(() => {});

  return {
    file,
    done,
    get id() {
      return id;
    },
    progress: () => shown,
    subscribe: changed.subscribe,
    async cancel() {
      stop.abort();
      await done.catch(() => {});
      if (id !== null) await around.giveUp(id).catch(() => {});
    },
  };
}

async function digestOf(bytes: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Milliseconds; a longer wait counts as a failure. */
const longestWait = 20_000;

/** Milliseconds before the next attempt; null where it would fail again. */
export function pauseBefore(error: unknown, tries: number): number | null {
  if (!(error instanceof ApiError) || tries >= uploadTries.most) return null;
  const { status, retryAfter = 0 } = error;
  if (status !== 0 && status !== 408 && status !== 429 && status < 500) return null;
  const wait = Math.max(uploadTries.stepMs * tries, retryAfter * 1000);
  return wait <= longestWait ? wait : null;
}

/** Sends a file in one piece with `post`, with the retries of a part. */
export async function sendWhole<Answer>(
  total: number,
  post: (told: (sent: number) => void, signal: AbortSignal) => Promise<Answer>,
  around: Pick<Around, 'pause' | 'now'>,
  show: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const measured = meter(total, () => around.now());
    // The form around the file counts as well.
    const told = (sent: number) => show({ state: 'going', ...measured(Math.min(sent, total)) });
    told(0);
    try {
      return await post(told, signal);
    } catch (error) {
      signal.throwIfAborted();
      const wait = pauseBefore(error, tries);
      if (wait === null) throw error;
      await around.pause(wait, signal);
    }
  }
}
