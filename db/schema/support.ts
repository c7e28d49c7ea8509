import { foreignKey, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });

/** A person's conversation with the model about how the product is used, which nobody else reads until it is handed over. */
export const supportChats = pgTable(
  'support_chats',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Page and browser, for the people it is handed over to. */
    info: text('info').notNull(),
    createdAt: when('created_at').notNull(),
  },
  (t) => [index('support_chats_user').on(t.userId), index('support_chats_created').on(t.createdAt)],
);

export const supportMessages = pgTable(
  'support_messages',
  {
    chatId: text('chat_id').notNull(),
    nth: integer('nth').notNull(),
    role: text('role').$type<'user' | 'assistant'>().notNull(),
    content: text('content').notNull(),
    /** Paths of pages of the guide. */
    urls: text('urls').array().notNull(),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chatId, t.nth] }),
    foreignKey({
      name: 'support_messages_chat',
      columns: [t.chatId],
      foreignColumns: [supportChats.id],
    }).onDelete('cascade'),
  ],
);
