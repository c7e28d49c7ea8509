import type { Language } from '../i18n/languages.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

// Apart from the texts of the screens: mails are written by the server alone, so no browser loads these.

/** A text that does not compile without this placeholder. */
type Holds<Name extends string> = `${string}{{${Name}}}${string}`;

interface Message {
  subject: string;
  /** Why this person gets this mail. */
  why: string;
  /** What to do about it if it was not them. */
  otherwise: string;
}

export interface LinkMessage extends Message {
  /** On the button. */
  action: string;
}

/** What every language must have: a missing mail or placeholder does not compile. */
export interface MailTexts {
  greeting: Holds<'name'>;
  greetingNameless: string;
  valid: Holds<'time'>;
  confirm: LinkMessage & { otherwise: Holds<'time'> };
  alreadyRegistered: LinkMessage & { forgot: string };
  reset: LinkMessage;
  changeEmail: LinkMessage;
  emailChanged: LinkMessage & { why: Holds<'address'> };
  passwordChanged: LinkMessage;
  accountDeleted: LinkMessage;
  recordingReady: LinkMessage & { why: Holds<'title'> };
  recordingFailed: LinkMessage & { why: Holds<'title'> };
  orderPlaced: LinkMessage;
  orderWithdrawn: LinkMessage & { why: Holds<'title'> };
  invitation: { action: string; otherwise: string } & Record<
    'account' | 'team' | 'meeting' | 'folder',
    { subject: Holds<'inviter'>; why: Holds<'inviter'> }
  >;
  mention: LinkMessage & { subject: Holds<'author'>; why: Holds<'author'> & Holds<'title'> };
  shared: LinkMessage & { subject: Holds<'inviter'>; why: Holds<'inviter'> };
  sharedFolder: LinkMessage & { subject: Holds<'inviter'>; why: Holds<'inviter'> };
  accessRequest: LinkMessage & {
    subject: Holds<'asker'>;
    why: `${Holds<'asker'>}${Holds<'address'>}${Holds<'title'>}`;
  };
  feedback: { subject: string; why: string; contact: Holds<'contact'>; noContact: string };
}

export const mailTexts: Record<Language, MailTexts> = { en, zh, ru, es };
