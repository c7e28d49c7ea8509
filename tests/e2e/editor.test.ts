// Two people in two real browsers, with a real sync server between them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { WebsocketProvider } from 'y-websocket';
import WebSocket from 'ws';
import { replaceRanges, type Piece } from '#shared/meetings/transcript.ts';
import type { Page as OnPage } from './editor-page/page.tsx';
import { compose, openDesk } from '../support/browser.ts';
import { focusText } from '../support/document-page.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

declare const page: OnPage;

const desk = openDesk();
let house: TestHouse;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-editor-'));
  await build({
    configFile: false,
    logLevel: 'error',
    root: new URL('editor-page', import.meta.url).pathname,
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
  });
  house = await openHouse({ client: folder });
}, 300_000);
afterAll(async () => {
  await house?.close();
  await rm(folder, { recursive: true, force: true });
});

const b = (s: string, p = 'ann'): Piece => ({ s, p });

/** Creates a meeting with a text, and opens a page for each of two people. */
async function meeting(...text: Piece[]): Promise<{ id: string; ann: Page; ben: Page; people: Person[] }> {
  const people = await house.people(2);
  const [ann, ben] = people;
  if (!ann || !ben) throw new Error('nobody there');
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, ['read', 'write']);
  await seed(ann, id, text);
  const [mine, theirs] = await Promise.all([open(ann, id), open(ben, id)]);
  return { id, ann: mine, ben: theirs, people };
}

async function seed(person: Person, id: string, text: readonly Piece[]): Promise<void> {
  const doc = new Y.Doc();
  const room = `${id}/transcript`;
  const provider = new WebsocketProvider(`${house.origin.replace('http', 'ws')}/sync`, room, doc, {
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    params: { ticket: await ticketFor(person, room) },
    disableBc: true,
  });
  await expect.poll(() => provider.synced, { timeout: 60_000 }).toBe(true);
  replaceRanges(doc, [{ at: 0, remove: 0, insert: text }], 'seed');
  const reader = await ticketFor(person, room);
  const other = new Y.Doc();
  const second = new WebsocketProvider(`${house.origin.replace('http', 'ws')}/sync`, room, other, {
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    params: { ticket: reader },
    disableBc: true,
  });
  // The server passes on only what it has stored.
  await expect.poll(() => other.getText('text').length, { timeout: 60_000 }).toBe(doc.getText('text').length);
  for (const one of [provider, second]) one.destroy();
}

async function open(person: Person, id: string, read = ''): Promise<Page> {
  const seat = await desk.seat(person);
  await seat.goto(`/${id}${read}`);
  await seat.locator('.ProseMirror').waitFor();
  return seat;
}

const texts = (seat: Page) => seat.evaluate(() => page.segments().map(({ text }) => text));
/** Text on the screen, without the carets of others, which contain none. */
const onScreen = (seat: Page) => seat.locator('.ProseMirror > *').allTextContents();

async function both({ ann, ben }: { ann: Page; ben: Page }, wanted: string[]): Promise<void> {
  for (const seat of [ann, ben]) {
    await expect.poll(() => texts(seat), { timeout: 60_000 }).toEqual(wanted);
    await expect.poll(() => onScreen(seat), { timeout: 60_000 }).toEqual(wanted);
    expect(await seat.evaluate(() => page.repairs())).toBe(0);
  }
}

/** Puts the caret, or a selection, as a mouse would. */
async function select(seat: Page, from: [segment: number, offset: number], to = from): Promise<void> {
  await focusText(seat);
  await seat.evaluate(
    ([start, end]) => {
      const place = ([segment, offset]: [number, number]): [Node, number] => {
        const block = document.querySelectorAll('.ProseMirror > *')[segment];
        if (!block) throw new Error('no such segment');
        const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
        let left = offset;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const { length } = node.nodeValue ?? '';
          if (left <= length) return [node, left];
          left -= length;
        }
        return [block, 0];
      };
      getSelection()?.setBaseAndExtent(...place(start), ...place(end));
    },
    [from, to] as const,
  );
  // The editor learns of a selection from an event of its own.
  await seat.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}

describe('two people in one text', () => {
  it('type into one word at the same time', async () => {
    const here = await meeting(b('a'), 'conversation');
    await select(here.ann, [0, 4]);
    await select(here.ben, [0, 6]);
    await Promise.all([
      here.ann.keyboard.type('AAAAAAAA', { delay: 15 }),
      here.ben.keyboard.type('BBBBBBBB', { delay: 15 }),
    ]);
    await both(here, ['convAAAAAAAAerBBBBBBBBsation']);
  });

  it('one splits while the other types behind the split, and merges while the other types in the second half', async () => {
    const here = await meeting(b('a'), 'one two');
    await here.ben.evaluate(() => page.hold());
    await select(here.ann, [0, 4]);
    await here.ann.keyboard.press('Enter');
    await select(here.ben, [0, 7]);
    await here.ben.keyboard.type('!');
    await here.ben.evaluate(() => page.release());
    await both(here, ['one ', 'two!']);
    await here.ben.evaluate(() => page.hold());
    await select(here.ann, [1, 0]);
    await here.ann.keyboard.press('Backspace');
    await select(here.ben, [1, 3]);
    await here.ben.keyboard.type('?');
    await here.ben.evaluate(() => page.release());
    await both(here, ['one two?!']);
  });

  it('undo reverts only one’s own changes', async () => {
    const here = await meeting(b('a'), 'one', b('b'), 'two');
    await select(here.ann, [0, 3]);
    await here.ann.keyboard.type('XY');
    await both(here, ['oneXY', 'two']);
    await select(here.ben, [0, 4]);
    await here.ben.keyboard.type('ben');
    await both(here, ['oneXbenY', 'two']);
    // Letters typed slowly are several steps, so undo is pressed as often as needed; the other's text stays all the
    // same.
    const until = async (keys: string, wanted: string) => {
      await expect
        .poll(async () => {
          await here.ann.keyboard.press(keys);
          return (await texts(here.ann))[0];
        })
        .toBe(wanted);
    };
    await until('Control+z', 'oneben');
    await both(here, ['oneben', 'two']);
    await until('Control+Shift+z', 'oneXbenY');
    await both(here, ['oneXbenY', 'two']);
  });

  it('see the other’s caret and selection, with a name', async () => {
    const here = await meeting(b('a'), 'one two');
    await select(here.ann, [0, 0], [0, 3]);
    await here.ben.locator('.their-caret[data-name^="Ann"]').waitFor({ state: 'attached' });
    await expect.poll(() => here.ben.locator('.theirs').allTextContents()).toEqual(['one']);
    await select(here.ben, [0, 0]);
    await here.ben.keyboard.type('zero ');
    await expect.poll(() => here.ben.locator('.theirs').allTextContents()).toEqual(['one']);
    await both(here, ['zero one two']);
  });

  it('name a speaker from here on, as one step', async () => {
    const here = await meeting(b('a'), 'x', b('b'), 'y', b('c', 'ben'), 'z', b('d'), 'u');
    const spoken = (seat: Page) =>
      seat.locator('.ProseMirror > *').evaluateAll((list) => list.map((one) => one.getAttribute('data-speaker')));
    await here.ann.evaluate(() => page.speak(1, 'following', 'chen'));
    await expect.poll(() => spoken(here.ben), { timeout: 60_000 }).toEqual(['ann', 'chen', 'ben', 'chen']);
    await here.ann.evaluate(() => page.undo());
    await expect.poll(() => spoken(here.ben), { timeout: 60_000 }).toEqual(['ann', 'ann', 'ben', 'ann']);
  });
});

describe('an input method', () => {
  it('composes a word while the other types into the same segment', async () => {
    const here = await meeting(b('a'), '你好 世界');
    await select(here.ann, [0, 2]);
    const method = await compose(here.ann);
    await method.write('n');
    await method.write('ni');
    await select(here.ben, [0, 0]);
    await here.ben.keyboard.type('ben ');
    await expect.poll(() => here.ann.evaluate(() => page.segments()[0]?.text.includes('ben '))).toBe(true);
    // Changes to the segment wait until the input method commits the word.
    expect((await onScreen(here.ann))[0]).not.toContain('ben');
    await method.write('ni h');
    await method.write('ni hao');
    await method.commit('你们');
    await both(here, ['ben 你好你们 世界']);
  });

  it('is not disturbed by work on other segments, which is shown at once', async () => {
    const here = await meeting(b('a'), 'before', b('b'), 'mine', b('c'), 'after');
    await select(here.ann, [1, 4]);
    const method = await compose(here.ann);
    await method.write('か');
    await select(here.ben, [0, 6]);
    await here.ben.keyboard.type(' all');
    await expect.poll(() => onScreen(here.ann)).toEqual(['before all', 'mineか', 'after']);
    await method.write('かん');
    await method.commit('漢');
    await both(here, ['before all', 'mine漢', 'after']);
  });
});

// H03 of the catalogue of attacks.
describe('pasted content', () => {
  const paste = (seat: Page, data: Record<string, string>) =>
    seat.evaluate((given) => {
      const transfer = new DataTransfer();
      for (const [type, text] of Object.entries(given)) transfer.setData(type, text);
      const event = new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true });
      document.querySelector('.ProseMirror')?.dispatchEvent(event);
    }, data);

  it('becomes plain text on one line', async () => {
    const here = await meeting(b('a'), 'one two');
    const html = `<meta http-equiv="refresh" content="0;url=/x"><style>p{color:red}</style>
      <script>window.hit = 1</script><div data-id="a" data-speaker="ben" data-pm-slice="0 0 []"><p>first <b onclick="hit=1">bold</b>
      <img src="/x" onerror="window.hit = 2"> line</p><svg onload="window.hit = 3"><text>hidden</text></svg></div>
      <ul><li>second</li></ul><iframe srcdoc="<script>parent.hit = 4</script>"></iframe><p> third&nbsp;&nbsp;one </p>`;
    await select(here.ann, [0, 4]);
    await paste(here.ann, { 'text/html': html });
    await both(here, ['one first bold line second third onetwo']);
    expect(await here.ann.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
    // The browser reports each handler and style of the pasted page that the policy blocks.
    const refused = desk.complaints.splice(0);
    expect(refused.filter((line) => !/violates the following Content Security Policy/.test(line))).toEqual([]);
    await here.ann.keyboard.press('Control+z');
    await both(here, ['one two']);
  });

  it.each([
    ['a line with many spaces', 'a \t\u00a0 b', ['one a btwo']],
    ['lines', '\r\na\r\nb\r\n', ['one a btwo']],
    ['paragraphs with line breaks', 'a\nb\n\nc', ['one a b ctwo']],
    ['control characters', 'a\u0000\u0007b\ufffc', ['one a b two']],
  ])('%s', async (_, plain, wanted) => {
    const here = await meeting(b('a'), 'one two');
    await select(here.ann, [0, 4]);
    await paste(here.ann, { 'text/plain': plain, 'text/html': '<b>not asked</b>' });
    await both(here, wanted);
  });

  it('over many words is a question first, and so is typing', async () => {
    const here = await meeting(b('a'), 'a longer passage', b('b'), 'of two');
    const all = async () => select(here.ann, [0, 0], [1, 6]);
    const asked = (agrees: boolean) =>
      here.ann.evaluate((yes) => {
        page.agrees = yes;
        return page.asked.length;
      }, agrees);
    await asked(false);
    await all();
    await paste(here.ann, { 'text/plain': 'x' });
    await here.ann.keyboard.type('y');
    await here.ann.keyboard.press('Enter');
    await select(here.ann, [0, 2], [0, 16]);
    await here.ann.keyboard.type('z');
    expect(await asked(true)).toBe(4);
    await both(here, ['a longer passage', 'of two']);
    await paste(here.ann, { 'text/plain': 'short one' });
    await both(here, ['a short one', 'of two']);
    await all();
    await here.ann.keyboard.type('new');
    await both(here, ['new']);
    expect(await asked(true)).toBe(6);
    await select(here.ann, [0, 0], [0, 3]);
    await here.ann.keyboard.type('few');
    await both(here, ['few']);
    expect(await asked(true)).toBe(6);
  });

  it('is copied as text, and a cut joins the remaining segments', async () => {
    const here = await meeting(b('a'), 'one two', b('b'), 'six ten');
    await select(here.ann, [0, 4], [1, 3]);
    const cut = await here.ann.evaluate(() => {
      const transfer = new DataTransfer();
      const event = new ClipboardEvent('cut', { clipboardData: transfer, bubbles: true, cancelable: true });
      document.querySelector('.ProseMirror')?.dispatchEvent(event);
      return transfer.getData('text/plain');
    });
    expect(cut).toBe('two\n\nsix');
    await both(here, ['one  ten']);
  });
});

describe('by mouse and keys', () => {
  it('a selection drawn over segments is typed over', async () => {
    const here = await meeting(b('a'), 'one two', b('b'), 'three', b('c'), 'six ten');
    const boxes = await here.ann.locator('.ProseMirror > *').evaluateAll((list) =>
      list.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, y: (top + bottom) / 2 };
      }),
    );
    const [first, , last] = boxes;
    if (!first || !last) throw new Error('nothing to draw over');
    await here.ann.mouse.move(first.left + 1, first.y);
    await here.ann.mouse.down();
    await here.ann.mouse.move(last.right - 1, last.y, { steps: 6 });
    await here.ann.mouse.up();
    await here.ann.keyboard.type('all');
    await both(here, ['all']);
    const undone = async () => {
      await here.ann.keyboard.press('Control+z');
      return texts(here.ann);
    };
    await expect.poll(undone).toEqual(['one two', 'three', 'six ten']);
    await both(here, ['one two', 'three', 'six ten']);
  });

  it('a word is dragged into another segment', async () => {
    const here = await meeting(b('a'), 'one two', b('b'), 'six ten');
    await select(here.ann, [0, 4], [0, 7]);
    const box = (segment: number, from: number, to: number) =>
      here.ann.evaluate(
        ([number, start, end]) => {
          const range = document.createRange();
          const text = document.querySelectorAll('.ProseMirror > *')[number ?? 0]?.firstChild;
          if (!text) throw new Error('no text');
          range.setStart(text, start ?? 0);
          range.setEnd(text, end ?? 0);
          const { left, top, width, height } = range.getBoundingClientRect();
          return { left, x: left + width / 2, y: top + height / 2 };
        },
        [segment, from, to],
      );
    const [word, target] = [await box(0, 4, 7), await box(1, 4, 5)];
    await here.ann.mouse.move(word.x, word.y);
    await here.ann.mouse.down();
    await here.ann.mouse.move(target.left, target.y, { steps: 8 });
    await here.ann.mouse.up();
    await both(here, ['one ', 'six twoten']);
    // One action, however many places it changes.
    await here.ann.keyboard.press('Control+z');
    await both(here, ['one two', 'six ten']);
    await here.ann.keyboard.press('Control+Shift+z');
    await both(here, ['one ', 'six twoten']);
  });

  it('Delete at an end joins the next segment; bold and the browser’s own undo do nothing', async () => {
    const here = await meeting(b('a'), 'one', b('b'), 'two');
    await select(here.ann, [0, 3]);
    await here.ann.keyboard.press('Control+b');
    await here.ann.keyboard.press('Delete');
    await here.ann.keyboard.type('!');
    await both(here, ['one! two']);
    expect(await here.ann.locator('.ProseMirror b, .ProseMirror strong').count()).toBe(0);
  });

  it('a reader sees changes live and cannot make any', async () => {
    const here = await meeting(b('a'), 'one');
    const [, person] = here.people;
    if (!person) throw new Error('nobody there');
    const reader = await open(person, here.id, '?read');
    expect(await reader.locator('.ProseMirror').getAttribute('contenteditable')).toBe('false');
    await reader.locator('.ProseMirror').click();
    await reader.keyboard.type('no');
    await select(here.ann, [0, 3]);
    await here.ann.keyboard.type(' two');
    await expect.poll(() => onScreen(reader), { timeout: 60_000 }).toEqual(['one two']);
    await both(here, ['one two']);
  });
});
