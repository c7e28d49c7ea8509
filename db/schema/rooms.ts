import { sql } from 'drizzle-orm';
import { bigint, customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';
import { layers } from './reviews.ts';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const when = (name: string) => timestamp(name, { withTimezone: true });
const count = (name: string) => bigint(name, { mode: 'number' });

/**
 * Rooms, one Yjs document each: `<meeting>/transcript`, `<meeting>/outcomes`, `<meeting>/comments`,
 * `<meeting>/notes/<person>`, `<meeting>/layer/<layer>`. Appends lock the row: the holder of the lock assigns the next numbers of the log.
 */
export const rooms = pgTable(
  'rooms',
  {
    name: text('name').primaryKey(),
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    part: text('part').notNull(),
    /** The owner of a room that belongs to one person. */
    ownerId: text('owner_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The layer of a review whose room it is. */
    layerId: text('layer_id').references(() => layers.id, { onDelete: 'cascade' }),
    /** Replacing or restoring a document starts a new one; logs of two generations are never mixed. */
    generation: integer('generation').notNull().default(1),
    /** The number of the last row of this generation's log. */
    seq: count('seq').notNull().default(0),
    /** Number of rows in the logs of all earlier generations: versions go on behind them. */
    base: count('base').notNull().default(0),
    /** Number of times parts of it were set aside; a process with another number rebuilds the room. */
    mends: integer('mends').notNull().default(0),
    createdAt: when('created_at').notNull().defaultNow(),
    /** Time of restoring a backup: browsers that have newer text of others bring it back from then on. */
    restoredAt: when('restored_at'),
  },
  (t) => [
    index('rooms_meeting').on(t.meetingId),
    index('rooms_layer')
      .on(t.layerId)
      .where(sql`layer_id is not null`),
  ],
);

/**
 * The log: changes in the one order that everyone sees. `bytes` holds one or more updates, each with its length before
 * it.
 */
export const roomUpdates = pgTable(
  'room_updates',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    seq: count('seq').notNull(),
    /** The author; null for the server. No reference: history outlives accounts. */
    userId: text('user_id'),
    clientIds: bigint('client_ids', { mode: 'number' }).array(),
    bytes: bytes('bytes').notNull(),
    checksum: bytes('checksum').notNull(),
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.room, t.generation, t.seq] }), index('room_updates_at').on(t.at)],
);

/** The state after row `seq` of the log, verified by loading it before it was stored. */
export const roomSnapshots = pgTable(
  'room_snapshots',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    seq: count('seq').notNull(),
    bytes: bytes('bytes').notNull(),
    checksum: bytes('checksum').notNull(),
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.room, t.generation, t.seq] })],
);

/**
 * Rows and snapshots that cannot be loaded: they stay in place for inspection and are skipped when the room is loaded.
 */
export const roomQuarantine = pgTable(
  'room_quarantine',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    /** `row` of the log, or `snapshot`. */
    kind: text('kind').notNull(),
    seq: count('seq').notNull(),
    why: text('why').notNull(),
    at: when('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.room, t.generation, t.kind, t.seq] })],
);

/** Owners of Yjs client ids: an id belongs to the first person seen with it in a document, permanently. */
export const roomClients = pgTable(
  'room_clients',
  {
    room: text('room')
      .notNull()
      .references(() => rooms.name, { onDelete: 'cascade' }),
    generation: integer('generation').notNull(),
    clientId: count('client_id').notNull(),
    userId: text('user_id').notNull(),
    at: when('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.room, t.generation, t.clientId] }),
    index('room_clients_user').on(t.room, t.generation, t.userId),
  ],
);
