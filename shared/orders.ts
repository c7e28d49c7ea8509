import { z } from 'zod';
import { importNotes } from './formats/notes.ts';

// A transcript that a person writes: it is ordered with the recording, waits in a queue, and whoever runs the house
// answers it with a file that some program wrote.

/** USD a minute, where the house does not say. */
export const humanMinutePrice = 1.5;

/** What comes of an order. `taken` is one that somebody has begun with. */
const orderStates = ['waiting', 'taken', 'delivered', 'refused'] as const;

/** Why nobody writes a recording down: one of these, so that its owner reads it in their own language. */
export const refusals = ['inaudible', 'language', 'unsuitable', 'undone'] as const;
export type Refusal = (typeof refusals)[number];
/** The failure its owner is told. */
export const failureOf = (refusal: Refusal): `order_${Refusal}` => `order_${refusal}`;

export const refuseInput = z.object({ reason: z.enum(refusals, 'required') });
export type RefuseInput = z.infer<typeof refuseInput>;

/** Days in which what became of an order can still be seen. */
export const finishedDays = 30;

/** Times are milliseconds since 1970. */
export const orderView = z.object({
  id: z.string(),
  state: z.enum(orderStates),
  title: z.string(),
  lang: z.string(),
  /** As many as somebody says there are; 0 where nobody does. */
  speakers: z.number().int(),
  /** Names and terms, one a line. */
  vocabulary: z.string(),
  /** Of the recording, in seconds; null where nobody knows. */
  duration: z.number().nullable(),
  ordered: z.number(),
  /** Who has it, or had it in the end. */
  holder: z.object({ name: z.string(), isMe: z.boolean() }).nullable(),
  finished: z.number().nullable(),
  refusal: z.enum(refusals).nullable(),
  /** The transcript that was brought could not be entered, and another one is waited for. */
  returned: z.boolean(),
});
export type OrderView = z.infer<typeof orderView>;

/** With what is to be known of the transcript that answered it. */
export const answeredOrder = orderView.extend({ notes: importNotes });
export type AnsweredOrder = z.infer<typeof answeredOrder>;

export const ordersView = z.object({ orders: z.array(orderView) });

/** Where the recording of an order is heard and fetched for a short while. */
export const orderRecordingView = z.object({
  url: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number(),
  /** Whether browsers play it. */
  plays: z.boolean(),
  /** Until when, in milliseconds since 1970. */
  until: z.number(),
});
export type OrderRecording = z.infer<typeof orderRecordingView>;
