import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import type { Redis } from 'ioredis';

/** News of one room between processes. Losing any of it is harmless: the log has it. */
export type News =
  | { kind: 'row'; generation: number; seq: number; bytes: Uint8Array }
  | { kind: 'presence'; update: Uint8Array }
  | { kind: 'who' };

export interface Fanout {
  publish(room: string, news: News): void;
  listen(room: string): void;
  unlisten(room: string): void;
  close(): Promise<void>;
}

/** One process serves every room: nobody else is to be told. */
export const noFanout: Fanout = {
  publish: () => {},
  listen: () => {},
  unlisten: () => {},
  close: () => Promise.resolve(),
};

/** Bytes handed to Redis that it has not taken yet. */
const mostOnTheWay = 4 * 1024 * 1024;

const kinds = { row: 0, presence: 1, who: 2 } as const;
const channel = (room: string): string => `colloquy:room:${room}`;

/** Over Redis; each process hears its own news, too, and knows them by their sender. */
export function redisFanout(
  publisher: Redis,
  subscriber: Redis,
  self: string,
  hear: (room: string, news: News) => void,
): Fanout {
  subscriber.on('messageBuffer', (at: Buffer, payload: Buffer) => {
    const room = at.toString().slice(channel('').length);
    try {
      const decoder = decoding.createDecoder(payload);
      if (decoding.readVarString(decoder) === self) return;
      const kind = decoding.readVarUint(decoder);
      if (kind === kinds.row) {
        hear(room, {
          kind: 'row',
          generation: decoding.readVarUint(decoder),
          seq: decoding.readVarUint(decoder),
          bytes: decoding.readVarUint8Array(decoder),
        });
      } else if (kind === kinds.presence) hear(room, { kind: 'presence', update: decoding.readVarUint8Array(decoder) });
      else if (kind === kinds.who) hear(room, { kind: 'who' });
    } catch {
      // News that cannot be read is news that was lost.
    }
  });
  // Without Redis everything goes on; the other processes find what they missed in the log.
  const quietly = (promise: Promise<unknown>): void => void promise.catch(() => {});
  let onTheWay = 0;
  return {
    publish(room, news) {
      const payload = encoding.encode((encoder) => {
        encoding.writeVarString(encoder, self);
        encoding.writeVarUint(encoder, kinds[news.kind]);
        if (news.kind === 'row') {
          encoding.writeVarUint(encoder, news.generation);
          encoding.writeVarUint(encoder, news.seq);
          encoding.writeVarUint8Array(encoder, news.bytes);
        } else if (news.kind === 'presence') encoding.writeVarUint8Array(encoder, news.update);
      });
      // News that pile up before a Redis that takes none are worth less than the memory they take.
      if (publisher.status !== 'ready' || onTheWay > mostOnTheWay) return;
      onTheWay += payload.byteLength;
      quietly(
        publisher.publish(channel(room), Buffer.from(payload)).finally(() => {
          onTheWay -= payload.byteLength;
        }),
      );
    },
    listen: (room) => quietly(subscriber.subscribe(channel(room))),
    unlisten: (room) => quietly(subscriber.unsubscribe(channel(room))),
    close: () => {
      publisher.disconnect();
      subscriber.disconnect();
      return Promise.resolve();
    },
  };
}
