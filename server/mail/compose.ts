import type { Role } from '#shared/roles.ts';
import { lifetimes } from '#shared/accounts.ts';
import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';
import { mailTexts, type LinkMessage } from '#shared/mails/texts.ts';
import type { Telling } from '#shared/page-news.ts';
import { oneLine, plainName, plainText } from './plain.ts';
import { asHtml, asText, type Block } from './render.ts';

export type ReviewMailKind = 'asked' | 'self-done' | 'supervised' | 'join' | 'due' | 'approve' | 'opened' | 'published';

/** Every mail that the server sends, with the values of its text. Tokens become links to the screen that uses them. */
export type MailKind =
  /** Link: `/confirm/<token>`. */
  | { kind: 'confirm'; firstName: string; token: string }
  /** To the owner of an address that was registered again; only this mail reveals that the account exists. */
  | { kind: 'already-registered'; firstName: string }
  /** Link: `/reset/<token>`. */
  | { kind: 'reset'; firstName: string; token: string }
  /** To the new address: `/confirm-email-change?token=<token>`. */
  | { kind: 'change-email'; firstName: string; token: string }
  /** To the old address, with a link that undoes the change for 72 hours: `/undo-email-change/<token>`. */
  | { kind: 'email-changed'; firstName: string; newEmail: string; token: string }
  | { kind: 'password-changed'; firstName: string }
  | { kind: 'account-deleted'; firstName: string }
  /** To the person who uploaded it: `/meeting/<id>`. */
  | { kind: 'recording-ready' | 'recording-failed'; firstName: string; title: string; meetingId: string }
  /** To the people who transcribe by hand: `/orders`. */
  | { kind: 'order-placed'; firstName: string }
  | { kind: 'order-withdrawn'; firstName: string; title: string }
  /** To the new owner of recordings, and to people who had access to deleted ones; `owner` has deleted the account. */
  | { kind: 'recordings-given' | 'recordings-gone'; owner: string; titles: string[] }
  /** Links: `/invitation/<token>`, and the same with `/decline`; `inviter` is a person's name, shown as text only. */
  | {
      kind: 'invitation';
      inviter: string;
      what: 'account' | 'team' | 'meeting' | 'folder' | 'recording';
      token: string;
      /** Words of the team's admins. */
      words?: string;
    }
  /** To an admin who is asked to pay, to a new member, and to the admins of a team: `/teams/<id>`. */
  | { kind: 'team-payer'; firstName: string; by: string; team: string; groupId: string }
  | { kind: 'team-joined'; firstName: string; team: string; groupId: string }
  | { kind: 'team-low'; firstName: string; team: string; groupId: string; balance: string; limit: string }
  | { kind: 'team-uploads'; firstName: string; team: string; groupId: string; members: string[] }
  /** To a person with whom a meeting was shared by name: `/meeting/<id>`. */
  | { kind: 'shared'; inviter: string; meetingId: string }
  /** To a person with whom a folder was shared by name: the library with the folder open. */
  | { kind: 'shared-folder'; inviter: string; folderId: string }
  /** To people with a part in a review: `/meeting/<id>/peer/<review>`. `by`: the person who caused it, or asked for it. */
  | {
      kind: 'review';
      what: ReviewMailKind;
      by: string;
      meetingId: string;
      reviewId: string;
      team?: { name: string; words: string };
    }
  /** To a member of a team that wants mails on reviews once a day. */
  | {
      kind: 'review-digest';
      firstName: string;
      notices: { what: ReviewMailKind; by: string; meetingId: string; reviewId: string }[];
      team?: { name: string; words: string };
    }
  /** To a person mentioned in a comment: `/meeting/<id>?comment=<id>`. */
  | { kind: Telling; firstName: string; author: string; title: string; meetingId: string; commentId: string }
  /** To the owner, who grants or refuses access: `/access/<id>`. */
  | {
      kind: 'access-request';
      firstName: string;
      asker: string;
      email: string;
      title: string;
      requestId: string;
      role?: Role;
    }
  /** After a payment, with the credits that it brought: `/transactions`. */
  | { kind: 'purchased'; firstName: string; what: string; practice: boolean }
  /** To the person who gets credits: `/balance`, or `/signup` where they wait for an account. */
  | { kind: 'gift' | 'gift-waiting'; firstName: string; from: string; amount: string }
  /** To the sender of credits for which nobody came: `/balance`. */
  | { kind: 'gift-returned'; firstName: string; to: string; amount: string }
  /** To a person who asked for access: `/meeting/<id>`. */
  | { kind: 'access-given'; firstName: string; inviter: string; title: string; meetingId: string }
  /** To the support address. */
  | { kind: 'feedback'; contact: string; feedback: string };

const teamMessages = { 'team-payer': 'teamPayer', 'team-joined': 'teamJoined' } as const;

/** Recordings, or members, that a mail names. */
const mostTitles = 20;

interface ComposedMail {
  subject: string;
  text: string;
  html: string;
}

export function composeMail(mail: MailKind, wished: string | null, origin: string): ComposedMail {
  const language = isLanguage(wished) ? wished : fallbackLanguage;
  const { subject, blocks } = contentOf(mail, language, origin);
  return { subject, text: asText(blocks, origin), html: asHtml(subject, blocks, language, origin) };
}

function contentOf(mail: MailKind, language: Language, origin: string): { subject: string; blocks: Block[] } {
  const texts = mailTexts[language];
  const at = (path: string, token = '') => `${origin}${path}${encodeURIComponent(token)}`;
  const text = (line: string): Block => ({ kind: 'text', text: line });
  const button = (label: string, url: string): Block => ({ kind: 'button', label, url });
  const valid = (seconds: number): Block => ({
    kind: 'small',
    text: fill(texts.valid, { time: timeIn(language, seconds) }),
  });
  const greeting = (typed: string): Block => {
    const name = plainName(typed);
    return text(name ? fill(texts.greeting, { name }) : texts.greetingNameless);
  };
  /** A mail that asks for something: the link first, then what to do if the reader did not ask for it. */
  const request = (
    { subject, why, action, otherwise }: LinkMessage,
    firstName: string,
    url: string,
    lifetime: number,
  ) => ({
    subject,
    blocks: [greeting(firstName), text(why), button(action, url), valid(lifetime), text(otherwise)],
  });
  /** A mail that reports a change: the link is for a reader who did not make it. */
  const notice = ({ subject, why, action, otherwise }: LinkMessage, firstName: string, url: string) => ({
    subject,
    blocks: [greeting(firstName), text(why), text(otherwise), button(action, url)],
  });

  const reviewAt = ({ meetingId, reviewId }: { meetingId: string; reviewId: string }) =>
    `${at('/meeting/', meetingId)}/peer/${encodeURIComponent(reviewId)}`;
  const wordsOf = (team: { name: string; words: string } | undefined): Block[] =>
    team
      ? [
          text(fill(texts.teamWords, { team: plainName(team.name) || '…' })),
          { kind: 'quote', text: plainText(team.words) },
        ]
      : [];

  switch (mail.kind) {
    case 'confirm': {
      const otherwise = fill(texts.confirm.otherwise, { time: timeIn(language, lifetimes.unconfirmedAccount) });
      return request({ ...texts.confirm, otherwise }, mail.firstName, at('/confirm/', mail.token), lifetimes.confirm);
    }
    case 'already-registered': {
      const { subject, why, action, forgot, otherwise } = texts.alreadyRegistered;
      return {
        subject,
        blocks: [
          greeting(mail.firstName),
          text(why),
          button(action, at('/login')),
          { kind: 'link', label: forgot, url: at('/recover') },
          text(otherwise),
        ],
      };
    }
    case 'reset':
      return request(texts.reset, mail.firstName, at('/reset/', mail.token), lifetimes.reset);
    case 'change-email':
      return request(
        texts.changeEmail,
        mail.firstName,
        at('/confirm-email-change?token=', mail.token),
        lifetimes.changeEmail,
      );
    case 'email-changed': {
      const why = fill(texts.emailChanged.why, { address: oneLine(mail.newEmail) });
      const { subject, blocks } = notice(
        { ...texts.emailChanged, why },
        mail.firstName,
        at('/undo-email-change/', mail.token),
      );
      return { subject, blocks: [...blocks, valid(lifetimes.undoEmail)] };
    }
    case 'password-changed':
      return notice(texts.passwordChanged, mail.firstName, at('/recover'));
    case 'account-deleted':
      return notice(texts.accountDeleted, mail.firstName, at('/'));
    case 'recording-ready':
    case 'recording-failed': {
      const message = mail.kind === 'recording-ready' ? texts.recordingReady : texts.recordingFailed;
      const why = fill(message.why, { title: plainName(mail.title) || '…' });
      return notice({ ...message, why }, mail.firstName, at('/meeting/', mail.meetingId));
    }
    case 'recordings-given':
    case 'recordings-gone': {
      const owner = plainName(mail.owner) || '…';
      const { subject, why, action, otherwise } =
        mail.kind === 'recordings-given' ? texts.recordingsGiven : texts.recordingsGone;
      const named = mail.titles.slice(0, mostTitles).map((title) => plainName(title) || '…');
      const titles = [...named, ...(mail.titles.length > mostTitles ? ['…'] : [])].join('\n');
      return {
        subject: oneLine(fill(subject, { owner })),
        blocks: [
          text(texts.greetingNameless),
          text(fill(why, { owner })),
          { kind: 'quote', text: titles },
          text(otherwise),
          button(action, at('/')),
        ],
      };
    }
    case 'order-placed':
      return notice(texts.orderPlaced, mail.firstName, at('/orders'));
    case 'order-withdrawn': {
      const why = fill(texts.orderWithdrawn.why, { title: plainName(mail.title) || '…' });
      return notice({ ...texts.orderWithdrawn, why }, mail.firstName, at('/orders'));
    }
    case 'purchased': {
      const { subject, why, practice } = texts.purchased;
      const lead = fill(why, { what: mail.what }) + (mail.practice ? ` ${practice}` : '');
      return notice({ ...texts.purchased, subject, why: lead }, mail.firstName, at('/transactions'));
    }
    case 'gift':
    case 'gift-waiting': {
      const { subject, why, signUp, ...known } = texts.gift;
      const about = { from: plainName(mail.from) || '…', amount: mail.amount };
      const waits = mail.kind === 'gift-waiting';
      const message = { ...(waits ? signUp : known), subject: oneLine(fill(subject, about)), why: fill(why, about) };
      return notice(message, mail.firstName, at(waits ? '/signup' : '/balance'));
    }
    case 'gift-returned': {
      const why = fill(texts.giftReturned.why, { to: oneLine(mail.to), amount: mail.amount });
      return notice({ ...texts.giftReturned, why }, mail.firstName, at('/balance'));
    }
    case 'invitation': {
      const inviter = plainName(mail.inviter) || '…';
      const { action, decline, otherwise } = texts.invitation;
      const { subject, why } = texts.invitation[mail.what];
      const afterwards = `?redirectTo=${encodeURIComponent(`/upload?invite=${mail.token}`)}`;
      return {
        subject: oneLine(fill(subject, { inviter })),
        blocks: [
          text(texts.greetingNameless),
          text(fill(why, { inviter })),
          ...(mail.words ? [{ kind: 'quote', text: plainText(mail.words) } as const] : []),
          button(action, at('/invitation/', mail.token) + (mail.what === 'recording' ? afterwards : '')),
          valid(lifetimes.invitation),
          { kind: 'link', label: decline, url: `${at('/invitation/', mail.token)}/decline` },
          text(otherwise),
        ],
      };
    }
    case 'team-payer':
    case 'team-joined': {
      const message = teamMessages[mail.kind];
      const { kind: _, firstName, groupId, ...named } = mail;
      const about = Object.fromEntries(Object.entries(named).map(([key, name]) => [key, plainName(name) || '…']));
      const { subject, why, ...rest } = texts[message];
      return notice(
        { ...rest, subject: oneLine(fill(subject, about)), why: fill(why, about) },
        firstName,
        at('/teams/', groupId),
      );
    }
    case 'team-low': {
      const { balance, limit } = mail;
      const why = fill(texts.teamLow.why, { team: plainName(mail.team) || '…', balance, limit });
      return notice({ ...texts.teamLow, why }, mail.firstName, at('/teams/', mail.groupId));
    }
    case 'team-uploads': {
      const { subject, why, action, otherwise } = texts.teamUploads;
      const lines = mail.members.slice(0, mostTitles).map((name) => plainName(name) || '…');
      const members = [...lines, ...(mail.members.length > mostTitles ? ['…'] : [])].join('\n');
      return {
        subject,
        blocks: [
          greeting(mail.firstName),
          text(fill(why, { team: plainName(mail.team) || '…' })),
          { kind: 'quote', text: members },
          button(action, at('/teams/', mail.groupId)),
          text(otherwise),
        ],
      };
    }
    case 'shared':
    case 'shared-folder': {
      const inviter = plainName(mail.inviter) || '…';
      const { subject, why, action, otherwise } = mail.kind === 'shared' ? texts.shared : texts.sharedFolder;
      const link = mail.kind === 'shared' ? at('/meeting/', mail.meetingId) : at('/?sfid=', mail.folderId);
      return {
        subject: oneLine(fill(subject, { inviter })),
        blocks: [text(texts.greetingNameless), text(fill(why, { inviter })), button(action, link), text(otherwise)],
      };
    }
    case 'review': {
      const by = plainName(mail.by) || '…';
      const { action, otherwise, [mail.what]: words } = texts.review;
      return {
        subject: oneLine(fill(words.subject, { by })),
        blocks: [
          text(texts.greetingNameless),
          text(fill(words.why, { by })),
          ...wordsOf(mail.team),
          button(action, reviewAt(mail)),
          text(otherwise),
        ],
      };
    }
    case 'review-digest': {
      const { subject, why, action, otherwise } = texts.reviewDigest;
      const lines = mail.notices.slice(0, mostTitles).map((notice): Block => {
        const by = plainName(notice.by) || '…';
        return { kind: 'link', label: oneLine(fill(texts.review[notice.what].subject, { by })), url: reviewAt(notice) };
      });
      const more = mail.notices.length > mostTitles ? [text('…')] : [];
      const blocks = [greeting(mail.firstName), text(why), ...lines, ...more, ...wordsOf(mail.team)];
      return { subject, blocks: [...blocks, button(action, at('/')), text(otherwise)] };
    }
    case 'mention':
    case 'reply':
    case 'comment': {
      const about = { author: plainName(mail.author) || '…', title: plainName(mail.title) || '…' };
      const { action, otherwise } = texts.mention;
      const { subject, why } = texts[mail.kind];
      return {
        subject: oneLine(fill(subject, about)),
        blocks: [
          greeting(mail.firstName),
          text(fill(why, about)),
          button(action, `${at('/meeting/', mail.meetingId)}?comment=${encodeURIComponent(mail.commentId)}`),
          text(otherwise),
        ],
      };
    }
    case 'access-request': {
      const asker = plainName(mail.asker) || '…';
      const { action, otherwise, ...words } = texts.accessRequest;
      // Mails that were written before roles could be asked for have none.
      const { subject, why } = mail.role && mail.role !== 'canRead' ? words.roles[mail.role] : words;
      const about = { asker, address: oneLine(mail.email), title: plainName(mail.title) || '…' };
      return {
        subject: oneLine(fill(subject, { asker })),
        blocks: [
          greeting(mail.firstName),
          text(fill(why, about)),
          button(action, at('/access/', mail.requestId)),
          text(otherwise),
        ],
      };
    }
    case 'access-given': {
      const about = { inviter: plainName(mail.inviter) || '…', title: plainName(mail.title) || '…' };
      const { subject, why, action, otherwise } = texts.accessGiven;
      return {
        subject: oneLine(fill(subject, about)),
        blocks: [
          greeting(mail.firstName),
          text(fill(why, about)),
          button(action, at('/meeting/', mail.meetingId)),
          text(otherwise),
        ],
      };
    }
    case 'feedback': {
      const { subject, why, contact, noContact } = texts.feedback;
      const given = oneLine(mail.contact);
      return {
        subject,
        blocks: [
          text(why),
          { kind: 'quote', text: plainText(mail.feedback) },
          text(given ? fill(contact, { contact: given }) : noContact),
        ],
      };
    }
  }
}

/** Replaces all placeholders in one pass, so that a value that looks like a placeholder is not replaced. */
function fill(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}

function timeIn(language: Language, seconds: number): string {
  const hours = seconds / 3600;
  const [amount, unit] = hours > 72 ? [hours / 24, 'day'] : [hours, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
}
