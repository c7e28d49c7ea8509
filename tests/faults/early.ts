import type { RoomWorld } from '#sync/server/context.ts';
import { Rooms } from '#sync/server/rooms.ts';

/*
 * Loaded by a test before the house: rooms are told that a row is durable a while before it is on its way. What the
 * tests of crashes are for, they have to find in here.
 */
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
