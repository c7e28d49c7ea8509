import type { ClientWorld, News } from './provider.ts';

/** The world as a page has it. */
export function browserWorld(): ClientWorld {
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
      const socket = new WebSocket(new URL(path, base));
      socket.binaryType = 'arraybuffer';
      socket.addEventListener('open', () => events.open());
      socket.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer) events.message(new Uint8Array(data));
      });
      socket.addEventListener('close', ({ code, reason }) => events.closed(code, reason));
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
