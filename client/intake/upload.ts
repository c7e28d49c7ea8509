import { uploadTries, type PartView, type UploadInput } from '#shared/intake.ts';

/** What an upload needs of the world. */
export interface Around {
  begin(input: UploadInput, signal: AbortSignal): Promise<PartView>;
  /** The next part that is missing; told the digest of the one that is about to be sent, it is taken only if it arrives like that. */
  next(id: string, part: { offset: number; sha256: string } | undefined, signal: AbortSignal): Promise<PartView>;
  put(part: PartView, bytes: Blob, told: (sent: number) => void, signal: AbortSignal): Promise<void>;
  giveUp(id: string): Promise<void>;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

export interface Progress {
  state: 'going' | 'sent' | 'failed';
  /** Bytes that have left, of those of the file. */
  sent: number;
  total: number;
  bytesPerSecond: number | null;
  secondsLeft: number | null;
}

export interface Upload {
  readonly file: File;
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  /** The upload's id, once all of it is there. */
  readonly done: Promise<string>;
  /** Known as soon as the server knows of it: by this id it can be gone on with. */
  readonly id: string | null;
  cancel(): Promise<void>;
}

/** What was sent longer ago says nothing of how fast it is now. */
const window = 10_000;

/** Sends a file in parts, each as often as it takes, and goes on with one that was interrupted where it stopped. */
export function sendFile(file: File, around: Around, resumed: string | null = null): Upload {
  const stop = new AbortController();
  const { signal } = stop;
  const listeners = new Set<() => void>();
  const samples: { at: number; sent: number }[] = [];
  let id = resumed;
  let shown: Progress = { state: 'going', sent: 0, total: file.size, bytesPerSecond: null, secondsLeft: null };

  const show = (change: Partial<Progress>) => {
    shown = { ...shown, ...change };
    for (const listener of listeners) listener();
  };
  const sentSoFar = (sent: number) => {
    const at = around.now();
    samples.push({ at, sent });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > window) samples.shift();
    const [first] = samples;
    const seconds = first ? (at - first.at) / 1000 : 0;
    const moved = first ? sent - first.sent : 0;
    const bytesPerSecond = seconds >= 1 && moved > 0 ? moved / seconds : null;
    show({ sent, bytesPerSecond, secondsLeft: bytesPerSecond && (file.size - sent) / bytesPerSecond });
  };

  async function work(): Promise<string> {
    const begun = await (id === null
      ? around.begin({ fileName: file.name, contentLength: file.size }, signal)
      : around.next(id, undefined, signal));
    id = begun.multipartUploadId;
    // What was there already was not sent just now.
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
      // It arrived, they say, and yet it is wanted again and again.
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
      if (!signal.aborted) show({ state: 'failed', bytesPerSecond: null, secondsLeft: null });
      throw error;
    },
  );
  // Whoever waits for it hears of it; nobody has to.
  done.catch(() => {});

  return {
    file,
    done,
    get id() {
      return id;
    },
    progress: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
