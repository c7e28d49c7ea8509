import type { TakeMessage } from '#shared/recorder.ts';

interface TakeEvents {
  said: (message: TakeMessage) => void;
  closed: (code: number) => void;
}

/** Opens the socket that brings the pieces of a take to the server. */
export function openTakeLine(take: string, { said, closed }: TakeEvents) {
  const address = new URL(`/sync/take/${take}`, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address);
  socket.addEventListener('message', ({ data }) => said(JSON.parse(String(data)) as TakeMessage));
  socket.addEventListener('close', ({ code }) => closed(code));
  return {
    send(message: string | Uint8Array<ArrayBuffer>): void {
      // A closing socket drops bytes silently; they are sent again on the next one.
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    close: () => socket.close(),
  };
}
