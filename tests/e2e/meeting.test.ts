// The page of a recording: the actions each permission allows, two people in one paragraph, and every width.
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, type Scheme, type Width } from '../support/browser.ts';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import {
  caretIn,
  chip,
  cutLine,
  drawn,
  drawnAgain,
  openPane,
  saved,
  segments,
  select,
  Stage,
  texts,
  waits,
} from '../support/document-page.ts';
import { makeMeeting, share } from '../support/meetings.ts';

const stage = new Stage(2, { expected: cutLine });

describe('two people in one paragraph', () => {
  it('letters of both in one word appear on both screens, and a split keeps what is typed behind it', async () => {
    const meeting = await stage.recording();
    const [one, two] = [await stage.open(0, meeting), await stage.open(1, meeting)];
    const [first = ''] = await texts(one);
    const count = await segments(one).count();
    await Promise.all([caretIn(one, 0, 2), caretIn(two, 0, 2)]);
    await Promise.all([one.keyboard.type('aaa', { delay: 20 }), two.keyboard.type('bbb', { delay: 20 })]);
    await Promise.all([saved(one), saved(two)]);
    await expect.poll(async () => (await texts(one))[0]?.length, waits).toBe(first.length + 6);
    await expect.poll(async () => (await texts(two))[0], waits).toBe((await texts(one))[0]);
    // Neither person's letters are split by the other's.
    expect((await texts(one))[0]).toMatch(/aaa|bbb/);

    await Promise.all([caretIn(one, 1, 4), caretIn(two, 1, -1)]);
    const [, before = ''] = await texts(one);
    await Promise.all([one.keyboard.press('Enter'), two.keyboard.type(' at the tail', { delay: 20 })]);
    await expect.poll(() => segments(two).count(), waits).toBe(count + 1);
    await expect.poll(async () => (await texts(one))[2], waits).toMatch(/ at the tail$/);
    await expect.poll(() => texts(two), waits).toEqual(await texts(one));
    const [, head = '', tail = ''] = await texts(one);
    expect((head + tail).replaceAll(/\W/g, '').toLowerCase()).toBe(
      `${before} at the tail`.replaceAll(/\W/g, '').toLowerCase(),
    );
  });
});

/** Creates a meeting with so many segments that its editor takes a while to build. */
async function longRecording(passages: number): Promise<string> {
  const meeting = await makeMeeting(stage.house, stage.person(0));
  const line = 'so what would you like to work on today'.split(' ');
  const spoken = Array.from({ length: passages }, (_, i) => ({
    id: newId(),
    speaker: '',
    words: line.map((w, k) => ({ w, f: i * 8 + k, t: i * 8 + k + 1 })),
  }));
  const seed = seedState({ speakers: [], segments: spoken });
  await stage.house.house.rooms.renew(meeting, 'transcript', { userId: stage.person(0).id }, seed);
  return meeting;
}

it('a long recording is laid out first where it is visible, and then everywhere', async () => {
  const meeting = await longRecording(400);
  const page = await stage.desk.seat(stage.person(0));
  await page.addInitScript(() => {
    new MutationObserver((_, watch) => {
      const all = document.querySelectorAll('.ProseMirror > *').length;
      if (all < 400) return;
      watch.disconnect();
      Object.assign(window, { drawnAtFirst: document.querySelectorAll('.ProseMirror > [data-drawn]').length });
    }).observe(document, { subtree: true, childList: true });
  });
  await page.goto(`/meeting/${meeting}`);
  await expect.poll(() => segments(page).count(), waits).toBe(400);
  expect(await page.evaluate(() => (window as unknown as { drawnAtFirst: number }).drawnAtFirst)).toBeLessThan(50);
  await expect.poll(() => page.locator('.ProseMirror > [data-drawn]').count(), waits).toBe(400);
  // A segment that is added later is drawn at once.
  await caretIn(page, 2, 5);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.ProseMirror > [data-drawn]').count(), waits).toBe(401);
});

describe('a recording that is opening', () => {
  it('requests its files, its data and its connection before a script of the page has run, each once', async () => {
    const meeting = await stage.recording();
    const page = await stage.desk.seat(stage.person(0));
    let letRun = (): void => undefined;
    const mayRun = new Promise<void>((resolve) => (letRun = resolve));
    await page.route(/\/assets\/index-[\w-]+\.js$/, async (route) => {
      await mayRun;
      await route.continue();
    });
    const asked: string[] = [];
    const lines: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('websocket', (line) => {
      const { pathname } = new URL(line.url());
      if (pathname.endsWith('/transcript')) lines.push(pathname);
    });
    await page.goto(`/meeting/${meeting}`, { waitUntil: 'commit' });

    const about = `/api/meetings/${meeting}/about`;
    const early = [/^\/assets\/meeting-.+\.js$/, /^\/assets\/meeting-.+\.css$/, /^\/assets\/literata-.+\.woff2$/];
    for (const part of early) await expect.poll(() => asked.some((path) => part.test(path)), waits).toBe(true);
    await expect.poll(() => lines, waits).toEqual([`/sync/${meeting}/transcript`]);
    // A request that is held for routes is told of later than a connection.
    await expect.poll(() => asked, waits).toEqual(expect.arrayContaining(['/api/principals/whoami', about]));

    letRun();
    await segments(page).first().waitFor(waits);
    await caretIn(page, 0, 0);
    await page.keyboard.type('Goes on. ');
    await saved(page);
    expect((await texts(page))[0]).toMatch(/^Goes on\. /);
    // The page continued with the early requests and the early connection.
    expect(lines).toHaveLength(1);
    for (const path of ['/api/principals/whoami', about]) expect(asked.filter((one) => one === path)).toHaveLength(1);
  });

  it('can be read before its editor is built, with changes by others, and never appears to be empty', async () => {
    const meeting = await longRecording(800);
    await share(stage.house, meeting, stage.person(1), ['read', 'write']);
    const page = await stage.desk.seat(stage.person(0));
    // The editor is built after the first paint; here that is delayed until `paint`.
    await page.addInitScript(() => {
      const real = window.requestAnimationFrame.bind(window);
      const held: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (work) => -held.push(work);
      Object.assign(window, {
        paint: () => {
          window.requestAnimationFrame = real;
          for (const work of held.splice(0)) real(work);
        },
      });
      new MutationObserver(() => {
        if (document.getElementById('root')?.textContent.includes('The transcript is empty'))
          Object.assign(window, { saidEmpty: true });
      }).observe(document, { subtree: true, childList: true });
    });
    await page.goto(`/meeting/${meeting}`);
    const reading = page.getByRole('document', { name: 'Transcript' });
    await reading.waitFor(waits);
    expect(await reading.getAttribute('aria-busy')).toBe('true');
    expect(await page.locator('.ProseMirror').count()).toBe(0);
    expect(await reading.innerText()).toMatch(/^so what would you like to work on today/);

    const other = await stage.open(1, meeting);
    await caretIn(other, 0, 0);
    await other.keyboard.type('Meanwhile ');
    await saved(other);
    await expect.poll(() => reading.innerText(), waits).toMatch(/^Meanwhile so what would/i);

    await page.evaluate(() => (window as unknown as { paint(): void }).paint());
    await expect.poll(() => segments(page).count(), waits).toBe(800);
    expect(await reading.count()).toBe(0);
    expect(await texts(page)).toEqual(await texts(other));
    await caretIn(page, 0, 0);
    await page.keyboard.type('Both ');
    await saved(page);
    await expect.poll(async () => (await texts(other))[0], waits).toMatch(/^Both Meanwhile/i);
    expect(await page.evaluate(() => 'saidEmpty' in window)).toBe(false);
  });
});

describe('changes by the browser itself', () => {
  it('a selection over segments that it deletes joins them, and the gutter beside them stays correct', async () => {
    const meeting = await stage.recording();
    const [one, two] = [await stage.open(0, meeting), await stage.open(1, meeting)];
    const before = await texts(one);
    const gutter = (page: Page, segment: number) =>
      segments(page)
        .nth(segment)
        .locator('button')
        .evaluateAll((all) => all.map((button) => (button as HTMLElement).dataset['text'] ?? ''));
    const beside = await gutter(one, 1);
    // Attributes and elements that a browser extension adds beside the text are ignored.
    await segments(one)
      .nth(1)
      .evaluate((segment) => {
        segment.setAttribute('data-extension', 'x');
        segment.firstElementChild?.append(document.createElement('i'));
        Object.assign(segment, { seen: true });
      });
    await caretIn(one, 1, 4);
    await one.keyboard.type('!');
    expect(
      await segments(one)
        .nth(1)
        .evaluate((segment) => Reflect.get(segment, 'seen')),
    ).toBe(true);

    // Deletes as a phone's keyboard does: in the page itself, bypassing the editor.
    await one.evaluate(() => {
      const [, first, , last] = document.querySelectorAll('.ProseMirror > *');
      const textOf = (segment: Element | undefined) => {
        const walker = document.createTreeWalker(segment ?? document, NodeFilter.SHOW_TEXT);
        return walker.nextNode() as Text;
      };
      getSelection()?.setBaseAndExtent(textOf(first), 5, textOf(last), 3);
    });
    await drawnAgain(one);
    const session = await one.context().newCDPSession(one);
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', commands: ['deleteBackward'] });
    const joined = `${before[1]?.slice(0, 4)}!${before[3]?.slice(3)}`;
    const wanted = [before[0], joined, ...before.slice(4)];
    await expect.poll(() => texts(one), waits).toEqual(wanted);
    await expect.poll(() => texts(two), waits).toEqual(wanted);
    expect(await gutter(one, 1)).toEqual(beside);
    await caretIn(one, 1, 0);
    await one.keyboard.type('Well, ');
    await expect.poll(async () => (await texts(two))[1], waits).toBe(`Well, ${joined}`);

    // Many words with times are typed over after a question alone; then it is one step.
    const whole = await texts(one);
    const over = async (letter: string) => {
      await one.evaluate(() => {
        const all = document.querySelectorAll('.ProseMirror > *');
        const walker = (at: number) => document.createTreeWalker(all[at] ?? document, NodeFilter.SHOW_TEXT);
        const [first, last] = [walker(2).nextNode(), walker(4).nextNode()];
        if (first && last) getSelection()?.setBaseAndExtent(first, 0, last, 4);
      });
      await drawnAgain(one);
      await one.keyboard.type(letter);
      await asked.getByText('Their exact times are lost. New words get estimated times.').waitFor(waits);
    };
    const asked = one.getByRole('dialog', { name: /^Replace \d\d words\?$/ });
    await over('Z');
    await expectAccessible(one);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await texts(one)).toEqual(whole);
    await over('Z');
    await asked.getByRole('button', { name: 'Replace' }).click();
    const typed = [...whole.slice(0, 2), `Z${whole[4]?.slice(4)}`, ...whole.slice(5)];
    await expect.poll(() => texts(two), waits).toEqual(typed);
    await one.keyboard.press('Control+z');
    await expect.poll(() => texts(two), waits).toEqual(whole);
    // The policy blocks the inline styles with which a browser keeps the look of joined text.
    const refused = stage.desk.complaints.splice(0);
    expect(refused.filter((line) => !line.includes('Applying inline style violates'))).toEqual([]);
  });

  it('typing redraws only the text and the chip', async () => {
    const page = await stage.desk.seat(stage.person(0));
    // Counts renders by the hook that React offers to developer tools.
    await page.addInitScript(() => {
      interface Fiber {
        stateNode: unknown;
        return: Fiber | null;
        child: Fiber | null;
        sibling: Fiber | null;
        flags: number;
      }
      const drawn = { frame: 0, last: null as Fiber | null };
      Object.assign(window, { drawn });
      const performed = 1;
      const find = (fiber: Fiber | null): Fiber | null => {
        for (let at = fiber; at; at = at.sibling) {
          if (at.stateNode instanceof HTMLElement && at.stateNode.querySelector(':scope > header')) return at.return;
          const found = find(at.child);
          if (found) return found;
        }
        return null;
      };
      const onCommitFiberRoot = (_: number, { current }: { current: Fiber }) => {
        const frame = find(current);
        if (frame && frame !== drawn.last && (frame.flags & performed) !== 0) drawn.frame += 1;
        drawn.last = frame;
      };
      Object.assign(window, {
        __REACT_DEVTOOLS_GLOBAL_HOOK__: {
          supportsFiber: true,
          inject: () => 1,
          onCommitFiberRoot,
          onCommitFiberUnmount: () => undefined,
        },
      });
    });
    await page.goto(`/meeting/${await stage.recording()}`);
    await segments(page).first().waitFor(waits);
    await saved(page);
    const drawn = () => page.evaluate(() => (window as unknown as { drawn: { frame: number } }).drawn.frame);
    await caretIn(page, 1, 4);
    const before = await drawn();
    expect(before).toBeGreaterThan(0);
    await page.keyboard.type('a dozen letters', { delay: 30 });
    await saved(page);
    expect(await drawn()).toBe(before);
    // The control: a change of the frame's own content renders it.
    await page.getByRole('tab', { name: 'Analytics' }).click();
    await expect.poll(drawn, waits).toBeGreaterThan(before);
  });
});

describe('permissions', () => {
  it('a reader is told why, sees the others type, and cannot change anything', async () => {
    const meeting = await stage.recording();
    await share(stage.house, meeting, stage.person(1), ['read', 'discover']);
    const [writer, reader] = [await stage.open(0, meeting), await stage.open(1, meeting)];
    await reader
      .getByText(/You can read this recording but not edit it\. Its owner, Ann \w+, can let you edit\./)
      .waitFor();
    const before = await texts(writer);
    expect(await reader.locator('.ProseMirror').getAttribute('contenteditable')).toBe('false');
    expect(await reader.getByLabel('Title').count()).toBe(0);
    await segments(reader).first().click();
    for (const key of ['KeyX', 'Enter', 'Backspace', 'Delete', 'Control+KeyX']) await reader.keyboard.press(key);
    await reader.keyboard.press('Control+Slash');
    const sheet = reader.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.waitFor(waits);
    expect(await sheet.getByText('Split here').count()).toBe(0);
    await reader.keyboard.press('Escape');
    await caretIn(writer, 0);
    await writer.keyboard.type('Well ');
    await expect.poll(async () => (await texts(reader))[0], waits).toBe(`Well ${before[0]}`);
    await expect.poll(() => reader.locator('.their-caret').count(), waits).toBe(1);
    expect(await texts(writer)).toEqual([`Well ${before[0]}`, ...before.slice(1)]);
  });

  it('a permission that ends while a person types ends the editing at once, and they keep their words', async () => {
    const meeting = await stage.recording();
    const [owner, guest] = [await stage.open(0, meeting), await stage.open(1, meeting)];
    await caretIn(guest, 0);
    await guest.keyboard.type('safe ');
    await saved(guest);
    await guest.context().setOffline(true);
    await guest.keyboard.type('mine alone ');
    await expect.poll(() => chip(guest).innerText(), waits).toMatch(/^Offline/);
    await share(stage.house, meeting, stage.person(1), []);
    await guest.context().setOffline(false);
    const words = guest.getByLabel('Your text');
    await words.waitFor(waits);
    expect(await words.inputValue()).toContain('mine alone');
    await expect.poll(() => guest.locator('.ProseMirror').getAttribute('contenteditable'), waits).toBe('false');
    expect((await texts(owner))[0]).toMatch(/^safe /);
    expect((await texts(owner))[0]).not.toContain('mine alone');
  });

  it('a person who becomes a reader is offered the unsent words, and continues to read without them', async () => {
    const meeting = await stage.recording();
    const [owner, guest] = [await stage.open(0, meeting), await stage.open(1, meeting)];
    await caretIn(guest, 0);
    await guest.context().setOffline(true);
    await guest.keyboard.type('mine alone ');
    await expect.poll(() => chip(guest).innerText(), waits).toMatch(/^Offline/);
    await share(stage.house, meeting, stage.person(1), ['read', 'discover']);
    await guest.context().setOffline(false);
    const words = guest.getByLabel('Your text');
    await words.waitFor(waits);
    expect(await words.inputValue()).toContain('mine alone');
    await guest.getByRole('button', { name: 'I’ve copied it' }).click();
    await words.waitFor({ state: 'hidden' });
    await expect.poll(async () => texts(guest), waits).toEqual(await texts(owner));
    expect((await texts(owner))[0]).not.toContain('mine alone');
    expect(await guest.locator('.ProseMirror').getAttribute('contenteditable')).toBe('false');
  });
});

describe('missing parts', () => {
  it('an empty transcript says so until somebody types; without sound the player says why', async () => {
    const page = await stage.open(0, await makeMeeting(stage.house, stage.person(0)));
    await page.getByText('The transcript is empty').waitFor(waits);
    const player = page.getByRole('region', { name: 'Player' });
    await player.getByText('No sound to play: only a transcript was added to this recording.').waitFor(waits);
    expect(await player.getByRole('button').count()).toBe(0);
    await page.locator('.ProseMirror').focus();
    await page.keyboard.type('Good morning');
    await page.getByText('The transcript is empty').waitFor({ state: 'hidden' });
    await saved(page);
  });
});

describe('widths', () => {
  // The order of the icons is a setting.
  beforeEach(() => stage.renew());

  it.each<{ width: Width; scheme: Scheme }>([
    { width: 'wide', scheme: 'light' },
    { width: 'phone', scheme: 'dark' },
    { width: 'wide', scheme: 'dark' },
    { width: 'phone', scheme: 'light' },
  ])('$width, $scheme: axe finds nothing, with a pane open and without', async ({ width, scheme }) => {
    const meeting = await stage.recording();
    const page = await stage.open(0, meeting, { width, scheme });
    await expectAccessible(page);
    await openPane(page, 'Comments');
    await page.locator('[data-open]').waitFor();
    await expectAccessible(page);
    await page.locator('[data-rail]').getByRole('button', { name: /^More/ }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Bookmarks' }).waitFor();
    await expectAccessible(page);
  });

  it('icons of the rail are dragged and moved by keys, their order is kept, and Escape closes the pane', async () => {
    const page = await stage.open(0, await stage.recording());
    const rail = page.locator('[data-rail]');
    const names = () =>
      rail.locator('button[id]').evaluateAll((all) => all.flatMap(({ id }) => /^pane-(.*)/.exec(id)?.[1] ?? []));
    expect(await names()).toEqual(['outcomes', 'comments', 'doubts', 'find', 'notes', 'chat', 'reviews']);
    const middle = async (name: string) => {
      const box = await rail.getByRole('button', { name }).boundingBox();
      return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
    };
    const [from, to] = [await middle('My notes'), await middle('Comments')];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y - 12, { steps: 8 });
    await page.mouse.up();
    const dragged = ['outcomes', 'notes', 'comments', 'doubts', 'find', 'chat', 'reviews'];
    await expect.poll(names, waits).toEqual(dragged);
    // A drag is no click.
    expect(await page.locator('[data-open]').count()).toBe(0);
    await rail.getByRole('button', { name: 'Outcomes' }).focus();
    // The order that the drag made may still be on its way.
    const stored = page.waitForResponse(
      (response) => response.request().postData()?.includes('"docPanesOrder":["notes","outcomes"') === true,
    );
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(names, waits).toEqual(['notes', 'outcomes', ...dragged.slice(2)]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pane-outcomes');
    await stored;
    await page.reload();
    await expect.poll(names, waits).toEqual(['notes', 'outcomes', ...dragged.slice(2)]);

    await rail.getByRole('button', { name: 'Outcomes' }).focus();
    await page.keyboard.press('Enter');
    const pane = page.getByRole('region', { name: 'Outcomes' });
    await pane.waitFor();
    // Its width is changed by keys and by dragging, and kept on this device.
    const border = page.getByRole('separator', { name: 'Width of the pane' });
    const width = async () => (await pane.boundingBox())?.width;
    await expect.poll(width, waits).toBe(22 * 16);
    await border.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width, waits).toBe(23 * 16);
    const at = await border.boundingBox();
    const grip = { x: (at?.x ?? 0) + (at?.width ?? 0) / 2, y: (at?.y ?? 0) + 100 };
    await page.mouse.move(grip.x, grip.y);
    await page.mouse.down();
    await page.mouse.move(grip.x - 64, grip.y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width, waits).toBe(27 * 16);
    await expectAccessible(page);
    await page.reload();
    await rail.getByRole('button', { name: 'Outcomes' }).click();
    await expect.poll(width, waits).toBe(27 * 16);
    await border.dblclick();
    await expect.poll(width, waits).toBe(22 * 16);
    await pane.getByRole('button', { name: 'Close Outcomes' }).focus();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pane-outcomes');
  });

  it('at medium width a pane is a drawer over the text: opened by its shortcut, closed by Escape', async () => {
    const meeting = await stage.recording();
    const page = await stage.open(0, meeting);
    await page.setViewportSize({ width: 900, height: 800 });
    const before = await segments(page).first().boundingBox();
    await page.locator('main').focus();
    await page.keyboard.press('Alt+Digit1');
    const drawer = page.locator('aside [data-open] > :last-child');
    await drawer.waitFor();
    expect(await segments(page).first().boundingBox()).toEqual(before);
    expect((await drawer.boundingBox())?.width).toBeGreaterThanOrEqual(297);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.querySelector('audio')?.paused)).toBe(true);
  });

  it('on a phone: a sheet leaves the text above it, and the keyboard replaces the tabs by the bar', async () => {
    const meeting = await stage.recording();
    const page = await stage.open(0, meeting, { width: 'phone' });
    await saved(page);
    // The colour bar of a speaker is as tall as their words, not as the whole page.
    const first = segments(page).first();
    expect(await first.evaluate((segment) => (segment.firstElementChild as HTMLElement).offsetParent === segment)).toBe(
      true,
    );
    await openPane(page, 'Bookmarks');
    const sheet = page.locator('aside [data-open] > :last-child');
    await sheet.waitFor();
    const [main, over] = [await page.locator('main').boundingBox(), await sheet.boundingBox()];
    expect((main?.y ?? 0) + (main?.height ?? 0)).toBeLessThanOrEqual((over?.y ?? 0) + 1);
    expect(main?.height).toBeGreaterThan(150);
    // The width that is chosen at a desk is none of the sheet's.
    expect((await page.locator('aside [data-open]').boundingBox())?.width).toBe(main?.width);
    expect(await chip(page).isVisible()).toBe(true);
    // Five tabs of full words; a sheet closes when its tab changes.
    const tabs = page.locator('[data-rail] button');
    expect(await tabs.allInnerTexts()).toEqual(['Text', 'Outcomes', 'Comments', 'Find', 'More']);
    for (const one of await tabs.all()) expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await tabs.nth(2).tap();
    await page.getByRole('region', { name: 'Comments' }).waitFor();
    await tabs.nth(4).tap();
    await page.getByRole('region', { name: 'More' }).getByRole('button', { name: 'My notes' }).tap();
    await page.getByRole('region', { name: 'My notes' }).waitFor();
    await tabs.first().tap();
    await sheet.waitFor({ state: 'hidden' });

    // Words selected by touch get a bar that fits the narrowest phone.
    await page.setViewportSize({ width: 360, height: 740 });
    // The buttons of the player are in one line, which leaves the rest to the text.
    const levels = ['Play', 'Back 2 seconds', 'Forward 2 seconds', 'Sound and text'].map(async (name) => {
      const box = await page.getByRole('button', { name, exact: true }).last().boundingBox();
      return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
    });
    expect(new Set(await Promise.all(levels)).size).toBe(1);
    await segments(page).nth(1).tap();
    await select(page, 'keep your notes short');
    const tools = page.getByRole('toolbar', { name: 'Actions for the selected words' });
    await tools.waitFor(waits);
    expect(await tools.getByRole('button').allInnerTexts()).toEqual(['Comment', 'Outcome', 'Highlight', 'More']);
    const inside = async () => {
      const [left, right] = [await tools.boundingBox(), 360];
      expect(left?.x).toBeGreaterThanOrEqual(0);
      expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right);
      for (const one of await tools.getByRole('button').all()) {
        const box = await one.boundingBox();
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      }
    };
    await inside();
    await expectAccessible(page);
    // A keyboard reaches it from the words, goes through it in order, and back to them.
    const isFocused = (name: string) =>
      tools.getByRole('button', { name, exact: true }).evaluate((one) => one === document.activeElement);
    for (const name of ['Comment', 'Outcome', 'Highlight', 'More']) {
      await page.keyboard.press('Tab');
      await expect.poll(() => isFocused(name), waits).toBe(true);
    }
    await page.keyboard.press('Escape');
    await tools.waitFor({ state: 'hidden', ...waits });
    expect(await page.evaluate(() => document.activeElement?.classList.contains('ProseMirror'))).toBe(true);
    await segments(page).nth(1).tap();
    await select(page, 'keep your notes short');
    await tools.getByRole('button', { name: 'Highlight' }).tap();
    await tools.getByRole('button', { name: 'Highlight: Green' }).waitFor();
    await inside();
    await tools.getByRole('button', { name: 'Highlight: Green' }).tap();
    await expect.poll(() => drawn(page, 'highlight-green'), waits).toEqual(['keep your notes short']);

    // The line of the caret stays above a keyboard that makes the page lower, also while new lines are written.
    const bar = page.getByRole('toolbar', { name: 'Editing' });
    const caretEnds = () => page.evaluate(() => getSelection()?.getRangeAt(0).getBoundingClientRect().bottom ?? 0);
    const port = await page.locator('main').boundingBox();
    await page.touchscreen.tap(150, (port?.y ?? 0) + (port?.height ?? 0) - 40);
    await expect.poll(() => page.evaluate(() => document.activeElement?.classList.contains('ProseMirror'))).toBe(true);
    expect(await caretEnds()).toBeGreaterThan(420);
    await page.setViewportSize({ width: 360, height: 420 });
    await bar.waitFor(waits);
    const isAbove = async () => {
      const [ends, top] = [await caretEnds(), (await bar.boundingBox())?.y ?? 0];
      return ends > 0 && ends <= top;
    };
    await expect.poll(isAbove, waits).toBe(true);
    await page.keyboard.insertText('More words are written. '.repeat(12));
    await expect.poll(isAbove, waits).toBe(true);
    await bar.getByRole('button', { name: 'Split here' }).tap();
    await page.keyboard.insertText('A new paragraph. ');
    await expect.poll(isAbove, waits).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });

    await caretIn(page, 6, 4);
    // The keyboard opens over the line of the caret.
    await segments(page)
      .nth(6)
      .evaluate((segment) => segment.scrollIntoView({ block: 'end' }));
    expect(await caretEnds()).toBeGreaterThan(480);
    const count = await segments(page).count();
    // No keyboard opens here, so the page gets the events a browser would send.
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 480, configurable: true });
      visualViewport?.dispatchEvent(new Event('resize'));
    });
    await bar.waitFor(waits);
    expect(await page.getByRole('complementary').getByRole('button', { name: 'Text', exact: true }).isVisible()).toBe(
      false,
    );
    const box = await bar.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(480);
    await expect.poll(caretEnds, waits).toBeLessThanOrEqual(box?.y ?? 0);
    expect(await chip(page).isVisible()).toBe(true);
    for (const button of await bar.getByRole('button').all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await bar.getByRole('button', { name: 'Split here' }).tap();
    await expect.poll(() => segments(page).count(), waits).toBe(count + 1);
    // The keyboard stays open as long as the text has the focus.
    expect(await page.evaluate(() => document.activeElement?.classList.contains('ProseMirror'))).toBe(true);
    await bar.getByRole('button', { name: 'Done' }).tap();
    await bar.waitFor({ state: 'hidden' });
  });
});
