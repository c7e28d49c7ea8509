import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** One that nobody listens on, for programs that have to be told. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
