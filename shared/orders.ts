import { z } from 'zod';
import { importNotes } from './formats/notes.ts';

// Human transcripts: ordered with the recording, queued, and delivered by an operator as a transcript file in any
// supported format.

/** Default price in USD a minute. */
export const humanMinutePrice = 1.5;

/** States of an order; `taken` means that an operator has begun. */
const orderStates = ['waiting', 'taken', 'delivered', 'refused'] as const;

/** Reasons to refuse an order: a closed list, so that the owner reads it in their own language. */
export const refusals = ['inaudible', 'language', 'unsuitable', 'undone'] as const;
export type Refusal = (typeof refusals)[number];
/** Failure of the recording that the refusal becomes. */
export const failureOf = (refusal: Refusal): `order_${Refusal}` => `order_${refusal}`;

export const refuseInput = z.object({ reason: z.enum(refusals, 'required') });
export type RefuseInput = z.infer<typeof refuseInput>;

/** Days in which a finished order is still listed. */
export const finishedDays = 30;

/** Times in milliseconds since 1970. */
export const orderView = z.object({
  id: z.string(),
  state: z.enum(orderStates),
  title: z.string(),
  lang: z.string(),
  /** Number of speakers as ordered; 0 if unknown. */
  speakers: z.number().int(),
  /** Names and terms, one a line. */
  vocabulary: z.string(),
  /** Length of the recording in seconds; null if unknown. */
  duration: z.number().nullable(),
  ordered: z.number(),
  /** Operator who has it, or had it last. */
  holder: z.object({ name: z.string(), isMe: z.boolean() }).nullable(),
  finished: z.number().nullable(),
  refusal: z.enum(refusals).nullable(),
  /** Whether a delivered transcript could not be imported, so that another one is needed. */
  returned: z.boolean(),
});
export type OrderView = z.infer<typeof orderView>;

/** Delivered order, with the notes on its transcript. */
export const answeredOrder = orderView.extend({ notes: importNotes });
export type AnsweredOrder = z.infer<typeof answeredOrder>;

export const ordersView = z.object({ orders: z.array(orderView) });

/** Temporary download of an order's recording. */
export const orderRecordingView = z.object({
  url: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number(),
  /** Whether browsers can play it. */
  plays: z.boolean(),
  /** Expiry in milliseconds since 1970. */
  until: z.number(),
});
export type OrderRecording = z.infer<typeof orderRecordingView>;
