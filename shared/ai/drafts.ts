import { z } from 'zod';
import { costsView } from '../intake.ts';
import { consentView, offeredView, paidRunView, storedPart } from './views.ts';

// Points of a summary and chapters that an assistant drafts. They are the asker's alone until the person takes them.

export const draftKinds = ['summary', 'chapters'] as const;
export type DraftKind = (typeof draftKinds)[number];

const draftStates = ['open', 'accepted', 'edited', 'rejected'] as const;
export type DraftState = (typeof draftStates)[number];

export const decideDraftInput = z.object({ state: z.enum(draftStates, 'invalid') });
export type DecideDraftInput = z.output<typeof decideDraftInput>;

const draftView = storedPart.extend({
  /** Also of the point or chapter that it becomes. */
  id: z.string(),
  state: z.enum(draftStates).exclude(['rejected']),
  model: z.string(),
});
export type DraftView = z.infer<typeof draftView>;

export const draftsView = z.object({
  /** The caller’s last draft; `dropped`: how much of it did not stand in the transcript and was left out. */
  run: paidRunView.extend({ found: z.number().int().nullable(), dropped: z.number().int().nullable() }).nullable(),
  /** Those that wait for a decision, and those taken, whose quotes tell what proves them. */
  drafts: z.array(draftView),
  ...offeredView,
  consent: consentView,
  /** Credits of a draft, by the first of the ways to pay. */
  price: z.number(),
  costs: costsView,
});
export type DraftsView = z.infer<typeof draftsView>;
