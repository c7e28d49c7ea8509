import type { en } from './en.ts';
import type { enginesEn } from './engines/en.ts';
import type { billingEn } from './billing/en.ts';
import type { findingEn } from './finding/en.ts';
import type { groupsEn } from './groups/en.ts';
import type { intakeEn } from './intake/en.ts';
import type { meetingEn } from './meetings/en.ts';
import type { ordersEn } from './orders/en.ts';
import type { paymentsEn } from './payments/en.ts';
import type { profileEn } from './profile/en.ts';
import type { recorderEn } from './recorder/en.ts';
import type { reviewsEn } from './reviews/en.ts';
import type { sharingEn } from './sharing/en.ts';
import type { supportEn } from './support/en.ts';
import type { toursEn } from './tours/en.ts';

// English has the plural keys 'key_one' and 'key_other'; Russian also 'few' and 'many', Chinese 'other' alone.
type Plural = 'one' | 'few' | 'many';

type Translated<Node> = Node extends string
  ? string
  : { [Key in keyof Node as Key extends `${string}_one` ? never : Key]: Translated<Node[Key]> } & {
      [Key in keyof Node as Key extends `${infer Base}_one` ? `${Base}_${Plural}` : never]?: string;
    };

/** Shape of every language: a missing or misspelt key does not compile. */
export type Texts = Translated<typeof en>;

/** Same for the texts of a recording's page. */
export type MeetingTexts = Translated<typeof meetingEn>;

/** Same for the texts of adding a recording. */
export type IntakeTexts = Translated<typeof intakeEn>;

/** Same for the texts of the queue of human transcripts. */
export type OrderTexts = Translated<typeof ordersEn>;

/** Same for the texts of getting speech recognition. */
export type EnginesTexts = Translated<typeof enginesEn>;

/** Same for the texts of recording in the browser. */
export type RecorderTexts = Translated<typeof recorderEn>;

/** Same for the screens of money. */
export type BillingTexts = Translated<typeof billingEn>;

/** Same for the screens of teams. */
export type GroupsTexts = Translated<typeof groupsEn>;

/** Same for the screens on which people pay. */
export type PaymentsTexts = Translated<typeof paymentsEn>;

/** Same for the profile. */
export type ProfileTexts = Translated<typeof profileEn>;

/** Same for the texts of reviews. */
export type ReviewTexts = Translated<typeof reviewsEn>;

/** Same for the texts of sharing. */
export type SharingTexts = Translated<typeof sharingEn>;

/** Same for the texts of the tours. */
export type TourTexts = Translated<typeof toursEn>;

/** Same for the texts of filters and of what is found across recordings. */
export type FindingTexts = Translated<typeof findingEn>;

/** Same for the questions to support that a model answers. */
export type SupportTexts = Translated<typeof supportEn>;
