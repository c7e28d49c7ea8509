import { describe, expect, it } from 'vitest';
import { languageNames, type Language } from '#shared/i18n/languages.ts';
import { mailTexts } from '#shared/mails/texts.ts';
import { composeMail, type MailKind } from './compose.ts';

const origin = 'https://colloquy.example';
const token = 'T0ken_-abcDEF';
const languages = Object.keys(languageNames) as Language[];

/** Every kind of mail with the links it must contain; a new kind does not compile without an entry. */
const kinds: Record<MailKind['kind'], { mails: MailKind[]; links: string[] }> = {
  confirm: { mails: [{ kind: 'confirm', firstName: 'Ann', token }], links: [`/confirm/${token}`] },
  'already-registered': { mails: [{ kind: 'already-registered', firstName: 'Ann' }], links: ['/login', '/recover'] },
  reset: { mails: [{ kind: 'reset', firstName: 'Ann', token }], links: [`/reset/${token}`] },
  'change-email': {
    mails: [{ kind: 'change-email', firstName: 'Ann', token }],
    links: [`/confirm-email-change?token=${token}`],
  },
  'email-changed': {
    mails: [{ kind: 'email-changed', firstName: 'Ann', newEmail: 'ann.new@example.test', token }],
    links: [`/undo-email-change/${token}`],
  },
  'password-changed': { mails: [{ kind: 'password-changed', firstName: 'Ann' }], links: ['/recover'] },
  'account-deleted': { mails: [{ kind: 'account-deleted', firstName: 'Ann' }], links: ['/'] },
  'recording-ready': {
    mails: [{ kind: 'recording-ready', firstName: 'Ann', title: 'Monday', meetingId: 'm1' }],
    links: ['/meeting/m1'],
  },
  'recording-failed': {
    mails: [{ kind: 'recording-failed', firstName: 'Ann', title: 'Monday', meetingId: 'm1' }],
    links: ['/meeting/m1'],
  },
  'recordings-given': {
    mails: [{ kind: 'recordings-given', owner: 'Ann Demo', titles: ['Monday', 'Tuesday'] }],
    links: ['/'],
  },
  'recordings-gone': { mails: [{ kind: 'recordings-gone', owner: 'Ann Demo', titles: ['Monday'] }], links: ['/'] },
  'order-placed': { mails: [{ kind: 'order-placed', firstName: 'Ann' }], links: ['/orders'] },
  'order-withdrawn': { mails: [{ kind: 'order-withdrawn', firstName: 'Ann', title: 'Monday' }], links: ['/orders'] },
  purchased: {
    mails: [true, false].map((practice) => ({ kind: 'purchased', firstName: 'Ann', what: '20.00', practice })),
    links: ['/transactions'],
  },
  gift: { mails: [{ kind: 'gift', firstName: 'Ann', from: 'Ben Demo', amount: '5.00' }], links: ['/balance'] },
  'gift-waiting': {
    mails: [{ kind: 'gift-waiting', firstName: '', from: 'Ben Demo', amount: '5.00' }],
    links: ['/signup'],
  },
  'gift-returned': {
    mails: [{ kind: 'gift-returned', firstName: 'Ann', to: 'ben@example.test', amount: '5.00' }],
    links: ['/balance'],
  },
  invitation: {
    mails: (['account', 'team', 'meeting', 'folder'] as const).map((what) => ({
      kind: 'invitation',
      inviter: 'Ann Demo',
      what,
      token,
    })),
    links: [`/invitation/${token}`, `/invitation/${token}/decline`],
  },
  'team-payer': {
    mails: [{ kind: 'team-payer', firstName: 'Ann', by: 'Ben Demo', team: 'Interviews', groupId: 'g1' }],
    links: ['/teams/g1'],
  },
  'team-joined': {
    mails: [{ kind: 'team-joined', firstName: 'Ann', team: 'Interviews', groupId: 'g1' }],
    links: ['/teams/g1'],
  },
  'team-low': {
    mails: [{ kind: 'team-low', firstName: 'Ann', team: 'Interviews', groupId: 'g1', balance: '9.50', limit: '10.00' }],
    links: ['/teams/g1'],
  },
  'team-uploads': {
    mails: [{ kind: 'team-uploads', firstName: 'Ann', team: 'Interviews', groupId: 'g1', members: ['Ben Demo (2)'] }],
    links: ['/teams/g1'],
  },
  shared: { mails: [{ kind: 'shared', inviter: 'Ann Demo', meetingId: 'm1' }], links: ['/meeting/m1'] },
  'shared-folder': { mails: [{ kind: 'shared-folder', inviter: 'Ann Demo', folderId: 'f1' }], links: ['/?sfid=f1'] },
  review: {
    mails: (['asked', 'self-done', 'supervised', 'join', 'due', 'approve', 'opened', 'published'] as const).map(
      (what) => ({
        ...{ kind: 'review', what, by: 'Ann Demo', meetingId: 'm1', reviewId: 'r1' },
        ...(what === 'asked' && { team: { name: 'Interviews', words: 'Begin with what went well.' } }),
      }),
    ),
    links: ['/meeting/m1/peer/r1'],
  },
  'review-digest': {
    mails: [
      {
        ...{
          kind: 'review-digest',
          firstName: 'Ann',
          team: { name: 'Interviews', words: 'Begin with what went well.' },
        },
        notices: [
          { what: 'asked', by: 'Ben Demo', meetingId: 'm1', reviewId: 'r1' },
          { what: 'opened', by: 'Ben Demo', meetingId: 'm2', reviewId: 'r2' },
        ],
      },
    ],
    links: ['/meeting/m1/peer/r1', '/meeting/m2/peer/r2', '/'],
  },
  mention: {
    mails: [
      { kind: 'mention', firstName: 'Ann', author: 'Ben Demo', title: 'Monday', meetingId: 'm1', commentId: 'c1' },
    ],
    links: ['/meeting/m1?comment=c1'],
  },
  reply: {
    mails: [{ kind: 'reply', firstName: 'Ann', author: 'Ben Demo', title: 'Monday', meetingId: 'm1', commentId: 'c1' }],
    links: ['/meeting/m1?comment=c1'],
  },
  comment: {
    mails: [
      { kind: 'comment', firstName: 'Ann', author: 'Ben Demo', title: 'Monday', meetingId: 'm1', commentId: 'c1' },
    ],
    links: ['/meeting/m1?comment=c1'],
  },
  'access-request': {
    mails: [
      {
        kind: 'access-request',
        firstName: 'Ann',
        asker: 'Ben Demo',
        email: 'ben@example.test',
        title: 'Monday',
        requestId: 'r1',
      },
      ...(['canRead', 'canComment', 'canEdit', 'canEditShare'] as const).map((role) => ({
        kind: 'access-request' as const,
        firstName: 'Ann',
        asker: 'Ben Demo',
        email: 'ben@example.test',
        title: 'Monday',
        requestId: 'r1',
        role,
      })),
    ],
    links: ['/access/r1'],
  },
  'access-given': {
    mails: [{ kind: 'access-given', firstName: 'Ben', inviter: 'Ann Demo', title: 'Monday', meetingId: 'm1' }],
    links: ['/meeting/m1'],
  },
  feedback: { mails: [{ kind: 'feedback', contact: 'ann@example.test', feedback: 'Fine.\nMore of it.' }], links: [] },
};
const all = Object.values(kinds).flatMap(({ mails, links }) => mails.map((mail) => ({ mail, links })));
const named = all.map(({ mail, links }) => ({
  name: mail.kind === 'invitation' ? `${mail.kind} to a ${mail.what}` : mail.kind,
  mail,
  links,
}));

const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);

describe.each(languages)('mails in %s', (language) => {
  it.each(named)('$name is complete', ({ mail, links }) => {
    const { subject, text, html } = composeMail(mail, language, origin);
    const urls = links.map((path) => origin + path);

    expect(subject).toMatch(/^[^\p{Cc}]{5,200}$/u);
    for (const part of [subject, text, html]) expect(part).not.toContain('{{');
    // Each link is on a line of its own, and the only other address is the server's own at the foot.
    expect(text.split('\n').filter((line) => line.includes('://'))).toEqual([...urls, origin]);
    expect(new Set(hrefs(html))).toEqual(new Set([...urls, origin]));
    expect(html).toContain(`<html lang="${language}">`);
    // Nothing is loaded when the mail is opened.
    expect(html).not.toMatch(/<(img|link|script|iframe|object)|\ssrc=|url\(|@import/i);
  });
});

it.each(named)('$name differs in every language', ({ mail }) => {
  const versions = languages.map((language) => composeMail(mail, language, origin));
  expect(new Set(versions.map(({ subject }) => subject)).size).toBe(languages.length);
  expect(new Set(versions.map(({ text }) => text)).size).toBe(languages.length);
});

it('tells how long a link works', () => {
  const confirm = kinds.confirm.mails[0]!;
  const spoken = languages.map((language) => composeMail(confirm, language, origin).text);
  expect(spoken[languages.indexOf('en')]).toContain('24 hours');
  expect(spoken[languages.indexOf('es')]).toContain('24 horas');
  expect(spoken[languages.indexOf('ru')]).toContain('24 часа');
  expect(spoken[languages.indexOf('zh')]).toContain('24小时');
  expect(composeMail(kinds.reset.mails[0]!, 'en', origin).text).toContain('1 hour,');
  expect(composeMail(kinds['email-changed'].mails[0]!, 'en', origin).text).toContain('72 hours');
  expect(composeMail(kinds.invitation.mails[0]!, 'en', origin).text).toContain('14 days');
});

it.each([null, 'fr', 'toString', ''])('falls back to English for the language %j', (language) => {
  const mail = kinds.reset.mails[0]!;
  expect(composeMail(mail, language, origin)).toEqual(composeMail(mail, 'en', origin));
});

describe('texts', () => {
  const leaves = (node: object, path = ''): [string, string][] =>
    Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' ? [[path + key, value]] : leaves(value as object, `${path}${key}.`),
    );
  const placeholders = (text: string) => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));

  it.each(languages)('%s has the texts and placeholders of English', (language) => {
    const shape = (of: Language) => leaves(mailTexts[of]).map(([key, text]) => [key, placeholders(text)]);
    expect(shape(language)).toEqual(shape('en'));
    expect(leaves(mailTexts[language]).filter(([, text]) => text.trim() === '')).toEqual([]);
  });
});

describe('text that people typed', () => {
  const invitation = (inviter: string) =>
    composeMail({ kind: 'invitation', inviter, what: 'meeting', token }, 'en', origin);
  const greeted = (firstName: string) => composeMail({ kind: 'confirm', firstName, token }, 'en', origin);

  it.each([
    ['a line break', 'Ann\r\nBcc: all@example.test'],
    ['other separators', 'Ann\u2028Ben\u2029Chen\u0085\u0000\u001b[31m'],
    ['a turned direction', '\u202eAnn\u2066Demo\u2069'],
    ['hidden characters', 'A\u200bn\u2060n\ufeff'],
    ['half a character', 'Ann \ud800'],
  ])('%s does not appear in a mail', (_, name) => {
    for (const { subject, text, html } of [invitation(name), greeted(name)]) {
      expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u202a-\u202e\u2060-\u2069\ufeff]/u);
      expect(text.replaceAll('\n', '')).not.toMatch(
        /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u202a-\u202e\u2060-\u2069\ufeff]/u,
      );
      expect(text).not.toMatch(/^Bcc/m);
      expect(html).not.toMatch(/^Bcc/m);
    }
  });

  it('is never markup', () => {
    const hostile = `<img src=x onerror=alert(1)>"'><a href="https://evil.example">&{{inviter}}`;
    const { html, text } = invitation(hostile);
    expect(html).not.toContain('<img');
    expect(new Set(hrefs(html))).toEqual(
      new Set([`${origin}/invitation/${token}`, `${origin}/invitation/${token}/decline`, origin]),
    );
    expect(text).toContain('{{inviter}}');
    const feedback = composeMail({ kind: 'feedback', contact: hostile, feedback: hostile }, 'en', origin);
    expect(feedback.html).not.toContain('<img');
    expect(hrefs(feedback.html)).toEqual([origin]);
  });

  it.each([
    'Your bank: https://evil.example/login',
    'evil.example/pay',
    'www.evil.example',
    'call@evil.example now',
    'Evil。example',
    'http：//evil．example',
    'evil\u2024example',
    '//evil.example',
  ])('contains nothing that a mail program makes a link of: %s', (name) => {
    for (const { text, subject } of [invitation(name), greeted(name)]) {
      const own = text.replaceAll(origin, '');
      for (const part of [own.replaceAll(/^\/.*$/gm, ''), subject]) {
        expect(part).not.toMatch(/:\/\/|\S@\S|[.\u3002\uff0e\uff61]\p{L}/u);
      }
    }
  });

  it('keeps ordinary names', () => {
    for (const name of ['Ann', 'Zoë Ñandú', 'Анна-Мария', '陈 明', "D'Arcy", 'J. R. Demo', 'Ann 👩‍🔬']) {
      expect(invitation(name).subject).toBe(`${name} shares a recording with you`);
      expect(greeted(name).text).toContain(`Hello ${name},`);
    }
  });

  it('is shortened', () => {
    const { subject, text } = invitation('𝒜nn '.repeat(3000));
    expect([...subject].length).toBeLessThanOrEqual(200);
    expect([...text].length).toBeLessThan(1000);
    const { text: notice } = composeMail(
      { kind: 'email-changed', firstName: 'A'.repeat(10_000), newEmail: `${'b'.repeat(10_000)}@example.test`, token },
      'en',
      origin,
    );
    expect(notice.length).toBeLessThan(1200);
  });

  it('greets without a name when nothing of it remains', () => {
    expect(greeted('').text).toContain('Hello,\n');
    expect(greeted('://').text).toContain('Hello,\n');
  });

  it('keeps all lines of feedback', () => {
    const long = 'word '.repeat(1900).trim();
    const { text, html } = composeMail(
      { kind: 'feedback', contact: '', feedback: `one\r\ntwo\rthree\u202e\n\n${long}` },
      'en',
      origin,
    );
    expect(text).toContain(`> one\n> two\n> three\n> \n> ${long}`);
    expect(html).toContain('one<br>two<br>three<br><br>word');
    expect(text).toContain('No contact was given.');
  });
});

it('keeps a token within its path', () => {
  const { text } = composeMail({ kind: 'reset', firstName: 'Ann', token: '../a?b#c/d' }, 'en', origin);
  expect(text).toContain(`${origin}/reset/..%2Fa%3Fb%23c%2Fd`);
});
