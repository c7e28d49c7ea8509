// Comments on a recording, on the real house, with a browser for each person.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { roles } from '#shared/roles.ts';
import { agree, expectAccessible } from '../support/browser.ts';
import {
  caretBefore,
  chip,
  cutLine,
  drawn,
  openDocument,
  select,
  sound,
  Stage,
  undoOf,
  waits,
} from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

/** Ann owns, Ben may comment, Chen may read. */
const stage = new Stage(3, { expected: cutLine });

async function recording(): Promise<string> {
  const meeting = await stage.recording();
  await share(stage.house, meeting, stage.person(1), [...roles.canComment]);
  await share(stage.house, meeting, stage.person(2), [...roles.canRead]);
  return meeting;
}

const heading = (page: Page) => page.getByRole('button', { name: /^Comments/ });

async function open(who: number, meeting: string, look = {}): Promise<Page> {
  const page = await stage.open(who, meeting, look);
  if ((await heading(page).getAttribute('aria-expanded')) !== 'true') await heading(page).click();
  await page
    .getByText(/Comment on the selected words|No comment yet/)
    .first()
    .waitFor(waits);
  return page;
}

const field = (page: Page) => page.getByRole('textbox', { name: /^(Write|Edit)/ });
const thread = (page: Page, quote: string) => page.locator('aside li').filter({ hasText: quote });

/** Comments on some words, by keyboard alone. */
async function comment(page: Page, words: string, text: string): Promise<void> {
  await select(page, words);
  await page.keyboard.press('Alt+m');
  await field(page).waitFor(waits);
  await expect.poll(() => field(page).evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Enter');
  await thread(page, words).getByText(text).waitFor(waits);
}

async function act(page: Page, comment: string, action: string): Promise<void> {
  const said = page.locator('[data-comment]').filter({ hasText: comment });
  await said.getByRole('button', { name: /^Actions/ }).click();
  await said.getByRole('button', { name: action, exact: true }).click();
}

async function taken(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);
}

/** Aborts requests that write; sockets and all others get through. */
async function shut(context: BrowserContext): Promise<() => Promise<void>> {
  const way = /\/api\/meetings\/[^/]+\/(comments|outcomes)/;
  await context.route(way, (route) => route.abort('internetdisconnected'));
  return () => context.unroute(way);
}

it('an owner, a commenter and a reader: a comment is added, replied to, edited, resolved and deleted, and all see it at once', async () => {
  const meeting = await recording();
  const [ann, ben, chen] = await Promise.all([open(0, meeting), open(1, meeting), open(2, meeting)]);
  await comment(ann, 'I open my calender', 'Is this the right word?');
  await Promise.all(
    [ben, chen].map((page) => thread(page, 'I open my calender').getByText('right word?').waitFor(waits)),
  );
  await expect.poll(() => drawn(chen, 'comment'), waits).toEqual(['I open my calender']);
  const tint = await chen
    .locator('[data-spoken]')
    .first()
    .evaluate((text) => getComputedStyle(text, '::highlight(comment)').backgroundColor);
  expect(tint).not.toBe('rgba(0, 0, 0, 0)');
  // The number of comments is shown beside the text.
  await chen.getByRole('button', { name: '1 comment', exact: true }).waitFor(waits);

  // A commenter replies; the others see that a person is writing, and where.
  await thread(ben, 'I open my calender').getByRole('button', { name: 'Reply' }).click();
  await ben.keyboard.type('It is ');
  await thread(ann, 'I open my calender').getByText('Ben Test is writing…').waitFor(waits);
  await ben.keyboard.press('Control+b');
  await ben.keyboard.type('calendar');
  await ben.keyboard.press('Control+Enter');
  await thread(ann, 'I open my calender').locator('strong', { hasText: 'calendar' }).waitFor(waits);
  await ann.getByText('Ben Test is writing…').waitFor({ state: 'hidden', ...waits });
  await ann.getByText(/(Ben|Chen) Test, (Ben|Chen) Test are here/).waitFor(waits);

  // Authors edit their own comments; only the owner may delete those of others.
  await act(ben, 'It is calendar', 'Edit');
  await field(ben).press('Control+End');
  await ben.keyboard.type(', I am sure');
  await ben.keyboard.press('Control+Enter');
  await thread(chen, 'I open my calender').getByText('It is calendar, I am sure').waitFor(waits);
  await thread(chen, 'I open my calender').getByText('(edited)').waitFor(waits);
  const actions = async (page: Page, said: string) => {
    const one = page.locator('[data-comment]').filter({ hasText: said });
    await one.getByRole('button', { name: /^Actions/ }).click();
    const names = await one.locator('[popover] button').allTextContents();
    await page.keyboard.press('Escape');
    return names;
  };
  expect(await actions(ben, 'Is this the right word?')).toEqual(['Copy link']);
  expect(await actions(ann, 'It is calendar')).toEqual(['Copy link', 'Delete']);
  expect(await actions(chen, 'It is calendar')).toEqual(['Copy link']);

  // A resolved comment disappears from the text and from the list of open ones.
  await thread(ben, 'I open my calender').getByRole('button', { name: 'Resolve' }).click();
  await expect.poll(() => drawn(chen, 'comment'), waits).toEqual([]);
  await chen.getByLabel('Show').selectOption('resolved');
  await chen.getByText('Resolved by Ben Test').waitFor(waits);
  expect(await chen.getByRole('button', { name: 'Reopen' }).count()).toBe(0);
  await ben.getByLabel('Show').selectOption('all');
  await ben.getByRole('button', { name: 'Reopen' }).click();
  await expect.poll(() => drawn(chen, 'comment'), waits).toEqual(['I open my calender']);

  // A deleted comment with replies leaves a placeholder; one without replies disappears, and can be restored while the
  // notice is shown.
  await act(ann, 'Is this the right word?', 'Delete');
  const restore = await undoOf(ann);
  await thread(ann, 'I open my calender').getByText('This comment was deleted.').waitFor(waits);
  await restore.click();
  await thread(ann, 'I open my calender').getByText('Is this the right word?').waitFor(waits);
  await act(ann, 'Is this the right word?', 'Delete');
  await thread(ben, 'I open my calender').getByText('This comment was deleted.').waitFor(waits);
  expect(await thread(ben, 'I open my calender').innerText()).not.toContain('right word?');
  await act(ben, 'It is calendar', 'Delete');
  await expect.poll(() => ann.locator('[data-comment]').count(), waits).toBe(0);
  await expect.poll(() => drawn(ann, 'comment'), waits).toEqual([]);
});

it('a private comment is seen by its author alone until it is published', async () => {
  const meeting = await recording();
  const [ann, ben, chen] = await Promise.all([open(0, meeting), open(1, meeting), open(2, meeting)]);
  // A reader's comments are private.
  await chen.getByText('Your own comments stay private.').waitFor(waits);
  await comment(chen, 'a good friend', 'Chen alone');
  await select(ben, 'always busy');
  await ben.keyboard.press('Alt+m');
  await field(ben).waitFor(waits);
  await ben.getByLabel('Only me').check();
  await field(ben).focus();
  await ben.keyboard.type('Ben alone');
  // Typing a private comment is not announced either.
  await ben.getByRole('button', { name: 'Comment', exact: true }).click();
  await thread(ben, 'always busy').getByLabel('Only you see this').waitFor(waits);
  await Promise.all([taken(ben), taken(chen)]);
  // A later comment has arrived, so an earlier one would have, too.
  await comment(ann, 'Good morning', 'For all');
  await Promise.all([ben, chen].map((page) => thread(page, 'Good morning').getByText('For all').waitFor(waits)));
  expect(await ann.locator('[data-comment]').allInnerTexts()).toEqual([expect.stringContaining('For all')]);
  expect(await drawn(ann, 'comment')).toEqual(['Good morning']);
  expect((await drawn(ben, 'comment')).toSorted()).toEqual(['Good morning', 'always busy']);
  expect(await chen.locator('body').innerText()).not.toContain('Ben alone');

  await act(ben, 'Ben alone', 'Publish');
  await Promise.all([ann, chen].map((page) => thread(page, 'always busy').getByText('Ben alone').waitFor(waits)));
  await expect.poll(() => thread(ben, 'always busy').getByLabel('Only you see this').count(), waits).toBe(0);
  await expectAccessible(ann);
});

it('a comment written offline is kept, shown, and sent after reconnecting, even by a page that was closed meanwhile', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  const opened = await shut(ben.context());
  await comment(ben, 'Good morning', 'First');
  await comment(ben, 'always busy', 'Second');
  await act(ben, 'First', 'Edit');
  await field(ben).press('Control+End');
  await ben.keyboard.type(' of all');
  await ben.keyboard.press('Control+Enter');
  await thread(ben, 'Good morning').getByText('First of all').waitFor(waits);
  await expect.poll(() => chip(ben).innerText(), waits).toMatch(/^Offline · 3/);
  expect(await ann.locator('[data-comment]').count()).toBe(0);

  ben.once('dialog', agree);
  await ben.reload();
  await heading(ben).click();
  await thread(ben, 'Good morning').getByText('First of all').waitFor(waits);
  await thread(ben, 'always busy').getByText('Second').waitFor(waits);
  await opened();
  await thread(ann, 'Good morning').getByText('First of all').waitFor(waits);
  await thread(ann, 'always busy').getByText('Second').waitFor(waits);
  await expect.poll(() => chip(ben).innerText(), waits).toMatch(/^Saved/);
  await taken(ben);
  expect(await ann.locator('[data-comment]').count()).toBe(2);
  await ben.reload();
  await expect.poll(() => drawn(ben, 'comment'), waits).toHaveLength(2);
  await expect.poll(() => chip(ben).innerText(), waits).toMatch(/^Saved/);
});

it('a comment that the server refuses is withdrawn and reported, and its text can be copied', async () => {
  const meeting = await recording();
  const ben = await open(1, meeting);
  await comment(ben, 'Good morning', 'Taken');
  await taken(ben);
  const opened = await shut(ben.context());
  await comment(ben, 'always busy', 'Too late');
  await share(stage.house, meeting, stage.person(1), [...roles.canRead]);
  await opened();
  await ben.getByText('No permissions to comment').waitFor(waits);
  await ben.getByRole('button', { name: 'Copy text' }).waitFor(waits);
  await expect.poll(() => ben.locator('[data-comment]').count(), waits).toBe(1);
  await thread(ben, 'Good morning').getByText('Taken').waitFor(waits);
});

it('a deletion reaches everyone even when its page is left at once, and then it is too late to undo', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await comment(ann, 'Good morning', 'First');
  await comment(ann, 'always busy', 'Second');
  await taken(ann);
  await thread(ben, 'Good morning').waitFor(waits);
  await thread(ben, 'always busy').waitFor(waits);
  await act(ann, 'First', 'Delete');
  const undo = ann.getByRole('status').getByRole('button', { name: 'Undo' });
  // The notice stays while the pointer is on it, with its undo.
  await undo.hover();
  await expect.poll(() => chip(ann).innerText(), waits).toBe('Saving…');
  expect(await thread(ben, 'Good morning').count()).toBe(1);
  await ann.getByRole('link', { name: 'Library' }).evaluate((link: HTMLElement) => link.click());
  await expect.poll(() => thread(ben, 'Good morning').count(), waits).toBe(0);
  await undo.click();
  await ann.getByText('It is too late to undo this: it has been deleted.').waitFor(waits);

  // The same when the page is closed.
  await ann.goBack();
  await thread(ann, 'always busy').waitFor(waits);
  await act(ann, 'Second', 'Delete');
  await undo.hover();
  await ann.goto('about:blank');
  await expect.poll(() => thread(ben, 'always busy').count(), waits).toBe(0);
});

it('an unfinished reply or edit stays with its author when the comment is deleted', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await comment(ann, 'Good morning', 'First');
  await comment(ben, 'always busy', 'Second');
  await thread(ben, 'Good morning').getByRole('button', { name: 'Reply' }).click();
  await field(ben).fill('I was about to say');
  await thread(ann, 'always busy').waitFor(waits);
  await act(ann, 'First', 'Delete');
  const left = ben.getByRole('group', { name: 'This comment was deleted while you were writing.' });
  await left.getByText('I was about to say').waitFor(waits);
  await expectAccessible(ben);
  // The saved words must not replace another comment that was begun.
  const anew = left.getByRole('button', { name: 'Add as comment' });
  const begin = async () => {
    await select(ben, 'a good friend');
    await ben.keyboard.press('Alt+m');
    await field(ben).waitFor(waits);
  };
  await begin();
  await field(ben).fill('Begun before');
  await field(ben).press('Escape');
  await field(ben).waitFor({ state: 'detached' });
  expect(await anew.isDisabled()).toBe(true);
  await left.getByText('Send or discard your other comment first.').waitFor();
  await begin();
  expect(await field(ben).innerText()).toBe('Begun before');
  await ben.getByRole('button', { name: 'Cancel', exact: true }).click();
  await anew.click();
  await expect.poll(() => field(ben).innerText(), waits).toBe('I was about to say');
  await ben.getByRole('button', { name: 'Comment', exact: true }).click();
  await thread(ann, 'Good morning').getByText('I was about to say').waitFor(waits);
  await expect.poll(() => left.count()).toBe(0);

  // The same for one's own comment that the owner deletes.
  await act(ben, 'Second', 'Edit');
  await field(ben).press('Control+End');
  await ben.keyboard.type(', once more');
  await act(ann, 'Second', 'Delete');
  await left.getByText('Second, once more').waitFor(waits);
  await left.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => left.count()).toBe(0);
});

it('a comment follows its words while others type, says so when they are gone, and a link leads to it', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  await comment(ann, 'I see that she is busy', 'Check this');
  await taken(ann);
  await caretBefore(ann, 'I open my calender');
  await ann.keyboard.type('Well, then ');
  await caretBefore(ann, 'see that she');
  await ann.keyboard.type('can ');
  await expect.poll(() => drawn(ann, 'comment'), waits).toEqual(['I can see that she is busy']);

  const id = await ann.locator('[data-comment]').first().getAttribute('data-comment');
  const ben = await stage.desk.seat(stage.person(1), { width: 'phone', scheme: 'dark' });
  await ben.goto(`/meeting/${meeting}?comment=${id}`);
  await thread(ben, 'I can see that she is busy').getByText('Check this').waitFor(waits);
  // The sheet keeps the sentence in sight, and the sound moves there.
  const sheet = await ben.locator('aside [data-open] > :last-child').boundingBox();
  await expect
    .poll(async () => {
      const at = await ben.evaluate(() =>
        [...(CSS.highlights.get('item-chosen') ?? [])].map((one) => (one as Range).getBoundingClientRect().bottom),
      );
      return (at[0] ?? Infinity) < (sheet?.y ?? 0);
    }, waits)
    .toBe(true);
  await expect.poll(async () => (await sound(ben)).ms, waits).toBeGreaterThan(48_000);
  expect((await sound(ben)).ms).toBeLessThan(54_000);
  await expectAccessible(ben);

  await select(ann, 'I can see that she is busy');
  await ann.keyboard.type('No');
  await ann.getByText('These words are no longer in the transcript. This was their time.').waitFor(waits);
  await ann.getByRole('heading', { name: '1 on words that have changed' }).waitFor(waits);
  await expect.poll(() => drawn(ann, 'comment'), waits).toEqual([]);
  // The same words are typed there again: the comment is attached to them, and marked as a guess.
  await ann.keyboard.type('. I see that she is busy');
  await expect.poll(() => drawn(ann, 'comment'), waits).toEqual(['I see that she is busy']);
  await ann.getByText('The same words are now there.').waitFor(waits);
  // Put on them by one press, by keyboard too, which can be undone.
  const guess = ann.getByRole('button', { name: /^Use this: \d:\d\d, I see that she is busy$/ });
  await guess.waitFor(waits);
  await expectAccessible(ann);
  await guess.press('Enter');
  const lost = ann.getByText('The same words are now there.');
  await lost.waitFor({ state: 'hidden', ...waits });
  await expect.poll(() => drawn(ann, 'comment'), waits).toEqual(['I see that she is busy']);
  await ann.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await lost.waitFor(waits);
  // Its author can choose any other words.
  await act(ann, 'Check this', 'Change passage');
  await select(ann, 'Good morning');
  await ann.getByRole('button', { name: 'Use selected words' }).click();
  await thread(ann, 'Good morning').getByText('Check this').waitFor(waits);
  // The card leaves the group of the lost ones with the focus.
  await caretBefore(ann, 'Good morning');
  await ann.getByRole('heading', { name: '1 on words that have changed' }).waitFor({ state: 'hidden', ...waits });
});

it('a visitor who is not signed in reads comments, and is told how to add one', async () => {
  const meeting = await recording();
  const ann = await open(0, meeting);
  await comment(ann, 'Good morning', 'For everybody');
  await taken(ann);
  await share(stage.house, meeting, 'anonymous', [...roles.canRead]);
  const page = await openDocument(stage.desk, stage.house.stranger(), meeting);
  await heading(page).click();
  await thread(page, 'Good morning').getByText('For everybody').waitFor(waits);
  await page.getByText('Sign in to comment.').waitFor(waits);
  expect(await page.getByRole('button', { name: /Reply|Comment on/ }).count()).toBe(0);
  await expectAccessible(page);
});

it('a person is mentioned with @, by keyboard alone, and gets a mail with a link to the comment', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await select(ann, 'That sounds like a clear request');
  await ann.keyboard.press('Alt+m');
  await expect.poll(() => field(ann).evaluate((one) => one === document.activeElement), waits).toBe(true);
  // Chen may read, and is not on the page.
  await ann.keyboard.type('Is it, @');
  await ann.getByRole('option', { name: /Chen/ }).waitFor(waits);
  await ann.keyboard.type('be');
  const option = ann.getByRole('option', { name: /Ben/ });
  await option.waitFor(waits);
  await expectAccessible(ann);
  await ann.keyboard.press('Enter');
  await option.waitFor({ state: 'hidden' });
  await ann.keyboard.type('or not?');
  await ann.keyboard.press('Control+Enter');
  await thread(ben, 'That sounds like a clear request')
    .getByText(/^Is it, @Ben Test or not\?$/)
    .waitFor(waits);
  await taken(ann);
  const mails = async () =>
    (await stage.person(1).get(`/api/outbox?to=${encodeURIComponent(stage.person(1).email)}`)).body as {
      subject: string;
      text: string;
    }[];
  const [mail] = (await mails()).filter(({ subject }) => subject.endsWith('mentioned you in a comment'));
  const link = /\/meeting\/\S+\?comment=\S+/.exec(mail?.text ?? '')?.[0];
  if (!link) throw new Error('no mail');
  await ben.goto(link);
  await expect.poll(() => ben.locator('[data-comment]').filter({ hasText: 'Is it' }).count(), waits).toBe(1);

  // After a cancelled mention the typed text stays plain text.
  await select(ann, 'You planned it three times');
  await ann.keyboard.press('Alt+m');
  await expect.poll(() => field(ann).evaluate((one) => one === document.activeElement), waits).toBe(true);
  await ann.keyboard.type('@be');
  await option.waitFor(waits);
  await ann.keyboard.press('Escape');
  await option.waitFor({ state: 'hidden' });
  expect(await field(ann).innerText()).toBe('@be');
});

it('a reply or an edit continues while others resolve the comment', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await comment(ann, 'I open my calender', 'First');
  await comment(ben, 'a good friend', 'Second');
  const writes = () => field(ben).evaluate((one) => one === document.activeElement);
  /** Types through the page, which sends keys to the element with the focus. */
  const goOn = async (text: string) => {
    expect(await writes()).toBe(true);
    await ben.keyboard.type(text);
  };
  // The reply is still empty.
  await thread(ben, 'I open my calender').getByRole('button', { name: 'Reply' }).click();
  await expect.poll(writes, waits).toBe(true);
  await thread(ann, 'I open my calender').getByRole('button', { name: 'Resolve' }).click();
  await ben.getByText('Resolved by Ann Test').waitFor(waits);
  await ben.getByText('Someone resolved this comment. You can still reply.').waitFor(waits);
  await goOn('Half ');
  await ann.getByLabel('Show').selectOption('resolved');
  await ann.getByRole('button', { name: 'Reopen' }).click();
  await ben.getByText('Resolved by Ann Test').waitFor({ state: 'detached', ...waits });
  await goOn('of ');
  await ann.getByLabel('Show').selectOption('open');
  await thread(ann, 'I open my calender').getByRole('button', { name: 'Resolve' }).click();
  await ben.getByText('Resolved by Ann Test').waitFor(waits);
  await goOn('it');
  await expectAccessible(ben);
  // A cancelled reply is restored when it is opened again.
  await ben.keyboard.press('Escape');
  await field(ben).waitFor({ state: 'detached' });
  await thread(ben, 'I open my calender').getByRole('button', { name: 'Reply' }).click();
  expect(await field(ben).innerText()).toBe('Half of it');
  await ben.getByRole('button', { name: /^Outcomes/ }).click();
  await heading(ben).click();
  await expect.poll(() => field(ben).innerText(), waits).toBe('Half of it');
  await field(ben).press('Control+Enter');
  await thread(ben, 'I open my calender').waitFor({ state: 'detached', ...waits });
  await ann.getByLabel('Show').selectOption('resolved');
  await thread(ann, 'I open my calender').getByText('Half of it').waitFor(waits);

  // The same for an edit of one's own comment.
  await act(ben, 'Second', 'Edit');
  await field(ben).press('Control+End');
  await ann.getByLabel('Show').selectOption('open');
  await thread(ann, 'a good friend').getByRole('button', { name: 'Resolve' }).click();
  await ben.getByText('Resolved by Ann Test').waitFor(waits);
  await goOn(', and more');
  await ben.keyboard.press('Control+Enter');
  await ann.getByLabel('Show').selectOption('resolved');
  await thread(ann, 'a good friend').getByText('Second, and more').waitFor(waits);
});

it('a reply continues while others delete the words of the comment', async () => {
  const meeting = await recording();
  const [ann, ben] = await Promise.all([open(0, meeting), open(1, meeting)]);
  await comment(ann, 'Good morning', 'First');
  await comment(ann, 'always busy', 'Second');
  await thread(ben, 'always busy').waitFor(waits);
  await thread(ben, 'Good morning').getByRole('button', { name: 'Reply' }).click();
  const editor = await field(ben).elementHandle();
  await expect.poll(() => editor?.evaluate((one) => one === document.activeElement), waits).toBe(true);
  await ben.keyboard.type('Half ');
  const replace = async (words: string, by: string) => {
    await select(ann, words);
    await ann.keyboard.type(by);
  };
  await replace('Good morning', 'Hello');
  await thread(ben, 'Good morning').getByText('These words are no longer in the transcript.').waitFor(waits);
  await ben.keyboard.type('of ');
  await replace('always busy', 'idle');
  await thread(ben, 'always busy').getByText('These words are no longer in the transcript.').waitFor(waits);
  await ben.keyboard.type('it');
  expect(await field(ben).innerText()).toBe('Half of it');
  // The comment moves to its group once nobody is writing, and keeps its field and caret.
  await ben.getByRole('button', { name: 'Comment on the selected words' }).focus();
  await ben.getByRole('heading', { name: '2 on words that have changed' }).waitFor(waits);
  await editor?.focus();
  await ben.keyboard.type(', all');
  expect(await editor?.innerText()).toBe('Half of it, all');
  await expectAccessible(ben);
  await ben.keyboard.press('Control+Enter');
  await thread(ann, 'Good morning').getByText('Half of it, all').waitFor(waits);
});

// The last test, because it ends the session.
it('an unsent comment appears in no other recording, and in no field of the next person who signs in', async () => {
  const [meeting, other] = [await recording(), await recording()];
  const page = await open(0, meeting);
  const begin = async (words: string) => {
    await select(page, words);
    await page.keyboard.press('Alt+m');
    await field(page).waitFor(waits);
    await expect.poll(() => field(page).evaluate((one) => one === document.activeElement)).toBe(true);
  };
  const goTo = async (id: string) => {
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await page.locator(`a[href*="${id}"]`).first().click();
    await page.locator('.ProseMirror').waitFor(waits);
    if ((await heading(page).getAttribute('aria-expanded')) !== 'true') await heading(page).click();
  };
  await begin('I open my calender');
  await page.keyboard.type('Hers alone so far');
  await page.keyboard.press('Escape');
  await goTo(other);
  await begin('I open my calender');
  expect(await field(page).innerText()).not.toContain('Hers');
  await page.keyboard.press('Escape');
  // The unsent comment is restored in its own recording.
  await goTo(meeting);
  await begin('I open my calender');
  expect(await field(page).innerText()).toContain('Hers alone so far');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('link', { name: 'Logout' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('link', { name: 'Log in again' }).click();
  const ben = stage.person(1);
  await page.getByLabel('E-mail').fill(ben.email);
  await page.getByLabel('Password', { exact: true }).fill(ben.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.locator(`a[href*="${meeting}"]`).first().click();
  await page.locator('.ProseMirror').waitFor(waits);
  if ((await heading(page).getAttribute('aria-expanded')) !== 'true') await heading(page).click();
  await begin('I open my calender');
  expect(await field(page).innerText()).not.toContain('Hers');
});
