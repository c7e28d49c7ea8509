import type { ClientWorld, News } from './provider.ts';

/** A socket that was opened before this was here, with what it has heard since. */
export interface BegunLine {
  socket: WebSocket;
  heard: unknown[];
  ending: { code: number; reason: string } | null;
  /** Ends the listening of whoever opened it. */
  taken: AbortController;
}

/** The world as a page has it; `begun` may have a line that is open already. */
export function browserWorld(begun: (path: string) => BegunLine | null = () => null): ClientWorld {
  const base = new URL('/sync/', window.location.href);
  base.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  return {
    now: () => performance.now(),
    random: () => Math.random(),
    later(ms, work) {
      const timer = setTimeout(work, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    connect(path, events) {
      const line = begun(path);
      const socket = line?.socket ?? new WebSocket(new URL(path, base));
      socket.binaryType = 'arraybuffer';
      const hear = (data: unknown) => {
        if (data instanceof ArrayBuffer) events.message(new Uint8Array(data));
      };
      socket.addEventListener('open', () => events.open());
      socket.addEventListener('message', ({ data }) => hear(data));
      socket.addEventListener('close', ({ code, reason }) => events.closed(code, reason));
      line?.taken.abort();
      // Before anything that comes from now on, and after whoever asks has the line in hand.
      if (line)
        queueMicrotask(() => {
          if (line.heard.length > 0 || socket.readyState === WebSocket.OPEN) events.open();
          for (const data of line.heard) hear(data);
          if (line.ending) events.closed(line.ending.code, line.ending.reason);
        });
      return {
        // A socket that is closing says nothing of what it drops; it is all sent again on the next one.
        send: (bytes) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(new Uint8Array(bytes));
        },
        close: () => socket.close(),
      };
    },
    listen(heard) {
      const say = (news: News) => () => heard(news);
      const seen = () => document.visibilityState === 'visible' && heard('awake');
      const ending = new AbortController();
      const { signal } = ending;
      window.addEventListener('online', say('awake'), { signal });
      window.addEventListener('offline', say('offline'), { signal });
      window.addEventListener('pageshow', ({ persisted }) => persisted && heard('awake'), { signal });
      document.addEventListener('visibilitychange', seen, { signal });
      // After the browser had frozen the page.
      document.addEventListener('resume', say('awake'), { signal });
      return () => ending.abort();
    },
  };
}
