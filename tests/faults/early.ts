import type { RoomWorld } from '#sync/server/context.ts';
import { Rooms } from '#sync/server/rooms.ts';

// Loaded by a test before the server: rooms are told that a row is durable a while before it is sent to the database.
// The tests of crashes have to notice this fault.
const rooms = Rooms.prototype as unknown as { makeWorld(): RoomWorld };
const { makeWorld } = rooms;
rooms.makeWorld = function () {
  const honest = makeWorld.call(this);
  const last = new Map<string, Promise<number>>();
  return {
    ...honest,
    log: {
      ...honest.log,
      append: (row) => {
        const next = (last.get(row.room) ?? honest.lastSeq(row.room)).then((seq) => seq + 1);
        last.set(row.room, next);
        setTimeout(() => void honest.log.append(row).catch(() => {}), 1500);
        return next;
      },
    },
  };
};
