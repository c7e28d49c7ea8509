import { parseResponse } from 'hono/client';

import { openTakeLine } from '#sync/client/take-line.ts';

import { ApiError, putPiece, type Api } from '../api.ts';
import { TakeRefused, type SendTrouble } from './piece-sender.ts';
import type { RecorderWorld } from './recorder.ts';
import { openSource } from './sound.ts';

function whyNot(error: unknown): SendTrouble {
  if (!(error instanceof ApiError)) return 'network';
  const { status, info } = error;
  switch (info['reason']) {
    case 'RECORDING_ELSEWHERE':
      return 'elsewhere';
    case 'RECORDING_ENDED':
      return 'late';
  }
  if (status === 401) return 'login';
  if (status === 403 || status === 404) return 'access';
  if (status === 507) return 'disk';
  // Too many requests, or a server that is being restarted.
  if (status === 0 || status === 429 || status >= 500) return 'network';
  return 'refused';
}

async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new TakeRefused(whyNot(error), error);
  }
}

/** Page services for a recorder. */
export function recorderWorld(api: Api): RecorderWorld {
  return {
    now: () => performance.now(),
    random: Math.random,
    later(ms, work) {
      const timer = setTimeout(work, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    open: openSource,
    connect: openTakeLine,
    async begin({ meeting, track, type, offset }, takeOver) {
      const json = { track, type, offset, ...(takeOver && { takeOver }) };
      const { take } = await asking(parseResponse(api.meetings[':id'].takes.$post({ param: { id: meeting }, json })));
      return take;
    },
    put: (take, { n, bytes }) => asking(putPiece(take, n, bytes)),
    putLast: (take, { n, bytes }) => void putPiece(take, n, bytes, true).catch(() => {}),
    async end(take, pieces) {
      await asking(parseResponse(api.takes[':take'].end.$post({ param: { take }, json: { pieces } })));
    },
    async say(id, what) {
      const calls = api.meetings[':id'].live;
      await asking(parseResponse(calls[what].$post({ param: { id } })));
    },
    stayAwake() {
      let lock: WakeLockSentinel | null = null;
      let over = false;
      const ask = () => {
        if (over || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
        navigator.wakeLock.request('screen').then(
          (got) => {
            if (over) void got.release();
            else lock = got;
          },
          // Without it, the screen may go dark, and the recording continues where the system lets it.
          () => {},
        );
      };
      ask();
      // The browser takes it back whenever the page is hidden.
      document.addEventListener('visibilitychange', ask);
      return () => {
        over = true;
        document.removeEventListener('visibilitychange', ask);
        void lock?.release().catch(() => {});
      };
    },
  };
}
