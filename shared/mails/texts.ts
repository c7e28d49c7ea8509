import type { Role } from '../roles.ts';
import type { Language } from '../i18n/languages.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

// Separate from the texts of the screens: only the server writes mails, so no browser loads these.

/** Text that must contain this placeholder. */
type Holds<Name extends string> = `${string}{{${Name}}}${string}`;

interface Message {
  subject: string;
  /** Reason for this mail. */
  why: string;
  /** Advice for a recipient who did not cause the mail. */
  otherwise: string;
}

export interface LinkMessage extends Message {
  /** Text of the button. */
  action: string;
}

/** Texts of every language: a missing mail or placeholder does not compile. */
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
  recordingsGiven: LinkMessage & { subject: Holds<'owner'>; why: Holds<'owner'> };
  recordingsGone: LinkMessage & { subject: Holds<'owner'>; why: Holds<'owner'> };
  orderPlaced: LinkMessage;
  orderWithdrawn: LinkMessage & { why: Holds<'title'> };
  purchased: LinkMessage & { why: Holds<'what'>; practice: string };
  gift: LinkMessage & {
    subject: Holds<'from'>;
    why: `${Holds<'from'>}${Holds<'amount'>}`;
    /** For an address without an account. */
    signUp: Pick<LinkMessage, 'action' | 'otherwise'>;
  };
  giftReturned: LinkMessage & { why: Holds<'to'> & Holds<'amount'> };
  invitation: { action: string; decline: string; otherwise: string } & Record<
    'account' | 'team' | 'meeting' | 'folder' | 'recording',
    { subject: Holds<'inviter'>; why: Holds<'inviter'> }
  >;
  teamPayer: LinkMessage & { subject: Holds<'by'>; why: `${Holds<'by'>}${Holds<'team'>}` };
  teamJoined: LinkMessage & { why: Holds<'team'> };
  teamLow: LinkMessage & { why: `${Holds<'team'>}${Holds<'balance'>}${Holds<'limit'>}` };
  teamUploads: LinkMessage & { why: Holds<'team'> };
  mention: LinkMessage & { subject: Holds<'author'>; why: Holds<'author'> & Holds<'title'> };
  reply: { subject: Holds<'author'>; why: Holds<'author'> & Holds<'title'> };
  comment: { subject: Holds<'author'>; why: Holds<'author'> & Holds<'title'> };
  shared: LinkMessage & { subject: Holds<'inviter'>; why: Holds<'inviter'> };
  review: { action: string; otherwise: string } & Record<
    'asked' | 'self-done' | 'supervised' | 'join',
    { subject: Holds<'by'>; why: Holds<'by'> }
  > &
    Record<'due' | 'approve' | 'opened' | 'published', { subject: string; why: string }>;
  reviewDigest: LinkMessage;
  /** Line that introduces the words of a team's admins. */
  teamWords: Holds<'team'>;
  sharedFolder: LinkMessage & { subject: Holds<'inviter'>; why: Holds<'inviter'> };
  accessRequest: LinkMessage & {
    subject: Holds<'asker'>;
    why: `${Holds<'asker'>}${Holds<'address'>}${Holds<'title'>}`;
    /** For those who ask for more than to read. */
    roles: Record<
      Exclude<Role, 'canRead'>,
      { subject: Holds<'asker'>; why: `${Holds<'asker'>}${Holds<'address'>}${Holds<'title'>}` }
    >;
  };
  accessGiven: LinkMessage & { subject: Holds<'inviter'>; why: `${Holds<'inviter'>}${Holds<'title'>}` };
  feedback: { subject: string; why: string; contact: Holds<'contact'>; noContact: string };
}

export const mailTexts: Record<Language, MailTexts> = { en, zh, ru, es };
