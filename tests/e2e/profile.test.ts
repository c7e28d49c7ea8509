// The profile: the person, their settings, sessions and tokens, and the end of an account.
import { eq } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#db/schema/accounts.ts';
import { startSession } from '#server/people/sessions.ts';
import { newId } from '#shared/ids.ts';
import { languageNames } from '#shared/i18n/languages.ts';
import { expectAccessible, expectReadable, openDesk, pageHeading, visit, type Look } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting } from '../support/meetings.ts';
import { openProvider, type TestProvider } from '../support/oidc.ts';
import type { Person } from '../support/people.ts';

const desk = openDesk();
let provider: TestProvider;
let house: TestHouse;

beforeAll(async () => {
  provider = await openProvider();
  house = await openHouse({ client: builtClient, env: provider.env });
});
afterAll(async () => {
  await house?.close();
  await provider?.close();
});

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const pressIn = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();
const setting = (page: Page, name: string) => page.getByRole('switch', { name });
const preferencesOf = async (person: Person) => (await person.whoami()).body.principal.preferences;
/** Places of an element in all frames from now on, across or down the page. */
const placesOf = (page: Page, selector: string, edge: 'left' | 'top') =>
  page.evaluateHandle(
    ([where, side]) => {
      const places = new Set<number>();
      const look = () => {
        const box = document.querySelector(where)?.getBoundingClientRect();
        if (box) places.add(Math.round(box[side]));
        requestAnimationFrame(look);
      };
      look();
      return places;
    },
    [selector, edge] as const,
  );
const change = (person: Person, fields: Partial<typeof users.$inferInsert>) =>
  house.database.orm.update(users).set(fields).where(eq(users.id, person.id));

/** Opens the profile with all its parts: other sessions, a token. */
async function profileOf(person: Person, look: Look = {}): Promise<Page> {
  const page = await desk.seat(person, look);
  await page.goto('/profile');
  await page.locator(pageHeading).waitFor();
  await page.locator('#main li').first().waitFor();
  return page;
}

async function settled(person: Person): Promise<Person> {
  const safari =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15';
  await startSession(house.house, house.database.orm, { userId: person.id, remember: true, userAgent: safari });
  await person.post('/api/tokens', { name: 'Nightly export' });
  return person;
}

/** Opens every dialog of the profile in turn, and runs a check in each. */
async function eachDialog(page: Page, look: () => Promise<void>): Promise<void> {
  const places = ['about', 'use', 'token', 'delete'] as const;
  const openers = {
    about: page.locator('dl').getByRole('button'),
    use: page.locator('section').nth(1).getByRole('button'),
    token: page.locator('section').nth(4).getByRole('button').last(),
    delete: page.locator('section').nth(6).getByRole('button'),
  };
  for (const place of places) {
    await openers[place].click();
    await dialog(page).waitFor();
    // Until it knows which recordings others use, its button waits; then it changes its colour.
    if (place === 'delete') await dialog(page).locator('form [type=submit]:enabled').waitFor();
    await look();
    if (place === 'token') {
      await dialog(page).getByRole('textbox').fill('A program');
      await page.keyboard.press('Enter');
      await dialog(page).locator('input[readonly]').waitFor();
      await look();
      await page.keyboard.press('Escape');
    } else if (place === 'delete') {
      await dialog(page).getByRole('button').last().click();
      await dialog(page).getByRole('alert').waitFor();
      await look();
      await page.keyboard.press('Escape');
    } else {
      // The question about the use has no close button and ignores Escape: its own button closes it.
      await dialog(page).locator('form button').nth(-2).click();
    }
    await dialog(page).waitFor({ state: 'detached' });
  }
}

it('everything is taken out as one file, which the page says when it is ready', async () => {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann);
  await page.goto('/profile');
  const section = page.getByRole('region', { name: 'Take everything out' });
  await section.getByText('No archives yet.').waitFor();
  const make = section.getByRole('button', { name: 'Make an archive' });
  await make.click();
  await section.getByRole('alert').getByText('You have no recordings yet.').waitFor();
  await makeMeeting(house, ann);
  await make.click();
  const link = section.getByRole('link', { name: 'Download the archive: 1 recording' });
  await link.waitFor();
  await expectReadable(page);
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toMatch(/^Colloquy \d{4}-\d\d-\d\d\.zip$/);
  await section.getByRole('button', { name: 'Delete the archive: 1 recording' }).click();
  await pressIn(page, 'Delete');
  await section.getByText('No archives yet.').waitFor();
});

it.each([
  ['wide', 'light', expectReadable],
  ['phone', 'dark', expectAccessible],
] as const)('everything about the account reads well on a %s screen, %s', async (width, scheme, readsWell) => {
  const ann = await settled(await house.person('Ann', {}, { accountType: null }));
  const page = await desk.seat(ann, { width, scheme });
  await page.goto('/');
  await dialog(page).waitFor();
  await readsWell(page);
  await page.getByRole('radio', { name: 'Learning to coach' }).check();
  await pressIn(page, 'Apply');
  await page.getByRole('dialog', { name: 'Make assessment easier' }).waitFor();
  await readsWell(page);
  await pressIn(page, 'Got it');

  await visit(page, '/profile');
  await page.getByText('This device').waitFor();
  await readsWell(page);
  await eachDialog(page, () => readsWell(page));

  await change(ann, { passwordHash: null });
  await page.goto('/profile?delete=ask&error=not-fresh');
  await dialog(page).getByRole('alert').waitFor();
  await readsWell(page);

  for (const path of ['/help', '/help/correct', '/guides/students.en.html', '/guides/mentors.en.html']) {
    await page.goto(path);
    await page.locator(pageHeading).waitFor();
    await readsWell(page);
  }
});

it('support can be contacted, signed in or not', async () => {
  for (const person of [house.stranger(), await house.person()]) {
    const page = await desk.seat(person);
    await page.goto('/help');
    await page.locator(pageHeading).waitFor();
    await press(page, 'Ask support');
    await press(page, 'Send');
    await page.getByText('Describe what you need.').waitFor();
    await expectReadable(page);
  }
});

describe.each(['zh', 'ru', 'es'] as const)('in the language %s', (language) => {
  it.each(['wide', 'phone'] as const)('everything fits on a %s screen', async (width) => {
    const ann = await settled(await house.person());
    await change(ann, { language });
    const page = await profileOf(ann, { width });
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(language);
    const fits = async () => {
      expect(
        await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('[role=dialog], #main button, #main section')]
            .filter((element) => element.scrollWidth > element.clientWidth + 1)
            .map((element) => element.textContent),
        ),
      ).toEqual([]);
    };
    await fits();
    await eachDialog(page, fits);
    for (const path of [
      '/help',
      '/help/export',
      `/guides/students.${language}.html`,
      `/guides/mentors.${language}.html`,
    ]) {
      // The guides are pages of their own.
      const before = await page.locator(pageHeading).innerText();
      if (path.startsWith('/guides')) await page.goto(path);
      else await visit(page, path);
      await expect.poll(() => page.locator('h1').allInnerTexts()).not.toContain(before);
      await page.locator(pageHeading).waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      await fits();
    }
  });
});

describe('about the person', () => {
  it('name and address are shown, teams are listed as they are, and none of it is a field', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    const facts = await page.locator('dl').innerText();
    for (const fact of [ann.email, 'Ann', 'Test', 'You are not in a team yet.']) expect(facts).toContain(fact);
    expect(await page.locator('dl input').count()).toBe(0);
  });

  it('a link to a new address is sent once the address is valid', async () => {
    const ann = await house.person();
    const address = `${newId(10).toLowerCase()}@example.test`;
    const page = await profileOf(ann);
    // A press that begins while the dialog opens would otherwise end beside its button.
    const tops = await placesOf(page, '[role=dialog]', 'top');
    await press(page, 'Change e-mail');
    await dialog(page).waitFor();
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    expect(await tops.evaluate((seen) => [...seen])).toHaveLength(1);
    const button = dialog(page).getByRole('button', { name: 'Change', exact: true });
    for (const wrong of ['', 'ann', 'ann@', 'ann@a b.test']) {
      await page.getByLabel('New e-mail').fill(wrong);
      expect(await button.isDisabled(), wrong).toBe(true);
    }
    await page.getByLabel('New e-mail').fill(address);
    const lefts = await placesOf(page, 'body > div > [role=status] > *', 'left');
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .getByText("Please check your new email – we've sent further instructions there.")
      .waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await page.locator('body:not([data-scroll-locked])').waitFor();
    expect(await lefts.evaluate((seen) => [...seen])).toHaveLength(1);
    expect(await house.tokenFor(address, '/confirm-email-change')).not.toBe('');
    expect((await ann.whoami()).body.principal.email).toBe(ann.email);
  });

  it('reasons against a new address are shown', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    await press(page, 'Change e-mail');
    await page.getByLabel('New e-mail').fill(ann.email.toUpperCase());
    await pressIn(page, 'Change');
    await dialog(page).getByRole('alert').getByText('This is already your address.').waitFor();
    await change(ann, { confirmedAt: null });
    await page.getByLabel('New e-mail').fill('ann@elsewhere.test');
    await pressIn(page, 'Change');
    await dialog(page).getByRole('alert').getByText('Please confirm your e-mail address first').waitFor();
  });

  it('the language applies to the page and to the account', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    for (const [language, name] of Object.entries(languageNames).toReversed()) {
      await page.locator('#main select').first().selectOption(name);
      await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(language);
      await expect.poll(async () => (await ann.whoami()).body.principal.language).toBe(language);
    }
  });
});

describe('settings', () => {
  const switches: [name: string, before: boolean, of: (kept: any) => unknown][] = [
    ['Play on double click', true, (kept) => !kept.doc?.disablePlayOnDoubleClick],
    ['Pause while choosing an outcome', true, (kept) => kept.pauseOnOutcomeSelecting],
    ['Confirm new outcomes', true, (kept) => kept.showConfirmationPopupForOutcomes],
    ['Add privately', false, (kept) => kept.hardcorePrivacy],
    ['Capitalize sentences', true, (kept) => !kept.disableAutoCapitalize],
    ['Small letters inside sentences', true, (kept) => !kept.disableAutoDecapitalize],
    ['Add full stops', true, (kept) => !kept.disableAutoPeriod],
  ];

  it('each takes effect at once, and stays', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    const counts = ['Listening', 'Writing', 'Privacy'].map((name) =>
      page.getByRole('group', { name }).getByRole('switch').count(),
    );
    expect(await Promise.all(counts)).toEqual([2, 4, 1]);
    for (const [name, before, of] of switches) {
      expect(await setting(page, name).isChecked(), name).toBe(before);
      await setting(page, name).focus();
      await page.keyboard.press('Space');
      await expect.poll(async () => of(await preferencesOf(ann)), { message: name }).toBe(!before);
    }
    await page.reload();
    await setting(page, 'Add full stops').waitFor();
    const shown = async ([name]: (typeof switches)[number]) => [name, await setting(page, name).isChecked()];
    expect(await Promise.all(switches.map(shown))).toEqual(switches.map(([name, before]) => [name, !before]));
  });

  it('highlights and marks are chosen from lists', async () => {
    const ann = await house.person('Ann', {}, { accountType: 'coach' });
    const page = await profileOf(ann);
    await page.getByLabel('Highlight while playing').selectOption('The word');
    await expect.poll(async () => (await preferencesOf(ann)).transcriptHighlightingMode).toBe('word');
    await page.getByLabel('Outcome types').selectOption('Decisions, tasks, questions');
    await expect.poll(async () => (await ann.whoami()).body.principal.outcomeModel).toBe('meeting');
  });

  it('a setting that could not be stored goes back, and that is reported', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    let answer = () => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/principals/me', async (route) => {
      await asked;
      await route.fulfill({ status: 500, json: {} });
    });
    await setting(page, 'Add privately').check();
    // The switch changes before the server has answered.
    expect(await setting(page, 'Add privately').isChecked()).toBe(true);
    answer();
    await page.getByText('Couldn’t save “Add privately”. Something went wrong...').waitFor();
    await expect.poll(() => setting(page, 'Add privately').isChecked()).toBe(false);
  });

  it('several settings changed in a row are all stored, and none flickers', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    const names = ['Play on double click', 'Add privately', 'Capitalize sentences'];
    // Records every state painted after the switch was pressed.
    const painted = await page.evaluateHandle(() => {
      const seen: boolean[] = [];
      document.addEventListener('change', ({ target }) => {
        if (!(target instanceof HTMLInputElement)) return;
        const chosen = target.checked;
        const look = () => {
          seen.push(target.checked === chosen);
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      return seen;
    });
    for (const name of names) await setting(page, name).click();
    await expect
      .poll(() => preferencesOf(ann))
      .toMatchObject({ doc: { disablePlayOnDoubleClick: true }, hardcorePrivacy: true, disableAutoCapitalize: true });
    await expect.poll(() => painted.evaluate((seen) => seen.length)).toBeGreaterThan(20);
    expect(await painted.evaluate((seen) => seen.includes(false))).toBe(false);
  });
});

describe('the purpose of the account', () => {
  const question = (page: Page) => page.getByRole('dialog', { name: 'What will you be using the product for?' });

  it('is asked for after signing in, and cannot be skipped', async () => {
    const ann = await house.person('Ann', {}, { accountType: null });
    const page = await desk.seat(house.stranger());
    await page.goto('/login');
    await page.getByLabel('E-mail').fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await page.keyboard.press('Enter');
    await question(page).waitFor();
    await page.mouse.click(5, 450);
    await page.keyboard.press('Escape');
    const apply = dialog(page).getByRole('button', { name: 'Apply' });
    expect(await apply.isDisabled()).toBe(true);
    expect(await dialog(page).getByRole('button').count()).toBe(1);
    await page.getByRole('radio', { name: 'Coaching' }).focus();
    await page.keyboard.press('Space');
    await apply.click();
    await question(page).waitFor({ state: 'detached' });
    expect((await ann.whoami()).body.principal.accountType).toBe('coach');
    await page.reload();
    await page.getByText('Good to see you, Ann').waitFor();
    expect(await dialog(page).count()).toBe(0);
  });

  it.each([
    ['Mentoring and assessing', 'mentor'],
    ['Learning to coach', 'student'],
  ])('%s: a guide follows', async (name, type) => {
    const ann = await house.person('Ann', {}, { accountType: null });
    const page = await desk.seat(ann);
    await page.goto('/');
    await page.getByRole('radio', { name }).check();
    await pressIn(page, 'Apply');
    const guide = page.getByRole('dialog', { name: 'Make assessment easier' });
    await guide.waitFor();
    expect((await ann.whoami()).body.principal.accountType).toBe(type);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Got it');
    for (const reader of ['students', 'mentors']) {
      const link = guide.getByRole('link', { name: `Guide for ${reader}` });
      const answer = await page.request.get((await link.getAttribute('href')) ?? '');
      expect(answer.headers()['content-type']).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('<h1>');
    }
    await page.keyboard.press('Enter');
    await guide.waitFor({ state: 'detached' });
  });

  it('is asked neither of visitors, nor before the address is confirmed, nor over the account', async () => {
    const page = await desk.seat(house.stranger());
    await page.goto('/login');
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await question(page).count()).toBe(0);

    const ann = await house.person('Ann', {}, { accountType: null });
    const profile = await profileOf(ann);
    await profile.getByText('Not chosen yet').waitFor();
    expect(await question(profile).count()).toBe(0);

    await change(ann, { confirmedAt: null });
    await profile.goto('/');
    await profile.getByText('Good to see you, Ann').waitFor();
    expect(await question(profile).count()).toBe(0);
  });

  it('can be changed in the profile', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    const opener = page.getByRole('button', { name: 'Change', exact: true });
    await opener.click();
    await question(page).waitFor();
    expect(await page.getByRole('radio', { name: 'My own meetings' }).isChecked()).toBe(true);
    await pressIn(page, 'Cancel');
    await question(page).waitFor({ state: 'detached' });
    await opener.click();
    await page.getByRole('radio', { name: 'Learning to coach' }).check();
    await pressIn(page, 'Apply');
    await pressIn(page, 'Got it');
    await page.locator('#main').getByText('Learning to coach').waitFor();
    await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true);
  });
});

describe('the sessions', () => {
  it('are listed, and all others can be ended', async () => {
    const ann = await settled(await house.person());
    const elsewhere = house.stranger();
    elsewhere.email = ann.email;
    await elsewhere.login();
    const page = await profileOf(ann);
    await page.getByText('Safari on macOS').waitFor();
    const first = page.locator('section', { hasText: 'Where you are signed in' }).getByRole('listitem').first();
    expect(await first.innerText()).toContain('This device');
    await press(page, 'Log out everywhere else');
    await page.getByText('You are logged out everywhere else').waitFor();
    await page.getByText('You are not signed in anywhere else.').waitFor();
    expect((await elsewhere.whoami()).body.principal.kind).toBe('anonymous');
    expect((await ann.whoami()).body.principal.kind).toBe('user');
  });

  it('that fail to load leave the rest of the page usable', async () => {
    const page = await desk.seat(await house.person());
    await page.route('**/api/sessions', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto('/profile');
    await page.getByRole('alert').getByText('Something went wrong...').waitFor();
    await page.getByText('You have no tokens.').waitFor();
    await page.unroute('**/api/sessions');
    await press(page, 'Try again');
    await page.getByText('This device').waitFor();
  });
});

describe('API tokens', () => {
  it('a token is made, shown once, works, and ends', async () => {
    const ann = await house.person();
    const page = await profileOf(ann);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('You have no tokens.').waitFor();
    await press(page, 'Create a token');
    await pressIn(page, 'Create');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('What is it for?').fill('Nightly export');
    await page.keyboard.press('Enter');
    const field = dialog(page).getByLabel('Nightly export');
    await field.waitFor();
    const token = await field.inputValue();
    expect(await page.evaluate(() => String(window.getSelection()))).toBe(token);
    await pressIn(page, 'Copy');
    await dialog(page).getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    // A click beside the dialog must not close it, because the token cannot be shown again.
    await page.mouse.click(5, 450);
    expect(await field.inputValue()).toBe(token);
    await pressIn(page, 'Done');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);

    const program = house.stranger();
    program.token = token;
    expect((await program.whoami()).body.principal.id).toBe(ann.id);

    await press(page, 'Revoke “Nightly export”');
    await page.getByText('Revoke the token “Nightly export”?').waitFor();
    await pressIn(page, 'Cancel');
    expect((await program.whoami()).body.principal.id).toBe(ann.id);
    await press(page, 'Revoke “Nightly export”');
    await pressIn(page, 'Revoke');
    await page.getByText('You have no tokens.').waitFor();
    expect((await program.whoami()).status).toBe(401);
  });

  it('too many are refused with an explanation', async () => {
    const ann = await house.person();
    for (let made = 0; made < 50; made += 1) await ann.post('/api/tokens', { name: `token ${made}` });
    const page = await profileOf(ann);
    await press(page, 'Create a token');
    await page.getByLabel('What is it for?').fill('One more');
    await pressIn(page, 'Create');
    await dialog(page).getByText('You have reached the maximum number of tokens. Revoke one first.').waitFor();
  });
});

describe('deleting the account', () => {
  /** Answers each native question of the browser, and records it. */
  function answering(page: Page, yes: boolean): string[] {
    const asked: string[] = [];
    page.on('dialog', (native) => {
      asked.push(`${native.type()}: ${native.message()}`);
      void (yes ? native.accept() : native.dismiss());
    });
    return asked;
  }
  async function filled(person: Person, password?: string): Promise<Page> {
    const page = await desk.seat(person);
    await fill(page, person, password);
    return page;
  }
  async function fill(page: Page, person: Person, password = person.password): Promise<void> {
    await page.goto('/profile');
    await press(page, 'Delete account');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Reason').selectOption('It is too slow');
  }

  it('asks for a password and one of fifteen reasons', async () => {
    const page = await profileOf(await house.person());
    const asked = answering(page, true);
    await press(page, 'Delete account');
    await page.getByLabel('Reason').waitFor();
    const reasons = await page.getByLabel('Reason').locator('option:not([disabled])').allInnerTexts();
    expect(new Set(reasons).size).toBe(15);
    expect(reasons.at(0)).toBe("I completed the task; I don't need the platform anymore");
    expect(reasons.at(-1)).toBe('I found a more affordable/free alternative');
    await pressIn(page, 'Delete account');
    const missing = dialog(page).getByRole('alert');
    await missing.getByText('Enter the password.').waitFor();
    await missing.getByText('Choose a reason.').waitFor();
    expect(asked).toEqual([]);
  });

  it('asks natively first, and does nothing if the answer is no', async () => {
    const ann = await house.person();
    const page = await filled(ann);
    const asked = answering(page, false);
    let sent = 0;
    await page.route('**/api/principals/me/delete', async (route) => {
      sent += 1;
      await route.continue();
    });
    await pressIn(page, 'Delete account');
    expect(asked).toEqual(['confirm: Delete your account forever? You can’t undo this.']);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(sent).toBe(0);
    expect((await ann.whoami()).body.principal.kind).toBe('user');
  });

  it('reports success, notices that nobody is signed in, and ends at the sign-in page', async () => {
    const ann = await house.person();
    const page = await desk.seat(ann);
    await page.clock.install();
    await fill(page, ann);
    answering(page, true);
    await page.getByLabel('Comment (optional)').fill('Thank you all the same.');
    let refreshed = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/principals/whoami')) refreshed += 1;
    });
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await pressIn(page, 'Delete account');
    await page.getByText('Account deletion request submitted successfully').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Deleting…' }).isDisabled()).toBe(true);
    await page.clock.runFor(990);
    expect(refreshed).toBe(0);
    await page.clock.runFor(10);
    await page.waitForURL((url) => url.search !== '');
    await expect.poll(() => refreshed).toBe(1);
    await page.clock.runFor(990);
    expect(new URL(page.url()).search).not.toBe('');
    // Only the start of the first step is certain while the clock is paused; its distance to the end is not.
    const atTheDoor = async () => {
      await page.clock.runFor(10);
      const { pathname, search } = new URL(page.url());
      return [pathname, search];
    };
    await expect.poll(atTheDoor).toEqual(['/login', '']);
    const again = house.stranger();
    again.email = ann.email;
    expect((await again.login()).status).toBe(401);
  });

  it('reports a wrong password, and other failures', async () => {
    const ann = await house.person();
    const page = await filled(ann, 'not the password');
    answering(page, true);
    await pressIn(page, 'Delete account');
    await dialog(page).getByRole('alert').getByText('The password is wrong.').waitFor();
    await page.route('**/api/principals/me/delete', (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await pressIn(page, 'Delete account');
    await dialog(page).getByText('Failed to delete account. Please try again.').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Delete account' }).isEnabled()).toBe(true);
  });

  describe('by a person without a password', () => {
    async function fromElsewhere(): Promise<{ page: Page; sub: string }> {
      const sub = newId(12);
      provider.people.set(sub, { email: `${sub.toLowerCase()}@example.test`, email_verified: true, name: 'Ann Test' });
      const page = await desk.seat(house.stranger());
      await page.setExtraHTTPHeaders({ 'X-Person': sub });
      await page.goto('/login?redirectTo=/profile');
      await press(page, 'Continue with Test provider');
      await press(page, 'Delete account');
      return { page, sub };
    }

    it('uses the provider', async () => {
      const { page } = await fromElsewhere();
      expect(await dialog(page).getByLabel('Password').count()).toBe(0);
      await pressIn(page, 'Continue to Test provider');
      await page.getByText('You confirmed that it is you.').waitFor();
      answering(page, true);
      await page.getByLabel('Reason').selectOption('It is hard to use');
      await pressIn(page, 'Delete account');
      await page.getByText('Account deletion request submitted successfully').waitFor();
      await page.waitForURL((url) => url.pathname === '/login' && url.search === '');
    });

    it('is refused for another person, and when the sign-in was too long ago', async () => {
      const { page, sub } = await fromElsewhere();
      provider.people.set(`${sub}-other`, { email: `${sub.toLowerCase()}-other@example.test`, email_verified: true });
      await page.setExtraHTTPHeaders({ 'X-Person': `${sub}-other` });
      await pressIn(page, 'Continue to Test provider');
      await dialog(page).getByText('Someone else is signed in there. Sign in there as yourself.').waitFor();

      house.clock.forward(6 * 60);
      await page.goto('/profile?delete=proved');
      answering(page, true);
      await page.getByLabel('Reason').selectOption('It is hard to use');
      await pressIn(page, 'Delete account');
      await dialog(page).getByText('You confirmed that it is you too long ago.').waitFor();
    });
  });
});
