import type { en } from './en.ts';
import type { groupsEn } from './groups/en.ts';
import type { intakeEn } from './intake/en.ts';
import type { meetingEn } from './meetings/en.ts';
import type { ordersEn } from './orders/en.ts';
import type { sharingEn } from './sharing/en.ts';

// Of 'key_one' and 'key_other' English is made; Russian also has 'few' and 'many', Chinese 'other' alone.
type Plural = 'one' | 'few' | 'many';

type Translated<Node> = Node extends string
  ? string
  : { [Key in keyof Node as Key extends `${string}_one` ? never : Key]: Translated<Node[Key]> } & {
      [Key in keyof Node as Key extends `${infer Base}_one` ? `${Base}_${Plural}` : never]?: string;
    };

/** The shape every language must have: a missing or misspelt key does not compile. */
export type Texts = Translated<typeof en>;

/** The same for the texts of a recording's page. */
export type MeetingTexts = Translated<typeof meetingEn>;

/** The same for the texts of adding a recording. */
export type IntakeTexts = Translated<typeof intakeEn>;

/** The same for the texts of the queue of human transcripts. */
export type OrderTexts = Translated<typeof ordersEn>;

/** The same for the screens of teams. */
export type GroupsTexts = Translated<typeof groupsEn>;

/** The same for the texts of sharing. */
export type SharingTexts = Translated<typeof sharingEn>;
