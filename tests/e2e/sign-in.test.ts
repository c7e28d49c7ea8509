// The screens of signing in: log in, register, reset a password, confirm an address, accept an invitation.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { es } from '#shared/i18n/es.ts';
import { newId } from '#shared/ids.ts';
import { createInvitation } from '#server/people/invitations.ts';
import { signedIn, transaction, type Ctx } from '#server/context.ts';
import { rules } from '#server/limits.ts';
import { users } from '#db/schema/accounts.ts';
import {
  expectAccessible,
  expectFitting,
  expectReadable,
  openDesk,
  pageHeading,
  visit,
  type Look,
} from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';

const desk = openDesk();
let house: TestHouse;

beforeAll(async () => {
  house = await openHouse({ client: builtClient, env: { DEMO: 'on' } });
});
afterAll(() => house?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const fresh = () => `${newId(10).toLowerCase()}@example.test`;

/** Opens a browser in which nobody is signed in. */
const browse = (look: Look = {}): Promise<Page> => desk.seat(house.stranger(), look);

async function invite(from: Person, email: string, kind: 'account' | 'team' = 'account'): Promise<string> {
  const { body } = await from.whoami();
  const ctx = {
    ...house.house,
    person: { ...body.principal, id: body.principal.id, firstName: 'Ann', lastName: 'Test' },
    proof: { kind: 'token', tokenId: 'x' },
  } as unknown as Ctx;
  await transaction(house.house, (tx) => createInvitation(signedIn(ctx), tx, { kind, email }));
  return house.tokenFor(email, '/invitation');
}

async function fillRegistration(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByLabel('Retype password').fill('correct horse battery');
  await page.getByLabel('First name').fill('Ann');
  await page.getByLabel('Last name').fill('Test');
}

it.each([
  ['wide', 'light', expectReadable],
  ['phone', 'dark', expectAccessible],
] as const)('every sign-in screen reads well on a %s screen, %s', async (width, scheme, readsWell) => {
  const page = await browse({ width, scheme });
  const screens: [string, string][] = [
    ['/login', 'Log in'],
    ['/signup', 'Create an account'],
    ['/recover', 'Forgot your password?'],
    ['/confirm', 'Confirm your address'],
    ['/confirm/abc', 'Confirm your e-mail address'],
    ['/reset/abc', 'Choose a new password'],
    ['/undo-email-change/abc', 'Keep your old address'],
    ['/invitation/abc', 'This link is no longer valid'],
    ['/invitation/abc/decline', 'Decline the invitation?'],
    ['/terms', 'Terms of service'],
    ['/privacy', 'Privacy policy'],
    ['/logout', 'You have successfully logged out'],
  ];
  await page.goto('/help');
  for (const [path, title] of screens) {
    await visit(page, path);
    await heading(page, title).waitFor();
    await readsWell(page);
    // Nothing that a page says is said again above it.
    expect(await page.getByRole('alert').filter({ hasText: title }).count(), path).toBe(0);
  }
  await visit(page, '/signup');
  await press(page, 'Create an account');
  await page.getByRole('form').getByRole('alert').waitFor();
  await readsWell(page);
});

describe.each(['zh', 'ru', 'es'] as const)('in the language %s', (locale) => {
  it('every sign-in screen fits on a phone', async () => {
    const page = await browse({ width: 'phone' });
    await page.goto('/help');
    await page.evaluate((language) => localStorage.setItem('colloquy-language', language), locale);
    await page.reload();
    for (const path of ['/login', '/signup', '/recover', '/confirm', '/reset/abc', '/logout', '/terms', '/privacy']) {
      const before = await page.locator(pageHeading).innerText();
      await visit(page, path);
      await expect.poll(() => page.locator('h1').allInnerTexts()).not.toContain(before);
      await page.locator(pageHeading).waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale);
      await expectFitting(page);
      expect(await page.locator('main').evaluate(narrowLinks), path).toEqual([]);
    }
  });
});

/** Links in a line of their own that a finger misses by 18 px above or below their middle. */
const narrowLinks = (main: Element): string[] =>
  [...main.querySelectorAll('a')]
    .filter((link) => link.parentElement !== null && getComputedStyle(link.parentElement).display === 'flex')
    .filter((link) => {
      link.scrollIntoView({ block: 'center' });
      const { left, top, height } = link.getBoundingClientRect();
      return [-18, 18].some((off) => document.elementFromPoint(left + 8, top + height / 2 + off) !== link);
    })
    .map((link) => link.innerText);

describe('declining an invitation by its mail', () => {
  it('takes a press, and can be thought over by the same mail', async () => {
    const email = fresh();
    const secret = await invite(await house.person('Ann'), email);
    const page = await browse({ width: 'phone', scheme: 'dark' });
    await page.goto(`/invitation/${secret}/decline`);
    await heading(page, 'Decline the invitation?').waitFor();
    await expect.poll(() => page.url()).not.toContain(secret);
    await page.getByRole('button', { name: 'Decline' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Invitation declined').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Accept' }).click();
    await heading(page, 'Create an account').waitFor();
  });

  it('asks for the account that is invited', async () => {
    const ben = await house.person('Ben');
    const secret = await invite(await house.person('Ann'), ben.email);
    const page = await browse();
    await page.goto(`/invitation/${secret}/decline`);
    await press(page, 'Decline');
    await page.getByRole('alert').getByText('This invitation is for').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail').fill(ben.email);
    await page.getByLabel('Password', { exact: true }).fill(ben.password);
    await press(page, 'Log in');
    await press(page, 'Decline');
    await heading(page, 'Invitation declined').waitFor();
    expect((await ben.whoami()).body.invitations).toEqual([]);
  });
});

describe('logging in', () => {
  it('works by keyboard alone, and leads to the requested page', async () => {
    const ann = await house.person();
    const page = await browse();
    await page.goto(`/login?email=${ann.email}&redirectTo=/profile`);
    await page.getByLabel('Password', { exact: true }).focus();
    await page.keyboard.type(ann.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/profile');
  });

  it('says what is wrong above the form, and nothing more', async () => {
    const page = await browse();
    await page.goto('/login');
    await page.getByLabel('E-mail').fill(fresh());
    await page.getByLabel('Password', { exact: true }).fill('wrong password');
    await press(page, 'Log in');
    await page.getByRole('alert').getByText('The e-mail or the password is wrong.').waitFor();
  });

  it('reports an answer without a person', async () => {
    const page = await browse();
    await page.route('**/api/login', (route) => route.fulfill({ json: {} }));
    await page.goto('/login');
    await page.getByLabel('E-mail').fill(fresh());
    await page.getByLabel('Password', { exact: true }).fill('any password');
    await press(page, 'Log in');
    await page.getByText('Incorrect login response').waitFor();
  });

  it('never leaves the site afterwards, whatever the address says', async () => {
    const ann = await house.person();
    const page = await desk.seat(ann);
    for (const target of ['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      await page.goto(`/login?${new URLSearchParams({ redirectTo: target })}`);
      await heading(page, 'Library').waitFor();
      expect(new URL(page.url()).origin).toBe(house.origin);
    }
  });

  it('signs in as a demo person with one press', async () => {
    const page = await browse();
    await page.goto('/login');
    await page.getByRole('button', { name: 'Ann Demo' }).click();
    await heading(page, 'Library').waitFor();
  });

  it('leads a visitor to the sign-in page and back to the page they came from', async () => {
    const ann = await house.person();
    const page = await browse();
    await page.goto('/profile');
    await page.waitForURL('**/login?redirectTo=%2Fprofile');
    await page.getByLabel('E-mail').fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await press(page, 'Log in');
    await page.waitForURL('**/profile');
  });

  it('logging out ends the session, nothing private stays in the browser, and its habits do', async () => {
    const ann = await house.person();
    const page = await desk.seat(ann);
    await page.goto('/');
    await page.getByRole('button', { name: 'Account of Ann Test' }).click();
    const shortcuts = JSON.stringify({ profile: 'ours', own: { ours: { playPause: ['F9'] } } });
    const habits = { 'colloquy-language': 'es', 'mantine-color-scheme-value': 'dark', 'colloquy-keys': shortcuts };
    await page.evaluate((stored) => {
      for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
      localStorage.setItem('colloquy-places:9', '{}');
    }, habits);
    await page.getByRole('link', { name: 'Logout' }).click();
    await heading(page, 'You have successfully logged out').waitFor();
    expect((await ann.get('/api/sessions')).status).toBe(401);
    await page.getByRole('link', { name: 'Log in again' }).click();
    await heading(page, 'Log in').waitFor();
    await page.reload();
    await heading(page, es.signIn.login.title).waitFor();
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    const stored = await page.evaluate(() => ({ ...localStorage }));
    expect(stored).toMatchObject(habits);
    expect(Object.keys(stored).filter((key) => /places|session/.test(key))).toEqual([]);
  });
});

describe('registering', () => {
  it('requires the terms to be accepted before anything is sent', async () => {
    const page = await browse();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.goto('/signup');
    await page.getByLabel('I agree with the Terms of Service and the Privacy Policy', { exact: true }).waitFor();
    for (const [name, path] of [
      ['Terms of Service', '/terms'],
      ['Privacy Policy', '/privacy'],
    ] as const) {
      const link = page.getByRole('link', { name, exact: true });
      expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([path, '_blank']);
    }
    await fillRegistration(page, fresh());
    await press(page, 'Create an account');
    await page.getByRole('alert').getByText('You need to agree with our Terms of Service to continue').waitFor();
    // With them, all that is wrong is said at once.
    await page.getByLabel('Password', { exact: true }).fill('four');
    await page.getByLabel('Retype password').fill('four');
    await page.getByLabel('Last name').fill('');
    await press(page, 'Create an account');
    await page.getByRole('alert').getByText('The password needs at least 8 characters.').waitFor();
    await page.getByRole('alert').getByText('Enter your last name.').waitFor();
    await page.getByRole('alert').getByText('You need to agree with our Terms of Service to continue').waitFor();
    expect(sent).toEqual([]);
  });

  it('shows the server’s errors, above the form and at the field', async () => {
    const page = await browse();
    await page.goto('/signup');
    await fillRegistration(page, fresh());
    await page.getByLabel('Password', { exact: true }).fill('password');
    await page.getByLabel('Retype password').fill('password');
    await page.getByLabel('I agree').check();
    await press(page, 'Create an account');
    await expect.poll(() => page.getByText('too common').count()).toBe(2);
  });

  it('leads through the mail into the app', async () => {
    const email = fresh();
    const page = await browse();
    await page.goto('/signup');
    await fillRegistration(page, email);
    await page.getByLabel('I agree').check();
    await press(page, 'Create an account');
    await heading(page, 'Please check your e-mail').waitFor();
    await page
      .getByText("If you don't receive a confirmation email within 10 minutes, please visit this page.")
      .waitFor();
    expect(await page.getByLabel('E-mail').count()).toBe(0);
    // The next forms have the address.
    await page.getByRole('link', { name: 'this page' }).click();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);

    await page.goto('/');
    await page.getByText(`We have sent a link to ${email}.`).waitFor();
    await expectAccessible(page);
    await press(page, 'Send again');
    await page.getByText(`Confirmation instructions have been sent to ${email}`).waitFor();

    await page.goto(`/confirm/${await house.tokenFor(email, '/confirm')}`);
    await page.waitForURL('**/confirm/-');
    await press(page, 'Confirm');
    await heading(page, 'Your address is confirmed').waitFor();
    await page.getByRole('link', { name: 'Go to library' }).click();
    await heading(page, 'Library').waitFor();
    expect(await page.getByText('We have sent a link').count()).toBe(0);
  });
});

describe('a forgotten password', () => {
  it('is replaced by the link of a mail, once', async () => {
    const ann = await house.person();
    const page = await browse();
    await page.goto('/recover');
    await page.getByLabel('E-mail').fill(ann.email);
    await press(page, 'Recover password');
    await page.getByText(`Instructions to reset your password have been sent to ${ann.email}`).waitFor();

    const token = await house.tokenFor(ann.email, '/reset');
    await page.goto(`/reset/${token}`);
    await page.waitForURL('**/reset/-');
    await page.reload();
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await page.getByLabel('Retype password').fill('another horse battery');
    await press(page, 'Reset password');
    await heading(page, 'Password was successfully changed!').waitFor();
    ann.password = 'another horse battery';
    expect((await ann.login()).status).toBe(200);

    await page.goto(`/reset/${token}`);
    await page.getByLabel('New password', { exact: true }).fill('third horse battery');
    await page.getByLabel('Retype password').fill('third horse battery');
    await press(page, 'Reset password');
    await heading(page, 'This link is no longer valid').waitFor();
  });

  it('a lost confirmation mail is sent again, to anyone who asks', async () => {
    const page = await browse();
    const email = fresh();
    await page.goto('/confirm');
    await page.getByLabel('E-mail').fill(email);
    await press(page, 'Resend confirmation instructions');
    await page.getByText(`Confirmation instructions have been sent to ${email}`).waitFor();
    expect(await house.mails(email)).toEqual([]);
  });
});

describe('a new address', () => {
  it('is set by link and password, after signing in if necessary, and can be undone', async () => {
    const ann = await house.person();
    const old = ann.email;
    const next = fresh();
    expect((await ann.post('/api/principals/me/change-email/step1', { new_email: next })).status).toBe(204);
    const page = await browse();
    await page.goto(`/confirm-email-change?token=${await house.tokenFor(next, '/confirm-email-change')}`);
    await heading(page, 'Log in').waitFor();
    await page.getByLabel('E-mail').fill(old);
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await press(page, 'Log in');
    await heading(page, 'Confirm your new address').waitFor();
    expect(page.url()).not.toContain('token');
    await page.getByLabel('Password', { exact: true }).fill('not it at all');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await press(page, 'Confirm');
    await heading(page, 'Email changed successfully').waitFor();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await page.waitForURL('**/login');

    await page.goto(`/undo-email-change/${await house.tokenFor(old, '/undo-email-change')}`);
    await press(page, 'Undo change');
    await heading(page, 'Your old address is restored').waitFor();
  });
});

describe('an invitation', () => {
  it('is accepted at once by the person it is for', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const page = await desk.seat(ben);
    await page.goto(`/invitation/${await invite(ann, ben.email)}`);
    await heading(page, 'Library').waitFor();
  });

  it('leads a new person to register, and needs no confirmation then', async () => {
    const ann = await house.person();
    const email = fresh();
    const page = await browse();
    await page.goto(`/invitation/${await invite(ann, email)}`);
    await heading(page, 'Create an account').waitFor();
    await page.getByText('Ann Test invites you to Colloquy').waitFor();
    await fillRegistration(page, email);
    await page.getByLabel('I agree').check();
    await press(page, 'Create an account');
    await heading(page, 'Library').waitFor();
    expect(await page.getByText('We have sent a link').count()).toBe(0);
  });

  it('leads the person it is for to log in', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const page = await browse();
    await page.goto(`/invitation/${await invite(ann, ben.email)}`);
    await page.getByText('Please login to your account').waitFor();
    await page.getByLabel('E-mail').fill(ben.email);
    await page.getByLabel('Password', { exact: true }).fill(ben.password);
    await press(page, 'Log in');
    await heading(page, 'Library').waitFor();
  });

  it('asks before it logs another person out', async () => {
    const [ann, ben, chen] = (await house.people(3)) as [Person, Person, Person];
    const page = await desk.seat(chen);
    await page.goto(`/invitation/${await invite(ann, ben.email)}`);
    await page.getByText(/This invitation is for b….*Please login to this account\./).waitFor();
    await page.getByText(chen.email).waitFor();
    await expectAccessible(page);
    expect((await chen.get('/api/sessions')).status).toBe(200);
    await page.evaluate(() => localStorage.setItem('colloquy-rate', '1.5'));
    await press(page, 'Log out and continue');
    await heading(page, 'Log in').waitFor();
    expect((await chen.get('/api/sessions')).status).toBe(401);
    expect(await page.evaluate(() => localStorage.getItem('colloquy-rate'))).toBe('1.5');
  });

  it('reports that it cannot be applied', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const page = await desk.seat(ben);
    await page.goto(`/invitation/${await invite(ann, ben.email, 'team')}`);
    await page.getByText('Error applying invitation. Contact the inviter or support.').waitFor();
  });
});

it('no account is created that its owner did not ask for', async () => {
  const rows = await house.database.orm.select({ email: users.email }).from(users);
  expect(rows.every(({ email }) => email.endsWith('.test') || email.endsWith('.example'))).toBe(true);
});

// Last, because it moves the clock of the house.
it.each(['wide', 'phone'] as const)(
  'a %s page counts down until the confirmation mail can be sent again, also after a reload',
  async (width) => {
    const page = await browse({ width });
    const email = fresh();
    await page.clock.install();
    await page.goto('/confirm');
    await page.getByLabel('E-mail').fill(email);
    await press(page, 'Resend confirmation instructions');
    await page.getByText(`Confirmation instructions have been sent to ${email}`).waitFor();
    const again = page.getByRole('button', { name: /^Send it again/ });
    await expect.poll(() => again.innerText()).toMatch(/^Send it again in (1:00|0:[2-5]\d)$/);
    await expectAccessible(page);

    await page.reload();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await expect.poll(() => again.innerText()).toMatch(/^Send it again in 0:\d\d$/);
    // The server decides, also about what was requested elsewhere.
    for (let i = 1; i < rules.confirmAgain.most; i += 1) {
      house.clock.forward(rules.confirmPause.per);
      expect((await house.stranger().post('/api/confirm', { email })).status).toBe(204);
    }
    await page.clock.fastForward(60_000);
    await press(page, 'Resend confirmation instructions');
    await page.getByRole('alert').getByText('Please wait').waitFor();
    await expect.poll(() => again.innerText()).toMatch(/^Send it again in 5\d:\d\d$/);
    house.clock.forward(rules.confirmAgain.per);
    await page.clock.fastForward(rules.confirmAgain.per * 1000);
    await press(page, 'Resend confirmation instructions');
    await page.getByText(`Confirmation instructions have been sent to ${email}`).waitFor();
  },
);
