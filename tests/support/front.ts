import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Front {
  origin: string;
  close(): void;
}

/** The proxy of docs/operations.md: `/sync/` goes to the sync processes in turn, the rest to the API. */
export async function openFront(behind: () => { api: number; sync: readonly number[] }): Promise<Front> {
  let turn = 0;
  const ask = (incoming: IncomingMessage) => {
    const { api, sync } = behind();
    const port = incoming.url?.startsWith('/sync/') ? sync[(turn += 1) % sync.length] : api;
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    return request({ host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers, agent: false });
  };
  const server: Server = createServer((incoming, outgoing) => {
    const asked = ask(incoming);
    asked.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    asked.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(asked);
  });
  const open = new Set<Duplex>();
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
    const asked = ask(incoming);
    const refuse = () => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    asked.on('error', refuse);
    asked.on('response', (answer) => {
      socket.end(
        `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    asked.on('upgrade', (answer, inner: Duplex, first: Buffer) => {
      const lines = answer.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(first);
      inner.write(head);
      inner.pipe(socket).pipe(inner);
      inner.on('close', () => socket.destroy()).on('error', () => socket.destroy());
      socket.on('close', () => inner.destroy());
    });
    asked.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
