import { expect, test } from 'vitest';
import { uploadTries, type PartView } from '#shared/intake.ts';
import { ApiError } from '../api.ts';
import { pauseBefore, sendFile, sendWhole, type Around, type Progress } from './upload.ts';

const partBytes = 100;
const file = new File([Uint8Array.from({ length: 350 }, (_, i) => i % 251)], 'talk.mp3');

/** A server that stores parts; `fate` decides what happens to each attempt. */
function server(fate: (offset: number, nth: number) => 'ok' | 'lost' | 'swallowed' = () => 'ok') {
  const parts = new Map<number, Uint8Array>();
  const sent: number[] = [];
  const pauses: number[] = [];
  let clock = 0;
  let gaveUp: string | null = null;
  const view = (): PartView => {
    let offset = 0;
    while (parts.has(offset)) offset += partBytes;
    const received = [...parts.values()].reduce((sum, { length }) => sum + length, 0);
    const length = Math.max(0, Math.min(partBytes, file.size - offset));
    return { multipartUploadId: 'u', uploadId: 'u', offset, length, url: '/part', headers: {}, received };
  };
  const around: Around = {
    begin: async () => view(),
    next: async () => view(),
    put: async ({ offset }, bytes, told) => {
      sent.push(offset);
      clock += 2000;
      told(bytes.size / 2);
      const end = fate(offset, sent.filter((one) => one === offset).length);
      if (end === 'lost') throw new Error('the line broke');
      // The part arrived, but the answer did not.
      parts.set(offset, new Uint8Array(await bytes.arrayBuffer()));
      if (end === 'swallowed') throw new Error('no answer');
    },
    giveUp: async (id) => void (gaveUp = id),
    pause: async (ms, signal) => {
      pauses.push(ms);
      signal.throwIfAborted();
    },
    now: () => clock,
  };
  const whole = () => Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes));
  return { around, parts, sent, pauses, whole, gaveUp: () => gaveUp };
}

const content = async () => Buffer.from(await file.arrayBuffer());

test('a file arrives whole, in parts, each sent once, with progress and speed', async () => {
  const { around, sent, whole } = server();
  const upload = sendFile(file, around);
  const seen: number[] = [];
  upload.subscribe(() => seen.push(upload.progress().sent));
  expect(await upload.done).toBe('u');
  expect(sent).toEqual([0, 100, 200, 300]);
  expect(whole().equals(await content())).toBe(true);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(upload.progress()).toMatchObject({ state: 'sent', sent: 350, total: 350, secondsLeft: 0 });
  expect(upload.progress().bytesPerSecond).toBeGreaterThan(30);
});

test('a part that is lost is sent again, later each time; one whose answer is lost is not', async () => {
  const { around, sent, pauses, whole } = server((offset, nth) =>
    offset === 100 && nth < 4 ? 'lost' : offset === 200 && nth === 1 ? 'swallowed' : 'ok',
  );
  await sendFile(file, around).done;
  expect(sent).toEqual([0, 100, 100, 100, 100, 200, 300]);
  expect(pauses).toEqual([3000, 6000, 9000, 3000]);
  expect(whole().equals(await content())).toBe(true);
});

test('after five tries of one part it has failed', async () => {
  const { around, sent } = server((offset) => (offset === 100 ? 'lost' : 'ok'));
  const upload = sendFile(file, around);
  await expect(upload.done).rejects.toThrow('the line broke');
  expect(sent.filter((offset) => offset === 100)).toHaveLength(uploadTries.most);
  expect(upload.progress().state).toBe('failed');
});

test('an interrupted upload is resumed where it stopped', async () => {
  const { around, parts, sent, whole } = server();
  parts.set(0, new Uint8Array(await file.slice(0, 100).arrayBuffer()));
  parts.set(100, new Uint8Array(await file.slice(100, 200).arrayBuffer()));
  expect(await sendFile(file, around, 'u').done).toBe('u');
  expect(sent).toEqual([200, 300]);
  expect(whole().equals(await content())).toBe(true);
});

test.each([403, 404, 410])('an upload that the server has deleted (%i) starts again', async (status) => {
  const { around, sent, whole } = server();
  const next: Around['next'] = async (id, part, signal) => {
    if (id === 'gone') throw new ApiError({ status, code: 'NO_ACCESS', message: '', requestId: 'r' });
    return around.next(id, part, signal);
  };
  const upload = sendFile(file, { ...around, next }, 'gone');
  expect(await upload.done).toBe('u');
  expect([upload.id, sent]).toEqual(['u', [0, 100, 200, 300]]);
  expect(whole().equals(await content())).toBe(true);
});

test('a broken network does not discard an upload to resume', async () => {
  const { around, sent } = server();
  const next: Around['next'] = () => {
    throw new ApiError({ status: 0, code: 'NETWORK', message: '', requestId: 'r' });
  };
  const upload = sendFile(file, { ...around, next }, 'u');
  await expect(upload.done).rejects.toThrow();
  expect([upload.id, sent]).toEqual(['u', []]);
});

test('a cancelled upload shows no failure and is deleted at the server', async () => {
  const { around, gaveUp } = server((offset) => (offset === 100 ? 'lost' : 'ok'));
  const upload = sendFile(file, {
    ...around,
    pause: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await upload.cancel();
  expect(upload.progress().state).toBe('going');
  expect(gaveUp()).toBe('u');
});

const refused = (status: number, retryAfter?: number) =>
  new ApiError({ status, code: 'CODE', message: '', requestId: 'r', retryAfter });

test('only failures that may pass are retried, with growing pauses', () => {
  expect([0, 408, 429, 500, 503].map((status) => pauseBefore(refused(status), 2))).toEqual(Array(5).fill(6000));
  expect([401, 409, 413, 422].map((status) => pauseBefore(refused(status), 1))).toEqual(Array(4).fill(null));
  expect(pauseBefore(refused(503), uploadTries.most)).toBeNull();
  expect([pauseBefore(refused(429, 9), 1), pauseBefore(refused(429, 3600), 1)]).toEqual([9000, null]);
  expect(pauseBefore(new Error('of ours'), 1)).toBeNull();
});

test('a file in one piece is retried like a part, with progress', async () => {
  const { around, pauses } = server();
  const shown: Progress[] = [];
  const { signal } = new AbortController();
  let tries = 0;
  const answer = await sendWhole(
    350,
    async (told) => {
      told(200);
      // The form around the file has a size as well.
      told(1000);
      tries += 1;
      if (tries < uploadTries.most) throw refused(503);
      return 'made';
    },
    around,
    (progress) => shown.push(progress),
    signal,
  );
  expect([answer, tries, pauses]).toEqual(['made', 5, [3000, 6000, 9000, 12_000]]);
  expect(shown.slice(0, 3).map(({ state, sent, total }) => [state, sent, total])).toEqual([
    ['going', 0, 350],
    ['going', 200, 350],
    ['going', 350, 350],
  ]);
});

test('cancelling a file in one piece ends at once, without a retry', async () => {
  const { around } = server();
  const leaving = new AbortController();
  let tries = 0;
  const sent = sendWhole(
    350,
    async () => {
      tries += 1;
      leaving.abort(new Error('left'));
      throw refused(503);
    },
    around,
    () => {},
    leaving.signal,
  );
  await expect(sent).rejects.toThrow('left');
  expect(tries).toBe(1);
});
