import type { ClientWorld } from './provider.ts';

/** A socket that was opened before this module was loaded, with what it has received since. */
export interface BegunLine {
  socket: WebSocket;
  heard: unknown[];
  ending: { code: number; reason: string } | null;
  /** Ends the handlers of the code that opened it. */
  taken: AbortController;
}

/** The world of a page; `begun` may have a socket that is open already. */
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
      const receive = (data: unknown) => {
        if (data instanceof ArrayBuffer) events.message(new Uint8Array(data));
      };
      socket.addEventListener('open', () => events.open());
      socket.addEventListener('message', ({ data }) => receive(data));
      socket.addEventListener('close', ({ code, reason }) => events.closed(code, reason));
      line?.taken.abort();
      // Delivered before anything that comes from now on, and after the caller has its wire.
      if (line)
        queueMicrotask(() => {
          if (line.heard.length > 0 || socket.readyState === WebSocket.OPEN) events.open();
          for (const data of line.heard) receive(data);
          if (line.ending) events.closed(line.ending.code, line.ending.reason);
        });
      return {
        // A closing socket drops bytes silently; they are sent again on the next one.
        send: (bytes) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(new Uint8Array(bytes));
        },
        close: () => socket.close(),
      };
    },
    subscribe(callback) {
      const awake = () => callback('awake');
      const ending = new AbortController();
      const { signal } = ending;
      window.addEventListener('online', awake, { signal });
      window.addEventListener('offline', () => callback('offline'), { signal });
      window.addEventListener('pageshow', ({ persisted }) => persisted && awake(), { signal });
      document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && awake(), {
        signal,
      });
      // After the browser had frozen the page.
      document.addEventListener('resume', awake, { signal });
      return () => ending.abort();
    },
  };
}
