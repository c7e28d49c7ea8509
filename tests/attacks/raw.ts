import { connect } from 'node:net';

export interface Heard {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** All bytes as received. */
  text: string;
}

/**
 * Speaks to a port without any help, and reads until the other side closes or `until` arrives. What is sent may come
 * in pieces, with something to wait for in between.
 */
export function speak(
  port: number,
  pieces: string | AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
  until?: RegExp,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    let text = '';
    let failure: NodeJS.ErrnoException | undefined;
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (part: Buffer) => {
      text += part.toString('latin1');
      if (until?.test(text)) socket.destroy();
    });
    socket.on('error', (error) => (failure = error));
    socket.on('close', () => {
      if (text === '' && failure && failure.code !== 'ECONNRESET') reject(failure);
      else resolve(heard(text));
    });
    socket.on('connect', () => {
      const write = async () => {
        for await (const piece of typeof pieces === 'string' ? [pieces] : pieces) {
          if (socket.destroyed) return;
          socket.write(piece);
        }
      };
      write().catch(reject);
    });
  });
}

/** The first answer in the received bytes. */
function heard(text: string): Heard {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text };
}
