// Two people in the same words at the same time, with different ways to type: nothing is lost, doubled or torn.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { compose, swipe } from '../support/browser.ts';
import {
  Stage,
  caretBefore,
  caretIn,
  chip,
  cutLine,
  saved,
  segments,
  sound,
  texts,
  waits,
} from '../support/document-page.ts';

const stage = new Stage(2, { expected: cutLine });

async function both(): Promise<{ ann: Page; ben: Page }> {
  const meeting = await stage.recording();
  const [ann, ben] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
  return { ann, ben };
}

const offline = async (page: Page): Promise<void> => {
  await expect.poll(() => chip(page).innerText(), waits).toMatch(/^Offline · \d+/);
};
/** Letters of the texts, without punctuation and capitals. */
const letters = (all: readonly string[]) =>
  all
    .join('')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
async function same(one: Page, other: Page): Promise<string[]> {
  await Promise.all([saved(one), saved(other)]);
  await expect
    .poll(async () => JSON.stringify(await texts(one)) === JSON.stringify(await texts(other)), waits)
    .toBe(true);
  return texts(one);
}

it.each<[string, string[], string]>([
  ['Chinese, by its sound', ['n', 'ni', 'ni h', 'ni hao'], '你好'],
  ['an accent and its letter, by a dead key', ['´'], 'é'],
  ['a syllable of Hangul, part by part', ['ㅎ', '하', '한'], '한'],
])('%s: composed while the other types into the same segment', async (_, steps, word) => {
  const { ann, ben } = await both();
  const before = await texts(ann);
  await caretIn(ann, 1, -1);
  const method = await compose(ann);
  const [first = '', ...more] = steps;
  await method.write(first);
  await caretIn(ben, 1, 0);
  await ben.keyboard.type('Well, ');
  await saved(ben);
  for (const step of more) await method.write(step);
  await method.commit(word);
  expect(await same(ann, ben)).toEqual(before.with(1, `Well, ${before[1]}${word}`));

  const undone = async () => {
    await ann.keyboard.press('Control+z');
    return (await texts(ann))[1];
  };
  await expect.poll(undone, waits).toBe(`Well, ${before[1]}`);
  expect(await same(ann, ben)).toEqual(before.with(1, `Well, ${before[1]}`));
});

it('both are offline at once: afterwards both have all changes of each, once', async () => {
  const { ann, ben } = await both();
  const before = await texts(ann);
  await Promise.all([ann.context().setOffline(true), ben.context().setOffline(true)]);
  // From the last to the first, so that the numbers stay valid.
  await caretIn(ann, 6, 0);
  await ann.keyboard.press('Backspace');
  await caretIn(ann, 2, 10);
  await ann.keyboard.press('Enter');
  await caretIn(ann, 0, 0);
  await ann.keyboard.type('Annshead ');
  await caretIn(ben, 6, -1);
  await ben.keyboard.type(' benssecond');
  await caretIn(ben, 2, -1);
  await ben.keyboard.type(' benstail');
  await caretIn(ben, 0, 0);
  await ben.keyboard.type('Benshead ');
  await Promise.all([offline(ann), offline(ben)]);
  expect(await texts(ann)).not.toEqual(await texts(ben));
  await Promise.all([ann.context().setOffline(false), ben.context().setOffline(false)]);

  await expect.poll(async () => (await texts(ann)).join(), waits).toContain('Benshead');
  await expect.poll(async () => (await texts(ben)).join(), waits).toContain('Annshead');
  const after = await same(ann, ben);
  expect(after).toHaveLength(before.length);
  // Text typed behind the split is behind it, and text typed into the second segment is in the joined one.
  expect(after[3]).toMatch(/ benstail$/);
  expect(after[6]).toMatch(/ benssecond$/);
  expect(after[0]).toMatch(/^(Annshead Benshead|Benshead Annshead) /);
  const rest = letters(after);
  expect(rest.length).toBe(letters(before).length + 'AnnsheadBensheadbenstailbenssecond'.length);
});

it('all results are replaced while the other person types within one of the words: their letter stays', async () => {
  const { ann, ben } = await both();
  const times = async (page: Page, word: string) => (await texts(page)).join('\n').split(word).length - 1;
  await ben.context().setOffline(true);
  await caretBefore(ben, 'Thursday');
  for (let i = 0; i < 'Thur'.length; i += 1) await ben.keyboard.press('ArrowRight');
  await ben.keyboard.type('X');
  await offline(ben);
  expect(await times(ben, 'ThurXsday')).toBe(1);

  await ann.keyboard.press('Control+h');
  await ann.getByRole('searchbox', { name: 'Search for' }).fill('Thursday');
  const pane = ann.getByRole('search');
  await pane.getByText('1 of 3').waitFor(waits);
  await pane.getByLabel('Replace with').fill('Friday');
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByText('3 places replaced').waitFor(waits);
  await ben.context().setOffline(false);

  await expect.poll(() => times(ben, 'Friday'), waits).toBe(3);
  await expect.poll(() => times(ann, 'X'), waits).toBe(1);
  await same(ann, ben);
  expect(await times(ann, 'Thursday')).toBe(0);
  expect((await texts(ann)).join('\n')).toMatch(/FridayX|XFriday/);
  // After undo the words are back, and the text that was not Ann's stays.
  await pane.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => times(ben, 'Friday'), waits).toBe(0);
  await same(ann, ben);
  expect(await times(ben, 'X')).toBe(1);
  expect((await times(ben, 'Thursday')) + (await times(ben, 'ThurXsday'))).toBeGreaterThanOrEqual(2);
});

it('a caret stays where it was moved to, however many changes of the other person arrive at the same moment', async () => {
  const { ann, ben } = await both();
  const before = await texts(ann);
  await caretIn(ben, 4, 0);
  await caretIn(ann, 1, 0);
  const rounds = 12;
  let writing = true;
  const other = (async () => {
    while (writing) await ben.keyboard.type('on and ');
  })();
  await expect.poll(async () => (await texts(ann))[4], waits).toMatch(/^on/);
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < 5; step += 1) await ann.keyboard.press('ArrowRight');
    await ann.keyboard.type('|');
  }
  writing = false;
  await other;
  const { 1: mine = '' } = await same(ann, ben);
  const wanted = Array.from({ length: rounds }, (_, round) => before[1]?.slice(5 * round, 5 * round + 5));
  expect(mine).toBe(`${wanted.join('|')}|${before[1]?.slice(5 * rounds)}`);
});

it('by touch: a finger that scrolls is no tap, a tap sets the caret, and both type in one segment', async () => {
  const meeting = await stage.recording();
  const [phone, desktop] = await Promise.all([stage.open(0, meeting, { width: 'phone' }), stage.open(1, meeting)]);
  const focused = () => phone.evaluate(() => document.activeElement?.classList.contains('ProseMirror') === true);
  const box = await segments(phone).nth(3).boundingBox();
  if (!box) throw new Error('nothing on the screen');
  const top = () => phone.evaluate(() => document.querySelector('[role=tabpanel]')?.scrollTop ?? 0);
  await swipe(phone, { x: 200, y: 600 }, { x: 200, y: 300 });
  await expect.poll(top, waits).toBeGreaterThan(0);
  expect([await focused(), (await sound(phone)).ms]).toEqual([false, 0]);

  const point = await segments(phone)
    .nth(3)
    .evaluate((one) => {
      one.scrollIntoView({ block: 'center' });
      const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode();
      const range = document.createRange();
      if (text) range.setStart(text, 0);
      if (text) range.setEnd(text, 3);
      const { left, right, top: above, bottom } = range.getBoundingClientRect();
      return { x: (left + right) / 2, y: (above + bottom) / 2 };
    });
  await phone.touchscreen.tap(point.x, point.y);
  await expect.poll(focused, waits).toBe(true);
  await expect.poll(async () => (await sound(phone)).ms, waits).toBeGreaterThan(0);
  const [, , , before = ''] = await texts(phone);
  await phone.keyboard.press('Home');
  await Promise.all([
    phone.keyboard.type('Phone ', { delay: 20 }),
    caretIn(desktop, 3, -1).then(() => desktop.keyboard.type(' desktop', { delay: 20 })),
  ]);
  const after = await same(phone, desktop);
  expect(letters([after[3] ?? ''])).toHaveLength(letters([before]).length + 'Phonedesktop'.length);
  expect(after[3]).toMatch(/ desktop$/);
  expect(after[3]).toContain('Phone ');
  expect(await focused()).toBe(true);
});
