// People who are here, their position and activity, as the others see them; and following one of them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Stage, caretIn, segments, sound, waits } from '../support/document-page.ts';

const stage = new Stage(4);

const here = (page: Page) => page.getByRole('list', { name: 'People here' });
/** Texts about people in the page's header. */
const says = (page: Page) =>
  here(page)
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
const typists = (page: Page) =>
  segments(page).evaluateAll((all) => all.flatMap((one, i) => (one.hasAttribute('data-typist') ? [i] : [])));
const banner = (page: Page) => page.getByText(/^Following .+ - Esc$/);
/** Whether a segment is in the visible part of the text. */
const inSight = (page: Page, segment: number) =>
  segments(page)
    .nth(segment)
    .evaluate((one) => {
      const box = one.closest('[role=tabpanel]')?.getBoundingClientRect();
      const { top } = one.getBoundingClientRect();
      return box !== undefined && top >= box.top && top < box.bottom;
    });

/** Records in order what the page reads of another person's sound, and what its own does. */
const recordSound = (page: Page) =>
  page.evaluateHandle(() => {
    const order: string[] = [];
    const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data') ?? {};
    const read = new WeakSet<MessageEvent>();
    Object.defineProperty(MessageEvent.prototype, 'data', {
      configurable: true,
      get(this: MessageEvent): unknown {
        const data: unknown = get?.call(this);
        const text = data instanceof ArrayBuffer ? new TextDecoder('latin1').decode(data) : '';
        const listens = /"listening":(true|false)/.exec(text)?.[1];
        const rate = /"rate":([\d.]+)/.exec(text)?.[1];
        if (listens && !read.has(this))
          order.push(listens === 'true' && Number(rate) > 0 ? 'told of sound' : 'told of silence');
        read.add(this);
        return data;
      },
    });
    const element = document.querySelector<HTMLAudioElement>('audio:not([data-voice])');
    if (!element) throw new Error('no sound');
    const [play, pause] = [element.play.bind(element), element.pause.bind(element)];
    element.play = () => (order.push('starts'), play());
    element.pause = () => (order.push('stops'), pause());
    return order;
  });

it('each person sees who else is here, where they are and whether they type, listen or read', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting)];
  await expect.poll(() => says(ann), waits).toEqual([expect.stringMatching(/^Follow Ben \w+, .*reading$/)]);
  expect(await typists(ann)).toEqual([]);

  await caretIn(ben, 6);
  // The notice lasts as long as the person types; on a busy machine they must type longer.
  await expect
    .poll(async () => {
      await ben.keyboard.type('so ');
      return [await says(ann), await typists(ann)];
    }, waits)
    .toEqual([[expect.stringMatching(/^Follow Ben \w+, at 0:\d\d, typing$/)], [6]]);
  // There is no lock: the other person types into the same segment meanwhile.
  await caretIn(ann, 6, -1);
  await ann.keyboard.type(' indeed');
  await expect.poll(() => segments(ben).nth(6).textContent(), waits).toMatch(/ indeed$/);
  await expect
    .poll(async () => [await says(ann), await typists(ann)], waits)
    .toEqual([[expect.stringMatching(/^Follow Ben \w+, at 0:\d\d, reading$/)], []]);

  await ben.keyboard.press('F4');
  await expect.poll(() => says(ann), waits).toEqual([expect.stringMatching(/listening$/)]);
  await ben.keyboard.press('F4');
  await expect.poll(() => says(ann), waits).toEqual([expect.stringMatching(/reading$/)]);
  await ben.context().close();
  await expect.poll(() => here(ann).count(), waits).toBe(0);
});

it('a followed person is kept in view, with their sound if chosen, until any own key', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [await stage.open(0, meeting), await stage.open(1, meeting)];
  const last = (await segments(ben).count()) - 1;
  await here(ann).getByRole('button').waitFor(waits);
  await caretIn(ben, last);
  await expect.poll(() => ann.locator('.their-caret').count(), waits).toBe(1);
  expect(await inSight(ann, last)).toBe(false);

  await ann.keyboard.press('Alt+KeyF');
  await expect.poll(() => banner(ann).textContent(), waits).toMatch(/^Following Ben \w+ - Esc$/);
  await expect.poll(() => inSight(ann, last), waits).toBe(true);
  await caretIn(ben, 0);
  await expect.poll(() => inSight(ann, 0), waits).toBe(true);

  // The sound does not follow before that is requested.
  await ben.keyboard.press('F4');
  await expect.poll(() => says(ann), waits).toEqual([expect.stringMatching(/^Follow Ben \w+, at 0:\d\d, listening$/)]);
  expect((await sound(ann)).playing).toBe(false);
  await ann.getByLabel('Sound follows too').check();
  await expect.poll(async () => (await sound(ann)).playing, waits).toBe(true);
  await ben.keyboard.press('F4');
  await expect.poll(async () => (await sound(ann)).playing, waits).toBe(false);
  expect(await banner(ann).count()).toBe(1);

  // The very message that tells of the sound starts it, and the one that tells of its end stops it.
  const heard = await recordSound(ann);
  await ben.keyboard.press('F4');
  await expect.poll(async () => (await sound(ann)).playing, waits).toBe(true);
  await ben.keyboard.press('F4');
  await expect.poll(async () => (await sound(ann)).playing, waits).toBe(false);
  const order = await heard.jsonValue();
  expect(order.slice(order.indexOf('told of sound')).slice(0, 2)).toEqual(['told of sound', 'starts']);
  const end = order.lastIndexOf('stops');
  expect(order.slice(end - 1, end + 1)).toEqual(['told of silence', 'stops']);

  // Escape ends the following, and does not pause the sound.
  await ann.keyboard.press('Escape');
  await expect.poll(() => banner(ann).count(), waits).toBe(0);
  expect((await sound(ann)).playing).toBe(false);
  await caretIn(ben, last);
  await expect.poll(() => ann.locator('.their-caret').count(), waits).toBe(1);
  expect(await inSight(ann, last)).toBe(false);

  // Starts by a press on the avatar, and ends by any key.
  await here(ann).getByRole('button').click();
  await banner(ann).waitFor(waits);
  expect(await here(ann).getByRole('button').getAttribute('aria-pressed')).toBe('true');
  await caretIn(ann, last);
  await ann.keyboard.press('KeyX');
  await expect.poll(() => banner(ann).count(), waits).toBe(0);
  await ann.keyboard.press('Alt+KeyF');
  await banner(ann).waitFor(waits);
  await ben.context().close();
  await ann.getByText(/^Ben \w+ left\.$/).waitFor(waits);
  expect(await banner(ann).count()).toBe(0);
});

it('on a phone one person is shown and the rest are counted, and each can be followed', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting, { width: 'phone' });
  for (const who of [1, 2, 3]) await stage.open(who, meeting);
  const more = here(ann).getByRole('button', { name: '2 more people' });
  await more.waitFor(waits);
  await more.tap();
  await ann
    .getByRole('button', { name: /^Dana/ })
    .or(ann.getByRole('button', { name: /^Chen/ }))
    .first()
    .tap();
  await expect.poll(() => banner(ann).count(), waits).toBe(1);
  await ann.getByRole('button', { name: 'Stop following' }).tap();
  await expect.poll(() => banner(ann).count(), waits).toBe(0);
});
