import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/** A recorded meeting. What people write on it lives in its rooms. */
export const meetings = pgTable(
  'meetings',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: when('created_at').notNull().defaultNow(),
    deletedAt: when('deleted_at'),
  },
  (t) => [index('meetings_owner').on(t.ownerId)],
);

/** Who beside the owner may do what: one row a person, and at most one for whoever has the link ('anonymous', ''). */
export const meetingAccess = pgTable(
  'meeting_access',
  {
    meetingId: text('meeting_id')
      .notNull()
      .references(() => meetings.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    principalId: text('principal_id').notNull(),
    permissions: text('permissions').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.meetingId, t.kind, t.principalId] }),
    index('meeting_access_principal').on(t.kind, t.principalId),
  ],
);
