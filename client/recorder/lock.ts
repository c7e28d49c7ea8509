/** The one tab of this browser that has the sound of a meeting, be it to record or to send it. */
const lockOf = (meeting: string) => `colloquy-recorder-${meeting}`;

interface Held {
  release: () => void;
}

/** Takes the lock of a meeting, from another tab if need be; `lost` is called when another tab takes it. */
export function takeMeeting(meeting: string, lost: () => void): Promise<Held> {
  return request(meeting, { steal: true }, lost);
}

/** Waits for the lock of a meeting until no other tab has it; rejects when the signal aborts. */
export function awaitMeeting(meeting: string, signal: AbortSignal): Promise<Held> {
  return request(meeting, { signal }, () => {});
}

function request(meeting: string, options: LockOptions, lost: () => void): Promise<Held> {
  const { locks } = navigator as { locks?: LockManager };
  // Browsers without locks have one tab at most that records.
  if (!locks) return Promise.resolve({ release: () => {} });
  return new Promise((resolve, reject) => {
    const ending = new AbortController();
    const held = () =>
      new Promise<void>((done) => {
        ending.signal.addEventListener('abort', () => done());
        resolve({ release: () => ending.abort() });
      });
    locks.request(lockOf(meeting), options, held).catch((error: unknown) => {
      if (!ending.signal.aborted) lost();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}
