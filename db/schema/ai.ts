import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { OutcomeModelId } from '#shared/account-choices.ts';
import type { DraftKind, DraftState } from '#shared/ai/drafts.ts';
import type { RejectReason } from '#shared/ai/suggestions.ts';
import type { StoredPart } from '#shared/ai/views.ts';
import type { Anchor } from '#shared/meetings/anchors.ts';
import { users } from './accounts.ts';
import { meetings } from './meetings.ts';
import { layers } from './reviews.ts';

const when = (name: string) => timestamp(name, { withTimezone: true });
const meetingId = () =>
  text('meeting_id')
    .notNull()
    .references(() => meetings.id, { onDelete: 'cascade' });
const userId = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

/** A person's chat about a recording, which nobody else reads. */
export const aiChats = pgTable(
  'ai_chats',
  {
    meetingId: meetingId(),
    userId: userId(),
    /** Incremented by each change of its messages. */
    version: integer('version').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.meetingId, t.userId] })],
);

export const aiMessages = pgTable(
  'ai_messages',
  {
    id: text('id').primaryKey(),
    meetingId: text('meeting_id').notNull(),
    userId: text('user_id').notNull(),
    nth: integer('nth').notNull(),
    /** Version of the chat that changed it last. */
    version: integer('version').notNull(),
    role: text('role').$type<'user' | 'assistant'>().notNull(),
    /** Question of the person; empty for an answer. */
    content: text('content').notNull().default(''),
    /** Checked parts of an answer. */
    parts: jsonb('parts').$type<StoredPart[]>().notNull().default([]),
    runId: text('run_id'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    unique('ai_messages_nth').on(t.meetingId, t.userId, t.nth),
    foreignKey({
      name: 'ai_messages_chat',
      columns: [t.meetingId, t.userId],
      foreignColumns: [aiChats.meetingId, aiChats.userId],
    }).onDelete('cascade'),
  ],
);

/** Work of an assistant, such as a question, and what became of it. */
export const aiRuns = pgTable(
  'ai_runs',
  {
    id: text('id').primaryKey(),
    kind: text('kind').$type<'question' | 'analysis' | 'detect' | 'verdict' | DraftKind>().notNull(),
    meetingId: meetingId(),
    userId: userId(),
    /** Key of the browser's passes for links, with which the person may have been let in. */
    browser: text('browser'),
    model: text('model').notNull(),
    host: text('host').notNull(),
    /** Language of the answer. */
    language: text('language').notNull(),
    state: text('state').$type<'waiting' | 'running' | 'done' | 'failed' | 'stopped'>().notNull(),
    failure: text('failure'),
    /** How many lines of the transcript the assistant got, and how many there are. */
    read: integer('read'),
    lines: integer('lines'),
    /** False: the transcript does not say it. */
    enough: boolean('enough'),
    /** A question: the assistant also gets the annotations that its asker reads. */
    annotations: boolean('annotations').notNull().default(false),
    /** A search for outcomes: of which model, and whose words count, where that matters. */
    outcomeModel: text('outcome_model').$type<OutcomeModelId>(),
    coach: text('coach'),
    /** An explained grade: of which competency. */
    outcomeType: text('outcome_type'),
    /** The layer by which its asker came; null: by the recording. */
    layerId: text('layer_id').references(() => layers.id, { onDelete: 'cascade' }),
    /** Finds, and those left out because their words do not stand in the transcript. */
    found: integer('found'),
    dropped: integer('dropped'),
    asked: integer('asked'),
    answered: integer('answered'),
    holdId: text('hold_id'),
    createdAt: when('created_at').notNull(),
    finishedAt: when('finished_at'),
  },
  (t) => [
    uniqueIndex('ai_runs_open')
      .on(t.meetingId, t.userId, t.kind)
      .where(sql`state in ('waiting', 'running')`),
    index('ai_runs_user').on(t.userId),
    index('ai_runs_layer').on(t.layerId),
  ],
);

/** The owner's consent for one recording: its text may be sent to `none`, `local`, or `host:` with a name. */
export const aiConsents = pgTable('ai_consents', {
  meetingId: meetingId().primaryKey(),
  allows: text('allows').notNull(),
});

/** The same for all recordings of a person that have no answer of their own. */
export const aiConsentsOfPeople = pgTable('ai_consents_of_people', {
  userId: userId().primaryKey(),
  allows: text('allows').notNull(),
});

/** Answer to what a recording is about, which all its readers share. */
export const aiAnalyses = pgTable('ai_analyses', {
  meetingId: meetingId().primaryKey(),
  parts: jsonb('parts').$type<StoredPart[]>().notNull(),
  model: text('model').notNull(),
  host: text('host').notNull(),
  /** How often words occurred in the transcript that was read, by their hash (shared/ai/drift.ts). */
  words: integer('words').array().notNull(),
  createdAt: when('created_at').notNull(),
});

/**
 * Outcomes that an assistant suggests, until a person accepts or rejects them. Who decided what is kept: here for a recording,
 * in `aiDecisions` for a review.
 */
export const aiSuggestions = pgTable(
  'ai_suggestions',
  {
    id: text('id').primaryKey(),
    meetingId: meetingId(),
    /** The machine's layer of a review; null: suggestions for the recording. */
    layerId: text('layer_id').references(() => layers.id, { onDelete: 'cascade' }),
    type: text('type').notNull(),
    /** Other types that fit, the best first. */
    choices: text('choices').array().notNull(),
    text: text('text').notNull(),
    reason: text('reason').notNull(),
    quote: text('quote').notNull(),
    /** Seconds. */
    start: doublePrecision('start').notNull(),
    end: doublePrecision('end').notNull(),
    anchor: jsonb('anchor').$type<Anchor>(),
    model: text('model').notNull(),
    state: text('state').$type<'open' | 'accepted' | 'rejected'>().notNull().default('open'),
    rejectReason: text('reject_reason').$type<RejectReason>(),
    /** The outcome that it became. */
    outcomeId: text('outcome_id'),
    decidedBy: text('decided_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    index('ai_suggestions_meeting').on(t.meetingId),
    index('ai_suggestions_layer').on(t.layerId),
    index('ai_suggestions_decided_by').on(t.decidedBy),
  ],
);

/** A person's decisions in a review: on a suggestion of its machine's layer, for the layer that they annotate. */
export const aiDecisions = pgTable(
  'ai_decisions',
  {
    suggestionId: text('suggestion_id')
      .notNull()
      .references(() => aiSuggestions.id, { onDelete: 'cascade' }),
    layerId: text('layer_id')
      .notNull()
      .references(() => layers.id, { onDelete: 'cascade' }),
    userId: userId(),
    state: text('state').$type<'open' | 'accepted' | 'rejected'>().notNull(),
    rejectReason: text('reject_reason').$type<RejectReason>(),
    /** The outcome that it became. */
    outcomeId: text('outcome_id'),
  },
  (t) => [
    primaryKey({ columns: [t.suggestionId, t.layerId, t.userId] }),
    index('ai_decisions_layer').on(t.layerId),
    index('ai_decisions_user').on(t.userId),
  ],
);

/** Points of a summary and chapters that an assistant drafted for a person, who accepts, edits or rejects each. */
export const aiDrafts = pgTable(
  'ai_drafts',
  {
    /** Also of the point or chapter that it becomes. */
    id: text('id').primaryKey(),
    meetingId: meetingId(),
    userId: userId(),
    kind: text('kind').$type<DraftKind>().notNull(),
    nth: integer('nth').notNull(),
    text: text('text').notNull(),
    quotes: jsonb('quotes').$type<StoredPart['quotes']>().notNull(),
    struck: integer('struck').notNull(),
    model: text('model').notNull(),
    state: text('state').$type<DraftState>().notNull().default('open'),
    createdAt: when('created_at').notNull(),
  },
  (t) => [index('ai_drafts_meeting').on(t.meetingId, t.userId, t.kind), index('ai_drafts_user').on(t.userId)],
);

/** Grades that an assistant explained to a person who reads an assessment. They are this person's alone. */
export const aiVerdicts = pgTable(
  'ai_verdicts',
  {
    layerId: text('layer_id')
      .notNull()
      .references(() => layers.id, { onDelete: 'cascade' }),
    userId: userId(),
    type: text('type').notNull(),
    meetingId: meetingId(),
    grade: integer('grade').notNull(),
    parts: jsonb('parts').$type<StoredPart[]>().notNull(),
    why: text('why').notNull(),
    model: text('model').notNull(),
    createdAt: when('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.layerId, t.userId, t.type] }),
    index('ai_verdicts_user').on(t.userId),
    index('ai_verdicts_meeting').on(t.meetingId),
  ],
);
