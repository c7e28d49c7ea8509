import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Waiting } from './waiting.ts';

/** One WebSocket frame as sent; fields not given follow RFC 6455 for a client. */
interface RawFrame {
  opcode?: number;
  fin?: boolean;
  /** The three reserved bits, as a number from 0 to 7. */
  reserved?: number;
  masked?: boolean;
  payload?: Uint8Array;
  /** False length for the header. */
  claims?: number;
}

export const opcode = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

export function encodeFrame(given: RawFrame): Buffer {
  const { opcode: kind = opcode.binary, fin = true, reserved = 0, masked = true, payload = Buffer.alloc(0) } = given;
  const length = given.claims ?? payload.byteLength;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | (reserved << 4) | kind;
  head[1] = (masked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  if (!masked) return Buffer.concat([head, payload]);
  const body = Buffer.from(payload);
  for (let i = 0; i < body.length; i += 1) body[i] = (body[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return Buffer.concat([head, mask, body]);
}

export interface Upgrade {
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  /** Complete request, instead of one built from the fields above. */
  request?: string;
}

/**
 * A WebSocket client without any behaviour of its own: it sends any bytes at any time, answers no ping and no close,
 * and keeps everything it receives in order.
 */
export class RawSocket extends Waiting {
  /** Status of the answer to the upgrade; 101 when it was accepted. */
  status = 0;
  head = '';
  /** Payloads of data frames. */
  readonly heard: Buffer[] = [];
  pings = 0;
  pongs = 0;
  /** Code of the server's close; 1005 for a close without one. */
  closeCode: number | null = null;
  /** Whether the connection has ended. */
  ended = false;
  /** Bytes received in all. */
  received = 0;

  readonly socket: Socket;
  private pending: Buffer = Buffer.alloc(0);
  private upgraded = false;

  private constructor(socket: Socket) {
    super();
    this.socket = socket;
    socket.on('data', (part: Buffer) => {
      this.received += part.byteLength;
      this.pending = this.pending.length > 0 ? Buffer.concat([this.pending, part]) : part;
      if (!this.upgraded) this.readHead();
      if (this.upgraded) this.readFrames();
      this.wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  /** Resolves with the answer to the upgrade, accepted or not. */
  static async open(port: number, { path, headers = {}, request }: Upgrade): Promise<RawSocket> {
    const raw = new RawSocket(connect(port, '127.0.0.1'));
    const all = {
      Host: `127.0.0.1:${port}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    raw.socket.write(request ?? `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    await raw.until(() => raw.status !== 0 || raw.ended);
    if (raw.status !== 101 && !raw.ended) raw.socket.end();
    return raw;
  }

  private readHead(): void {
    const end = this.pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    this.head = this.pending.subarray(0, end).toString('latin1');
    this.pending = this.pending.subarray(end + 4);
    this.status = Number(this.head.split(' ')[1] ?? 0);
    this.upgraded = this.status === 101;
  }

  private readFrames(): void {
    for (;;) {
      const { pending } = this;
      if (pending.length < 2) return;
      const short = (pending[1] ?? 0) & 127;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (pending.length < start) return;
      const length = short < 126 ? short : short === 126 ? pending.readUInt16BE(2) : Number(pending.readBigUInt64BE(2));
      if (pending.length < start + length) return;
      const payload = pending.subarray(start, start + length);
      this.pending = pending.subarray(start + length);
      const kind = (pending[0] ?? 0) & 15;
      if (kind === opcode.ping) this.pings += 1;
      else if (kind === opcode.pong) this.pongs += 1;
      else if (kind === opcode.close) this.closeCode ??= payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      else this.heard.push(Buffer.from(payload));
    }
  }

  /** Sends one message. */
  send(payload: Uint8Array): void {
    this.write(encodeFrame({ payload }));
  }

  frame(frame: RawFrame): void {
    this.write(encodeFrame(frame));
  }

  /** Writes bytes unchanged; false when the other side takes them too slowly. */
  write(bytes: Uint8Array): boolean {
    return this.socket.destroyed || this.socket.write(bytes);
  }

  async drained(): Promise<void> {
    if (this.socket.destroyed || !this.socket.writableNeedDrain) return;
    await Promise.race([once(this.socket, 'drain'), once(this.socket, 'close')]).catch(() => {});
  }

  get closed(): boolean {
    return this.closeCode !== null || this.ended;
  }

  /** Resolves with the code of the close; 0 when the connection just ended. */
  async untilClosed(): Promise<number> {
    await this.until(() => this.closed);
    return this.closeCode ?? 0;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
