// The recording's page for people who hear it or see it otherwise (features, N29): what the accessibility tree of the
// browser has, what is announced, and the colours and motion that a person's system asks for.
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { announcements } from '../support/announcements.ts';
import { expectAccessible } from '../support/browser.ts';
import { caretIn, caretBefore, sound, Stage, waits, wholeDrawn } from '../support/document-page.ts';

vi.setConfig({ testTimeout: 300_000 });

const stage = new Stage(2);

interface Told {
  role: string;
  name: string;
  below: string[];
}

/** Every node of the browser's accessibility tree that is told, with the names of all nodes below it. */
async function accessibilityTree(page: Page): Promise<Told[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const nameOf = (node: (typeof nodes)[number]) => String(node.name?.value ?? '');
  const below = (id: string): string[] =>
    (byId.get(id)?.childIds ?? []).flatMap((child) => {
      const node = byId.get(child);
      return node ? [...(node.ignored ? [] : [nameOf(node)]), ...below(child)] : [];
    });
  return nodes
    .filter(({ ignored }) => !ignored)
    .map((node) => ({ role: String(node.role?.value), name: nameOf(node), below: below(node.nodeId) }));
}

const caretText = (page: Page) =>
  page.evaluate(() => {
    const { anchorNode, anchorOffset } = getSelection() ?? {};
    return anchorNode?.textContent?.slice(anchorOffset, (anchorOffset ?? 0) + 12) ?? '';
  });
const slider = (page: Page) => page.getByRole('slider', { name: 'Position in the recording' });

it('speaker and time are said once for each paragraph, the caret jumps by speaker and chapter, and nothing chatters', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const { version } = (await ann.get(`/api/meetings/${meeting}`)).body;
  const toc = [
    { id: 'a', start: 47.5, title: 'What holds her back' },
    { id: 'b', start: 150, title: '' },
  ];
  const put = await ann.put(`/api/meetings/${meeting}`, { meeting: { 'doc.toc': toc }, version });
  expect(put.status, put.text).toBe(200);
  const [page, other] = await Promise.all([stage.open(0, meeting), stage.open(1, meeting)]);
  await wholeDrawn(page);

  const tree = await accessibilityTree(page);
  const paragraphs = tree.filter(({ role, name }) => role === 'region' && /, \d:\d\d$/.test(name));
  expect(paragraphs.map(({ name }) => name).slice(0, 4)).toEqual([
    'Moderator, 0:00',
    'Coach, 0:17',
    'Client, 0:24',
    'Coach, 0:30',
  ]);
  for (const { name, below } of paragraphs) {
    const [speaker = '', time = ''] = name.split(', ');
    expect(
      below.filter((one) => one === speaker || one.includes(`: ${speaker}`) || one.includes(time)),
      name,
    ).toEqual([]);
    expect(below).toContain('Play from here');
  }

  // The caret goes to the next beginning of a speaker, says it once, and the sound goes along.
  const said = await announcements(page);
  const last = async () => (await said()).at(-1);
  await caretIn(page, 0);
  await page.keyboard.press('Alt+BracketRight');
  await expect.poll(last, waits).toBe('Coach, 0:17');
  expect(await caretText(page)).toBe('Thank you. I');
  expect(Math.floor((await sound(page)).ms / 1000)).toBe(17);
  await page.keyboard.press('Alt+BracketRight');
  await expect.poll(last, waits).toBe('Client, 0:24');
  await page.keyboard.press('Alt+BracketLeft');
  await expect.poll(last, waits).toBe('Coach, 0:17');
  await page.keyboard.press('Alt+BracketLeft');
  await page.keyboard.press('Alt+BracketLeft');
  await expect.poll(last, waits).toBe('No other speaker in this direction');
  await page.keyboard.press('Alt+Shift+BracketRight');
  await expect.poll(last, waits).toBe('Chapter What holds her back, 0:47');
  expect(await caretText(page)).toBe('I open my ca');
  await page.keyboard.press('Alt+Shift+BracketRight');
  await expect.poll(last, waits).toBe('Chapter Untitled, 2:30');
  await page.keyboard.press('Alt+Shift+BracketRight');
  await expect.poll(last, waits).toBe('No other chapter in this direction');
  // Nothing was typed, and the list of keys has them.
  expect(await page.locator('.ProseMirror').textContent()).not.toMatch(/[[\]“‘]/);
  await page.keyboard.press('Control+/');
  const sheet = page.getByRole('dialog');
  for (const name of ['Next speaker, with the caret', 'Previous chapter, with the caret'])
    await sheet.getByText(name, { exact: true }).waitFor(waits);
  await page.keyboard.press('Escape');

  // While another person types and the sound plays, nothing is announced, and the slider does not count the seconds.
  await slider(page).focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await slider(page).focus();
  const before = (await said()).length;
  const value = await slider(page).getAttribute('aria-valuetext');
  await caretBefore(other, 'Better than');
  await other.keyboard.type('This is typed while the sound plays. ', { delay: 40 });
  await page.getByText('This is typed while the sound plays.').waitFor(waits);
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(4_000);
  // A slow line is worth saying.
  expect((await said()).slice(before).filter((text) => text !== 'Waiting for the recording…')).toEqual([]);
  expect(await slider(page).getAttribute('aria-valuetext')).toBe(value);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => slider(page).getAttribute('aria-valuetext'), waits).not.toBe(value);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expectAccessible(page);

  // Settings opened from here come back to here.
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Profile' }).waitFor(waits);
  await page.getByRole('link', { name: 'Back to the recording' }).click();
  await page.locator('.ProseMirror').waitFor(waits);
  expect(new URL(page.url()).pathname).toBe(`/meeting/${meeting}`);
});

it('every screen keeps to the colours, the contrast and the motion that the system asks for', async () => {
  const meeting = await stage.recording();
  const page = await stage.open(0, meeting);
  await wholeDrawn(page);
  const of = (selector: string, property: string, pseudo?: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one, [name, part]) => getComputedStyle(one, part).getPropertyValue(name ?? ''), [property, pseudo]);
  const line = await of(':root', '--line');
  await page.emulateMedia({ contrast: 'more' });
  expect(await of(':root', '--line')).not.toBe(line);
  await expectAccessible(page);
  await page.emulateMedia({ contrast: 'more', colorScheme: 'dark' });
  await page.locator('[data-mantine-color-scheme=dark]').waitFor();
  await expectAccessible(page);

  await page.emulateMedia({ contrast: 'no-preference', forcedColors: 'active', reducedMotion: 'reduce' });
  // Parts that are a ground elsewhere are still seen: the line of a speaker, and the button that plays.
  const text = await of('body', 'color');
  expect(await of('.ProseMirror > [data-turn] > :first-child', 'background-color', '::after')).toBe(text);
  expect(await of('button[aria-label="Play"]', 'border-top-style')).toBe('solid');
  for (const [path, name] of [
    [null, ''],
    ['/', 'Library'],
    ['/profile', 'Profile'],
    ['/teams', 'Manage Teams'],
    ['/help', 'Help center'],
  ] as const) {
    if (path) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor(waits);
    }
    await expectAccessible(page);
    const slow = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((one) => {
        const { animationName, animationDuration, transitionDuration } = getComputedStyle(one);
        const longest = Math.max(
          ...`${animationName === 'none' ? '0s' : animationDuration}, ${transitionDuration}`
            .split(', ')
            .map(parseFloat),
        );
        return longest > 0.001 ? [`${one.className} ${animationDuration} ${transitionDuration}`] : [];
      }),
    );
    expect(slow, path ?? 'recording').toEqual([]);
  }
});
