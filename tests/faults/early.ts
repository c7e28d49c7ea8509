import type { RoomWorld } from '#sync/server/context.ts';
import { Rooms } from '#sync/server/rooms.ts';

// Loaded by a test before the server: rooms are told that a row is durable a while before it is sent to the database.
// The tests of crashes have to notice this fault.
const rooms = Rooms.prototype as unknown as { world(): RoomWorld };
const { world } = rooms;
rooms.world = function () {
  const honest = world.call(this);
  let last: Promise<number> | null = null;
  return {
    ...honest,
    log: {
      ...honest.log,
      append: (row) => {
        last = (last ?? honest.lastSeq(row.room)).then((seq) => seq + 1);
        setTimeout(() => void honest.log.append(row).catch(() => {}), 1500);
        return last;
      },
    },
  };
};
