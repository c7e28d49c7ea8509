import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { addTimed, writeEntries } from '#shared/meetings/entries.ts';
import { writeItem, type Outcome } from '#shared/meetings/items.ts';
import { addSpeaker } from '#shared/meetings/speakers.ts';
import { addTag, writeAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { Stage, waits } from '../support/document-page.ts';

// S9 and H01: what would run, were it ever taken for more than text, stands in every field that others read.

vi.setConfig({ testTimeout: 300_000 });
const stage = new Stage(2);

const payloads = [
  '<img src=x onerror=hit()>',
  '<svg/onload=hit()>',
  '<script>hit()</script>',
  '"><iframe srcdoc="<script>parent.hit()</script>">',
  '</textarea></style></title><script>hit()</script>',
  '<a href="javascript:hit()">here</a>',
  '{{constructor.constructor("hit()")()}}',
  '${hit()}',
  "'-hit()-'",
  '<details open ontoggle=hit()>',
  '<math><mtext><table><mglyph><style><img src=x onerror=hit()>',
  '<input autofocus onfocus=hit()>',
];

/** Whatever runs says so, and what the page’s policy stopped counts as well: it should not have been tried. */
async function watch(page: Page): Promise<string[]> {
  const heard: string[] = [];
  await page.exposeFunction('hit', () => void heard.push('ran'));
  page.on('dialog', (dialog) => {
    heard.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && heard.push(message.text()));
  return heard;
}

/** What became of it more than text. */
const made = (page: Page, within: string): Promise<string[]> =>
  page
    .locator(within)
    .evaluate((place) =>
      [...place.querySelectorAll('script, iframe, details, math, img, input[autofocus], a[href^="javascript" i]')].map(
        (one) => one.outerHTML.slice(0, 200),
      ),
    );

it('is shown as it was written, wherever it stands, and nothing of it runs', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const { rooms } = stage.house.house;
  const by = { userId: ann.id, origin: 'test' };
  const all = payloads.join(' ');
  const [first = ''] = payloads;
  await rooms.change(meeting, 'transcript', by, (doc) => {
    writeAbout(doc, { title: payloads.slice(0, 4).join(' ') }, 'test');
    textOf(doc).insert(1, `${all} `);
    for (const [i, payload] of payloads.entries()) {
      addTag(doc, payload, 'test');
      addSpeaker(doc, `p${i}`, payload, 'test');
      addTimed(doc, 'toc', { id: `t${i}`, start: 10 + i, title: payload }, 'test');
      addTimed(doc, 'bookmarks', { id: `b${i}`, start: i, title: payload }, 'test');
    }
    writeEntries(
      doc,
      'highlights',
      payloads.map((color, i) => ({ id: `h${i}`, start: i, end: i + 1, color })),
      'test',
    );
  });
  // What the server would not take by itself, too: as an older one might have stored it.
  for (const [i, payload] of payloads.entries()) {
    const at = { start: i, end: i + 1, quote: payload };
    for (const [path, body] of [
      ['comments', { ...at, text: payload }],
      ['outcomes', { outcome: { ...at, type: 'notes', text: payload } }],
    ] as const) {
      const { status, text } = await ann.post(`/api/meetings/${meeting}/${path}`, body);
      expect(status, text).toBe(200);
    }
  }
  const author = { id: 'x', kind: 'user' as const, name: first };
  const wild: Outcome = {
    ...{ id: 'wild', rev: 1, author, private: false, createdAt: payloads[1] ?? '', editTimestamp: null },
    ...{ anchor: null, start: 1, end: 2, quote: all, type: payloads[2] ?? '', text: all, url: 'javascript:hit()' },
    ...{ children: [{ type: payloads[3] ?? '', grade: 1 }], grade: 1, automatic: false, wasAutomatic: false },
  };
  await rooms.change(meeting, 'outcomes', by, (doc) => writeItem(doc, 'outcome', wild, 'shared', 'test'));
  const link = { type: 'text', text: 'here', marks: [{ type: 'link', attrs: { href: 'javascript:hit()' } }] };
  const text = JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [link] }] });
  const bad = { ...wild, id: 'bad', parent: null, text, resolved: null };
  await rooms.change(meeting, 'comments', by, (doc) => writeItem(doc, 'comment', bad, 'shared', 'test'));

  const page = await stage.desk.seat(stage.person(1));
  const heard = await watch(page);
  const listed = async () => (await stage.person(1).get('/api/meetings')).body.hits[0]?.title as string;
  await expect.poll(listed, waits).toContain(first);
  await page.goto('/');
  await page.getByRole('link', { name: first }).first().waitFor(waits);
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  const seen = async () => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ');
  for (const pane of ['Comments', 'Outcomes', 'Contents', 'Bookmarks', 'Speakers']) {
    await page.locator('aside h2 button').filter({ hasText: pane }).click();
    const place = page.locator('aside section[data-open]');
    // Names of speakers stand in fields.
    const shown = async () =>
      (await place.innerText()) +
      (await place
        .locator('input')
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value).join(' ')));
    await expect.poll(shown, waits).toContain('iframe srcdoc');
    expect(await made(page, 'aside section[data-open]'), pane).toEqual([]);
  }
  await page.getByRole('tab', { name: 'Tags & Speakers' }).click();
  await expect.poll(seen, waits).toContain(payloads[1]);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  expect(await made(page, '.ProseMirror')).toEqual([]);
  expect(await page.title()).toContain(first);
  expect(heard).toEqual([]);
});
