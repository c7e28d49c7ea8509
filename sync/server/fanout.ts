import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import type { Redis } from 'ioredis';

/** A message about one room between processes. Losing one is harmless: the log has every row. */
export type RoomMessage =
  | { kind: 'row'; generation: number; seq: number; bytes: Uint8Array }
  | { kind: 'presence'; update: Uint8Array }
  | { kind: 'who' };

export interface Fanout {
  publish(room: string, message: RoomMessage): void;
  listen(room: string): void;
  unlisten(room: string): void;
  close(): Promise<void>;
}

/** For one process that serves every room: there is no other to publish to. */
export const noFanout: Fanout = {
  publish: () => {},
  listen: () => {},
  unlisten: () => {},
  close: () => Promise.resolve(),
};

/** Most bytes handed to Redis that it has not taken yet. */
const mostOnTheWay = 4 * 1024 * 1024;

const kinds = { row: 0, presence: 1, who: 2 } as const;
const channel = (room: string): string => `colloquy:room:${room}`;

/** Over Redis, which sends each process its own messages, too: they are known by their sender. */
export function redisFanout(
  publisher: Redis,
  subscriber: Redis,
  self: string,
  receive: (room: string, message: RoomMessage) => void,
): Fanout {
  subscriber.on('messageBuffer', (at: Buffer, payload: Buffer) => {
    const room = at.toString().slice(channel('').length);
    try {
      const decoder = decoding.createDecoder(payload);
      if (decoding.readVarString(decoder) === self) return;
      const kind = decoding.readVarUint(decoder);
      if (kind === kinds.row) {
        receive(room, {
          kind: 'row',
          generation: decoding.readVarUint(decoder),
          seq: decoding.readVarUint(decoder),
          bytes: decoding.readVarUint8Array(decoder),
        });
      } else if (kind === kinds.presence)
        receive(room, { kind: 'presence', update: decoding.readVarUint8Array(decoder) });
      else if (kind === kinds.who) receive(room, { kind: 'who' });
    } catch {
      // A message that cannot be read counts as lost.
    }
  });
  // Without Redis nothing stops; the other processes find what they missed in the log.
  const quietly = (promise: Promise<unknown>): void => void promise.catch(() => {});
  let onTheWay = 0;
  // A subscription that was under way when the line broke is gone with it, so all are made anew on each line.
  const rooms = new Set<string>();
  const subscribe = (some: Iterable<string>) => {
    const channels = [...some].map(channel);
    if (subscriber.status === 'ready' && channels.length > 0) quietly(subscriber.subscribe(...channels));
  };
  subscriber.on('ready', () => subscribe(rooms));
  return {
    publish(room, message) {
      const payload = encoding.encode((encoder) => {
        encoding.writeVarString(encoder, self);
        encoding.writeVarUint(encoder, kinds[message.kind]);
        if (message.kind === 'row') {
          encoding.writeVarUint(encoder, message.generation);
          encoding.writeVarUint(encoder, message.seq);
          encoding.writeVarUint8Array(encoder, message.bytes);
        } else if (message.kind === 'presence') encoding.writeVarUint8Array(encoder, message.update);
      });
      // Messages that pile up before a Redis that takes none are worth less than the memory they take.
      if (publisher.status !== 'ready' || onTheWay > mostOnTheWay) return;
      onTheWay += payload.byteLength;
      quietly(
        publisher.publish(channel(room), Buffer.from(payload)).finally(() => {
          onTheWay -= payload.byteLength;
        }),
      );
    },
    listen: (room) => {
      rooms.add(room);
      subscribe([room]);
    },
    unlisten: (room) => {
      rooms.delete(room);
      if (subscriber.status === 'ready') quietly(subscriber.unsubscribe(channel(room)));
    },
    close: () => {
      publisher.disconnect();
      subscriber.disconnect();
      return Promise.resolve();
    },
  };
}
