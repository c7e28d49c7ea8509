// Outcomes in a recording, on the real house, with a browser for each person.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { roles } from '#shared/roles.ts';
import { agree, expectAccessible } from '../support/browser.ts';
import { chip, chooseTypes, cutLine, drawn, select, sound, Stage, undoOf, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

/** Ann owns and is a coach, Ben may comment, Chen may read. */
const stage = new Stage(3, { expected: cutLine });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await stage.person(0).post('/api/principals/me', { accountType: 'coach' });
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  await share(stage.house, meeting, stage.person(2), [...roles.canRead]);
  return meeting;
}

async function open(who: number, meeting: string, look = {}): Promise<Page> {
  const page = await stage.open(who, meeting, look);
  await page.getByRole('button', { name: /^Outcomes/ }).click();
  await page
    .getByText(/Add outcome|No outcome yet/)
    .first()
    .waitFor(waits);
  return page;
}

const card = (page: Page, quote: string) => page.locator('[data-outcome]').filter({ hasText: quote });
const picker = (page: Page) => page.getByRole('combobox', { name: 'Outcome type' });

/** Tags words by keyboard alone; answers the question where one is asked. */
async function tag(page: Page, words: string, key: string, asked = true): Promise<void> {
  await select(page, words);
  await page.keyboard.press('Alt+o');
  await picker(page).waitFor(waits);
  await expect.poll(() => picker(page).evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press(key);
  if (asked) {
    const add = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true });
    await add.waitFor(waits);
    await expect.poll(() => add.evaluate((one) => one === document.activeElement), waits).toBe(true);
    await page.keyboard.press('Enter');
  }
  await card(page, words).waitFor(waits);
  await expect.poll(() => card(page, words).evaluate((one) => one === document.activeElement), waits).toBe(true);
}

async function taken(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);
}

async function act(page: Page, quote: string, action: string): Promise<void> {
  await card(page, quote)
    .getByRole('button', { name: /^Actions/ })
    .click();
  await card(page, quote).getByRole('button', { name: action, exact: true }).click();
}

it('outcomes are tagged, graded, marked and retyped by an owner, and seen by a commenter and a reader', async () => {
  const meeting = await recording();
  const [ann, ben, chen] = await Promise.all([open(0, meeting), open(1, meeting), open(2, meeting)]);
  await tag(ann, 'You planned it three times', '5');
  // Grades by key, right at the outcome.
  await ann.keyboard.press('3');
  await card(ann, 'You planned it').getByRole('img', { name: '3: mostly' }).waitFor(waits);
  const mark = (page: Page, name: RegExp) => card(page, 'You planned it').getByRole('button', { name });
  await mark(ann, /Uses their words: not marked/).click();
  await mark(ann, /Hears feelings: not marked/).click();
  await mark(ann, /Hears feelings: marked$/).click();
  await mark(ann, /Hears feelings: marked as missing/).waitFor(waits);
  await ann.getByRole('textbox', { name: 'Note', exact: true }).fill('She repeats it word for word');
  await ann.keyboard.press('Control+Enter');
  await taken(ann);

  await Promise.all(
    [ben, chen].map(async (page) => {
      await card(page, 'You planned it').getByText('She repeats it word for word').waitFor(waits);
      await card(page, 'You planned it')
        .getByRole('button', { name: /^Listening/ })
        .click();
      await mark(page, /Hears feelings: marked as missing/).waitFor(waits);
    }),
  );
  expect(await mark(ben, /Uses their words/).isDisabled()).toBe(true);
  // A reader may copy its link.
  await card(chen, 'You planned it')
    .getByRole('button', { name: /^Actions/ })
    .click();
  const offered = card(chen, 'You planned it').getByRole('group', { name: /^Actions/ });
  expect(await offered.getByRole('button').allInnerTexts()).toEqual(['Copy link']);
  await chen.keyboard.press('Escape');
  await expect.poll(() => drawn(chen, 'outcome-5'), waits).toEqual(['You planned it three times']);
  const look = await chen
    .locator('[data-spoken]')
    .first()
    .evaluate((text) => getComputedStyle(text, '::highlight(outcome-5)').textDecorationLine);
  expect(look).toBe('underline');
  await chen.getByRole('button', { name: '1 outcome', exact: true }).waitFor(waits);

  // A change of type warns of losses before and reports them after, and can be undone.
  await act(ann, 'You planned it', 'Change type');
  await ann.getByText('Changing the type removes the grade and details.').waitFor(waits);
  await picker(ann).waitFor(waits);
  await ann.keyboard.type('tr');
  await ann.getByText('Type changed to Trust and safety. The grade and details were removed.').waitFor(waits);
  const retype = await undoOf(ann);
  await card(chen, 'You planned it')
    .getByRole('button', { name: /^Trust and safety/ })
    .waitFor(waits);
  await expect.poll(() => drawn(chen, 'outcome-3'), waits).toEqual(['You planned it three times']);
  await retype.click();
  await card(chen, 'You planned it').getByRole('img', { name: '3: mostly' }).waitFor(waits);
  await mark(chen, /Uses their words: marked$/).waitFor(waits);

  // Its passage is corrected by keyboard, and that can be undone.
  await act(ann, 'You planned it', 'Change passage');
  await ann.getByText('Select the right words in the transcript.').waitFor(waits);
  await select(ann, 'three times');
  await ann.keyboard.press('Alt+o');
  await ann.getByText('Passage changed.').waitFor(waits);
  const move = await undoOf(ann);
  await expect.poll(() => drawn(chen, 'outcome-5'), waits).toEqual(['three times']);
  await card(chen, 'three times').waitFor(waits);
  await move.click();
  await expect.poll(() => drawn(chen, 'outcome-5'), waits).toEqual(['You planned it three times']);

  // A commenter tags as well, with the types of their own work.
  await tag(ben, 'I open my calender', 'q');
  await card(ann, 'I open my calender')
    .getByRole('button', { name: /^Question\b/ })
    .waitFor(waits);
  await tag(ben, 'always busy', 'p');
  await card(ann, 'always busy')
    .getByRole('button', { name: /^Problem\b/ })
    .waitFor(waits);

  // By type, each under a heading with its number.
  await chen.getByLabel('Order', { exact: true }).selectOption({ label: 'By type' });
  await chen.getByRole('heading', { level: 3, name: 'Questions (1)', exact: true }).waitFor(waits);
  await chen.getByRole('heading', { level: 3, name: 'Problems (1)', exact: true }).waitFor(waits);
  await chen.getByLabel('Order', { exact: true }).selectOption({ label: 'By time' });

  // Filters, and steps through the list in the order of the text.
  await chen.getByLabel('Author', { exact: true }).selectOption({ label: 'Ben Test' });
  await expect.poll(() => chen.locator('[data-outcome]').count()).toBe(2);
  await chen.getByRole('button', { name: 'Next outcome' }).click();
  await chen.getByRole('button', { name: 'Next outcome' }).click();
  await chen.getByText('2 of 2', { exact: true }).waitFor(waits);
  await expect.poll(() => drawn(chen, 'item-chosen'), waits).toEqual(['always busy']);
  await expect.poll(async () => (await sound(chen)).ms, waits).toBeGreaterThan(59_000);

  // Deleted, restored, deleted.
  await act(ann, 'I open my calender', 'Delete');
  const restore = await undoOf(ann);
  await expect.poll(() => card(ann, 'I open my calender').count()).toBe(0);
  await restore.click();
  await card(ann, 'I open my calender').waitFor(waits);
  expect(await card(chen, 'I open my calender').count()).toBe(1);
  await act(ann, 'I open my calender', 'Delete');
  await expect.poll(() => card(chen, 'I open my calender').count(), waits).toBe(0);
  await Promise.all([expectAccessible(ann), expectAccessible(chen)]);
});

it('a confirmation is shown until a person turns it off, and the sound pauses meanwhile', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await ben.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => (await sound(ben)).playing, waits).toBe(true);
  await select(ben, 'a good friend');
  await ben.keyboard.press('Alt+o');
  await expect.poll(async () => (await sound(ben)).playing, waits).toBe(false);
  await picker(ben).waitFor(waits);
  await ben.keyboard.press('1');
  const dialog = ben.getByRole('dialog');
  await dialog.getByText('Action item at: “a good friend”').waitFor(waits);
  await dialog.getByLabel("Don't ask again").check();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await card(ben, 'a good friend').waitFor(waits);
  await expect.poll(async () => (await sound(ben)).playing, waits).toBe(true);
  await ben.getByRole('button', { name: 'Pause', exact: true }).click();
  // From now on two keys suffice, and a press takes the outcome back, for everyone.
  await tag(ben, 'always busy', '2', false);
  const undo = await undoOf(ben);
  await ben.getByRole('status').filter({ hasText: 'Decision added. Undo' }).waitFor(waits);
  await card(ann, 'always busy').waitFor(waits);
  await undo.click();
  await expect.poll(() => card(ben, 'always busy').count(), waits).toBe(0);
  await expect.poll(() => card(ann, 'always busy').count(), waits).toBe(0);
  // The card that had the focus is gone, and Ben cannot write in the text.
  await expect.poll(() => ben.evaluate(() => document.activeElement?.id), waits).toBe('main');
  // Two keys suffice next time as well.
  await tag(ben, 'always busy', '2', false);
  await taken(ben);
  await expect
    .poll(
      async () => (await stage.person(1).whoami()).body.principal.preferences.showConfirmationPopupForOutcomes,
      waits,
    )
    .toBe(false);
  await ben.reload();
  await card(ben, 'always busy')
    .or(ben.getByRole('button', { name: /^Outcomes/ }))
    .first()
    .waitFor(waits);
  await ben.getByRole('button', { name: /^Outcomes/ }).click();
  await card(ben, 'always busy').waitFor(waits);
  await tag(ben, 'Good morning', 'd', false);
});

it('a private outcome is seen by its author alone until it is published; offline it waits', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting, { width: 'phone', scheme: 'dark' })]);
  const way = /\/api\/meetings\/[^/]+\/outcomes/;
  await ann.context().route(way, (route) => route.abort('internetdisconnected'));
  await select(ann, 'always busy');
  await ann.keyboard.press('Alt+o');
  await picker(ann).waitFor(waits);
  await ann.getByLabel('Only me').check();
  await picker(ann).focus();
  await ann.keyboard.press('2');
  await ann.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await card(ann, 'always busy').getByRole('img', { name: 'Only you see this' }).waitFor(waits);
  await tag(ann, 'a good friend', '3');
  await expect.poll(() => chip(ann).innerText(), waits).toMatch(/^Offline · 2/);
  ann.once('dialog', agree);
  await ann.reload();
  await ann.getByRole('button', { name: /^Outcomes/ }).click();
  await card(ann, 'always busy').waitFor(waits);
  await ann.context().unroute(way);
  await taken(ann);
  // A later outcome has arrived, so an earlier one would have, too.
  await card(ben, 'a good friend').waitFor(waits);
  expect(await ben.locator('[data-outcome]').count()).toBe(1);
  expect(await drawn(ben, 'outcome-2')).toEqual([]);
  await act(ann, 'always busy', 'Publish');
  await card(ben, 'always busy').waitFor(waits);
  await expectAccessible(ben);
});

it('a link leads to an outcome, and the ticks above the wave to tagged words', async () => {
  const meeting = await recording();
  const ann = stage.person(0);
  const say = async (path: string, body: object): Promise<string> => {
    const answer = await ann.post(`/api/meetings/${meeting}/${path}`, body);
    expect(answer.status, answer.text).toBe(200);
    return (answer.body.outcome ?? answer.body.comment).id;
  };
  const first = await say('outcomes', { outcome: { type: 'decisions', start: 20, end: 24 } });
  await say('outcomes', { outcome: { type: 'questions', start: 90, end: 94 } });
  await say('comments', { start: 150, end: 154, text: 'Is this so?' });

  const page = await stage.open(1, `${meeting}?outcome=${first}`);
  const chosen = page.locator('[data-outcome][data-chosen]');
  await chosen.waitFor(waits);
  expect(await chosen.getAttribute('data-outcome')).toBe(first);
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(20_000);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await chosen.getByRole('button', { name: /^Actions/ }).click();
  await chosen.getByRole('button', { name: 'Copy link', exact: true }).click();
  await page.getByText('Link copied').waitFor(waits);
  const link = `/meeting/${meeting}?outcome=${first}`;
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(new URL(link, page.url()).href);

  // A press on a tick opens its outcomes, right at the tick.
  const strip = page.locator('[data-ticks="3"]');
  await strip.waitFor(waits);
  const box = await strip.boundingBox();
  const whole = await page.getByRole('slider', { name: 'Position' }).getAttribute('max');
  if (!box || whole === null) throw new Error('no timeline');
  const placeOf = (ms: number) => ({ x: (box.width * ms) / Number(whole) + 2, y: box.height / 2 });
  await strip.hover({ position: placeOf(90_000) });
  await page.getByText(/^1:30 · Question: \S/).waitFor(waits);
  await strip.click({ position: placeOf(90_000) });
  await page
    .locator('[data-outcome][data-chosen]')
    .getByRole('button', { name: /^Question\b/ })
    .waitFor(waits);
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(90_000);
  await strip.click({ position: placeOf(150_000) });
  await page.locator('[data-comment]').getByText('Is this so?').waitFor(waits);
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(150_000);
  // Elsewhere the strip acts as the slider below it.
  await strip.click({ position: placeOf(50_000) });
  await expect.poll(async () => Math.round((await sound(page)).ms / 1000), waits).toBeCloseTo(50, -1);

  // By keyboard, at the slider, which announces the outcomes.
  const slider = page.getByRole('slider', { name: 'Position' });
  await slider.focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => slider.getAttribute('aria-valuetext'), waits).toMatch(/, Question: \S/);
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => slider.getAttribute('aria-valuetext'), waits).toMatch(/, Comment: \S/);
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext'), waits).toMatch(/, Decision: \S/);
  await expectAccessible(page);

  await page.goto(`/meeting/${meeting}?outcome=nothing`);
  await page.getByText('The outcome this link leads to was deleted.').waitFor(waits);
});

it('the types of a recording are chosen in its menu, and seen by all at once', async () => {
  const meeting = await recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canEdit]);
  const unasked = { preferences: { showConfirmationPopupForOutcomes: false } };
  expect((await stage.person(1).post('/api/principals/me', unasked)).status).toBe(200);
  const [ann, ben, chen] = await Promise.all([open(0, meeting), open(1, meeting), open(2, meeting)]);
  const set = (page: Page, name: string) => page.getByRole('heading', { level: 3, name, exact: true });
  // Before that, everyone has the set of their account, by name.
  await set(ben, 'Decisions, tasks, questions').waitFor(waits);
  await tag(ben, 'always busy', 'p', false);
  await chooseTypes(ann, 'Competencies and grades');
  await set(ann, 'Competencies and grades').waitFor(waits);
  await set(ben, 'Competencies and grades').waitFor(waits);
  await set(chen, 'Competencies and grades').waitFor(waits);
  // Earlier outcomes keep their type.
  await card(ann, 'always busy')
    .getByRole('button', { name: /^Problem\b/ })
    .waitFor(waits);
  await tag(ben, 'You planned it three times', '3', false);
  await card(chen, 'You planned it')
    .getByRole('button', { name: /^Trust and safety/ })
    .waitFor(waits);
  await expectAccessible(ann);
  await chooseTypes(ben, 'Each person’s own set');
  await set(ben, 'Decisions, tasks, questions').waitFor(waits);
  // The list to pick from says whose words these are, too.
  await select(ben, 'a good friend');
  await ben.keyboard.press('Alt+o');
  await ben.getByRole('listbox', { name: 'Decisions, tasks, questions' }).waitFor(waits);
  await set(chen, 'Decisions, tasks, questions').waitFor(waits);
});

it('an outcome that a comment or the summary links to cannot be deleted, and both are a press away', async () => {
  const meeting = await recording();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const made = await ann.post(`/api/meetings/${meeting}/outcomes`, {
    outcome: { type: 'decisions', start: 17, end: 19, quote: 'good to see you', text: 'It stays' },
  });
  const link = `/meeting/${meeting}?outcome=${made.body.outcome.id}`;
  const said = { start: 24, end: 26, quote: 'Better than I expected', text: `As said in ${link}` };
  expect((await ben.post(`/api/meetings/${meeting}/comments`, said)).status).toBe(200);
  const page = await open(0, meeting);
  await act(page, 'good to see you', 'Delete');
  const notice = page.getByRole('alert');
  await expect.poll(() => notice.textContent(), waits).toContain("An outcome in use can't be deleted");
  expect(await card(page, 'good to see you').count()).toBe(1);
  await notice.getByRole('button', { name: 'the comment at 0:24' }).click();
  await page.getByText('As said in').waitFor(waits);
});

it('with a finger a type is chosen from the list: no keyboard comes up over it, and no digits stand in it', async () => {
  const phone = await open(0, await recording(), { width: 'phone', scheme: 'dark' });
  await select(phone, 'always busy');
  await phone.keyboard.press('Alt+o');
  await picker(phone).waitFor(waits);
  const types = phone.getByRole('listbox');
  await expect.poll(() => types.evaluate((one) => one === document.activeElement), waits).toBe(true);
  expect(await types.innerText()).not.toMatch(/\d/);
  // The field above the list is not scrolled away.
  const field = await picker(phone).boundingBox();
  const middle = { x: (field?.x ?? 0) + (field?.width ?? 0) / 2, y: (field?.y ?? 0) + (field?.height ?? 0) / 2 };
  expect(await phone.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.getAttribute('role'), middle)).toBe(
    'combobox',
  );
  expect(await picker(phone).getAttribute('placeholder')).toBe('First letters');
  await expectAccessible(phone);
  await phone.getByRole('option').first().tap();
  await phone.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).tap();
  await card(phone, 'always busy').waitFor(waits);
});

it('on a touch screen the list of types takes the keys of a keyboard, too, and is in sight where a type is changed', async () => {
  const meeting = await recording();
  // Above the one that is changed.
  for (let n = 0; n < 4; n += 1) {
    const outcome = { type: 'presence', start: 17, end: 19, quote: 'good to see you', text: `Note ${n}` };
    expect((await stage.person(0).post(`/api/meetings/${meeting}/outcomes`, { outcome })).status).toBe(200);
  }
  const phone = await open(0, meeting, { width: 'phone' });
  const types = phone.getByRole('listbox');
  const begin = async () => {
    await select(phone, 'always busy');
    await phone.keyboard.press('Alt+o');
    await expect.poll(() => types.evaluate((one) => one === document.activeElement), waits).toBe(true);
  };
  const active = () =>
    types.evaluate((one) => document.getElementById(one.getAttribute('aria-activedescendant') ?? '')?.innerText);
  await begin();
  const all = await phone.getByRole('option').allInnerTexts();
  await phone.keyboard.press('ArrowDown');
  await expect.poll(active, waits).toBe(all[1]);
  await expect.poll(() => types.evaluate((one) => getComputedStyle(one).outlineStyle), waits).toBe('solid');
  await phone.keyboard.press('Escape');
  await picker(phone).waitFor({ ...waits, state: 'detached' });

  // Letters go to the field above.
  await begin();
  await phone.keyboard.press('a');
  await expect.poll(() => picker(phone).inputValue(), waits).toBe('a');
  await phone.keyboard.press('Escape');
  await begin();
  await phone.keyboard.press('3');
  await phone.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await card(phone, 'always busy').waitFor(waits);
  await taken(phone);

  await act(phone, 'always busy', 'Change type');
  await expect.poll(() => types.evaluate((one) => one === document.activeElement), waits).toBe(true);
  const inSight = () =>
    phone.getByRole('option').evaluateAll(
      (options) =>
        options.filter((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }).length,
    );
  await expect.poll(inSight, waits).toBeGreaterThan(3);
});
