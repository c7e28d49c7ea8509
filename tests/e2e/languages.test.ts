// Every screen in every language, at both widths: no label is cut, nothing makes the page scroll sideways, and no text
// is missing (issue 15, words; screens.md 3). Where there is room, buttons and entries of menus take one line.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from '#shared/i18n/en.ts';
import { es } from '#shared/i18n/es.ts';
import { groupsEn } from '#shared/i18n/groups/en.ts';
import { groupsEs } from '#shared/i18n/groups/es.ts';
import { groupsRu } from '#shared/i18n/groups/ru.ts';
import { groupsZh } from '#shared/i18n/groups/zh.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import { ru } from '#shared/i18n/ru.ts';
import { zh } from '#shared/i18n/zh.ts';
import { openDesk, pageHeading, visit, widths } from '../support/browser.ts';
import { waits } from '../support/document-page.ts';
import { makeGroup, makeTeam } from '../support/groups.ts';
import type { SharedHouse } from '../support/house.ts';
import { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const texts = { en, es, ru, zh };
const meetingTexts = { en: meetingEn, es: meetingEs, ru: meetingRu, zh: meetingZh };
const groupTexts = { en: groupsEn, es: groupsEs, ru: groupsRu, zh: groupsZh };
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

/** Faults of the labels that can be seen now. */
async function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth + 1) faults.push(`the page is ${root.scrollWidth} px wide`);
    for (const { offsetWidth, parentElement, caption } of document.querySelectorAll('table')) {
      if (!parentElement || getComputedStyle(parentElement).overflowX === 'auto') continue;
      const { clientWidth } = parentElement;
      if (offsetWidth > clientWidth)
        faults.push(`the table “${caption?.innerText ?? ''}” is ${offsetWidth} px wide, in ${clientWidth}`);
    }
    const controls = 'button, a[class], summary, label, legend, th, h1, h2, h3, [role=tab], [role=option]';
    for (const one of document.querySelectorAll<HTMLElement>(controls)) {
      const text = one.innerText.trim();
      // People's own words may be shortened: titles of recordings, quotes and notes.
      if (text === '' || one.closest('[data-own], td, .ProseMirror, [data-card], blockquote')) continue;
      if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      for (const part of [one, ...one.querySelectorAll<HTMLElement>('*')]) {
        const { width, height } = part.getBoundingClientRect();
        // Hidden but for screen readers.
        if (width <= 1 || height <= 1 || getComputedStyle(part).display === 'inline') continue;
        if (part.scrollWidth > part.clientWidth + 1)
          faults.push(`cut: “${text}” (${part.scrollWidth} in ${part.clientWidth})`);
      }
    }
    const said = document.body.innerText;
    for (const [missing] of said.matchAll(/\{\{\w+\}\}|(?<![\w./@-])[a-z]\w*(?:\.[a-z]\w*){2,}(?![\w.@-])/g))
      faults.push(`no text: ${missing}`);
    // Texts that pages put together have the punctuation of the language, too.
    const placeholders = [...document.querySelectorAll('[placeholder]')].map((one) => one.getAttribute('placeholder'));
    if (root.lang.startsWith('zh'))
      for (const [mixed] of [said, ...placeholders]
        .join('\n')
        .matchAll(/.*\p{Script=Han} ?[,;:!?()].*|.*[,;:!?()] ?\p{Script=Han}.*|.*[。！？] \p{Script=Han}.*/gu))
        faults.push(`punctuation: ${mixed}`);
    return [...new Set(faults)];
  });
}

/** Labels that take two lines, and rows of buttons that do, at a width that has room for one. */
async function foldedOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const linesOf = (tops: readonly number[]) => new Set(tops.map((top) => Math.round(top / 8))).size;
    const seen = (one: HTMLElement) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    for (const one of document.querySelectorAll<HTMLElement>('button > span:last-child, nav a')) {
      if (!seen(one) || one.closest('[data-rail], [data-own], [data-card], .ProseMirror')) continue;
      // A part in brackets, such as the size of a download, may stand below its label, alone on its line.
      const bracket = one.textContent.search(/[(（][^()（）]*[)）]\s*$/);
      const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      const tops: number[] = [];
      const topsOfBracket: number[] = [];
      let before = 0;
      while (texts.nextNode()) {
        const { length } = texts.currentNode.textContent ?? '';
        const split = bracket < 0 ? length : Math.min(length, Math.max(0, bracket - before));
        for (const [from, to, found] of [[0, split, tops] as const, [split, length, topsOfBracket] as const]) {
          const range = document.createRange();
          range.setStart(texts.currentNode, from);
          range.setEnd(texts.currentNode, to);
          for (const { width, top } of range.getClientRects()) if (width > 1) found.push(top);
        }
        before += length;
      }
      if (linesOf(tops) > 1 || linesOf(topsOfBracket) > 1) faults.push(`two lines: “${one.innerText}”`);
    }
    for (const row of document.querySelectorAll<HTMLElement>('div, span')) {
      const buttons = [...row.children].filter((child) => child instanceof HTMLButtonElement);
      if (buttons.length < 3 || buttons.length < row.children.length || !seen(row)) continue;
      if (getComputedStyle(row).flexWrap !== 'wrap') continue;
      const middles = buttons
        .map((button) => button.getBoundingClientRect())
        .map(({ top, height }) => top + height / 2);
      if (linesOf(middles) > 1) faults.push(`two lines: ${buttons.map(({ innerText }) => `“${innerText}”`).join(' ')}`);
    }
    return faults;
  });
}

/** Deeds of a mouse or a keyboard, which a hint on a phone does not ask for. */
const deskDeeds = /.*(?:\bclick|\bdrag\b|\bdrop\b|\b(?:Alt|Ctrl)\+|\bpress (?:Enter|\d)).*/gi;
/** Pages whose words also tell what to do at a desk: a setting of the account, the guide, a text of the specification. */
const forDesks = /^\/(?:profile|help|teams)/;

/** The faults at both widths, each with its place. */
async function look(page: Page, place: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, size] of Object.entries(widths)) {
    await page.setViewportSize(size);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const faults = await faultsOf(page);
    if (name === 'wide') faults.push(...(await foldedOn(page)));
    if (name === 'phone' && !forDesks.test(place))
      for (const [hint] of (await page.innerText('body')).matchAll(deskDeeds)) faults.push(`for a desk: ${hint}`);
    found.push(...faults.map((fault) => `${place}, ${name}: ${fault}`));
  }
  await page.setViewportSize(widths.wide);
  return found;
}

/** Shows another page within the one that is open, once its heading has replaced the other's. */
async function move(page: Page, path: string): Promise<void> {
  const heading = await page.locator(pageHeading).elementHandle();
  const said = await heading?.innerText();
  await visit(page, path);
  const isOther = ({ heading, said, drawn }: { heading: Element | null; said: string | undefined; drawn: string }) => {
    const now = document.querySelector<HTMLElement>(drawn);
    return now !== null && (now !== heading || now.innerText !== said);
  };
  await page.waitForFunction(isOther, { heading, said, drawn: pageHeading }, waits);
}

/** A person who reads that language, with a recording, a comment, an outcome, a folder, a token and a team. */
async function makeWorld(language: Language): Promise<{ person: Person; meeting: string; team: string }> {
  const person = await house.person();
  const meeting = await makeRecording(house, person);
  const mark = { start: 24, end: 26, quote: 'Better than I expected' };
  const calls: [path: string, body: unknown][] = [
    ['/api/folders', { path: 'Interviews' }],
    [`/api/meetings/${meeting}/comments`, { ...mark, text: 'Truly?' }],
    [`/api/meetings/${meeting}/outcomes`, { outcome: { ...mark, type: 'decisions', text: 'To be kept' } }],
    ['/api/tokens', { name: 'A program' }],
    ['/api/principals/me', { language }],
  ];
  for (const [path, body] of calls) expect((await person.post(path, body)).status, path).toBeLessThan(300);
  return { person, meeting, team: await makeGroup(person) };
}

it('a label in two lines is a fault, unless its second line is a part in brackets', async () => {
  const page = await desk.seat(new Person(house.origin));
  const button = (label: string) => `<button style="inline-size: 8rem"><span>${label}</span></button>`;
  const labels = ['Names (3)', 'Download<br>(12 MB)', 'Export all of<br>them (3)', 'Download<br>(12 MB of<br>sound)'];
  await page.setContent(labels.map(button).join('<br>'));
  expect(await foldedOn(page)).toEqual([
    'two lines: “Export all of\nthem (3)”',
    'two lines: “Download\n(12 MB of\nsound)”',
  ]);
});

describe.each(['en', 'es', 'ru', 'zh'] as const)('in %s', (language: Language) => {
  const words = texts[language];
  const { document: said, keys, export: exporting } = meetingTexts[language];

  it('the library, the account and the pages of help', { timeout: 300_000 }, async () => {
    const { person, team } = await makeWorld(language);
    const page = await desk.seat(person, { locale: language });
    const faults: string[] = [];
    await page.goto('/');
    await page.getByRole('table').waitFor(waits);
    const at = async (path: string) => {
      await move(page, path);
      faults.push(...(await look(page, path)));
    };
    for (const path of [
      '/shared',
      '/deleted',
      '/profile',
      '/teams',
      `/teams/${team}`,
      ...['/balance', '/buy-credits', '/change-plan', '/transactions', '/invite'],
      '/help',
      '/help/share',
    ])
      await at(path);
    // A team that pays: quotas, its payer, the report, and the balance of somebody in it.
    const paying = await makeTeam(person, [await house.person('Ben')], { defaultQuota: 20 });
    await at('/teams');
    await at(`/teams/${paying}`);
    const { report } = groupTexts[language].groups;
    await page.getByRole('button', { name: report.open, exact: true }).click();
    await page.getByRole('dialog', { name: report.title }).waitFor(waits);
    faults.push(...(await look(page, report.title)));
    await page.keyboard.press('Escape');
    await at('/balance');
    await at('/nowhere');
    // An unknown path has led home.
    await page.getByRole('table').waitFor(waits);
    faults.push(...(await look(page, '/')));
    for (const name of [words.library.add, words.library.record, words.library.folder.add]) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor(waits);
      faults.push(...(await look(page, name)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden', ...waits });
    }
    await page.getByRole('row').last().getByRole('button').last().click();
    faults.push(...(await look(page, 'menu of a row')));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: words.library.asTiles, exact: true }).click();
    await page.getByRole('listitem').getByText(words.library.column.date).first().waitFor(waits);
    faults.push(...(await look(page, 'tiles')));
    // On a phone, a long title moves the buttons to a line of their own, which does not touch the places below.
    await page.setViewportSize(widths.phone);
    await move(page, '/shared');
    const record = await page.getByRole('button', { name: words.library.record, exact: true }).boundingBox();
    const places = await page.getByRole('navigation', { name: words.library.places }).boundingBox();
    expect((places?.y ?? 0) - (record?.y ?? 0) - (record?.height ?? 0)).toBeGreaterThanOrEqual(8);
    expect(faults).toEqual([]);
  });

  it('a recording with its panes and dialogs', { timeout: 300_000 }, async () => {
    const { person, meeting } = await makeWorld(language);
    const page = await desk.seat(person, { locale: language });
    await page.goto(`/meeting/${meeting}`);
    await page.locator('.ProseMirror > *').first().waitFor(waits);
    const faults = await look(page, 'recording');
    const rail = page.locator('[data-rail]');
    for (const button of await rail.getByRole('button').all()) {
      await button.click();
      faults.push(...(await look(page, `pane ${(await button.getAttribute('aria-label')) ?? ''}`)));
    }
    for (const tab of [said.tagsAndSpeakers, said.analytics, said.transcript]) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      faults.push(...(await look(page, tab)));
    }
    await page.getByRole('button', { name: said.actions, exact: true }).click();
    faults.push(...(await look(page, said.actions)));
    await page.keyboard.press('Escape');
    for (const [item, dialog] of [
      [said.keys, keys.title],
      [exporting.open, exporting.title],
    ] as const) {
      await page.getByRole('button', { name: said.actions, exact: true }).click();
      await page.getByRole('button', { name: item, exact: true }).click();
      await page.getByRole('dialog', { name: dialog }).waitFor(waits);
      faults.push(...(await look(page, dialog)));
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: said.share, exact: true }).click();
    await page.getByRole('dialog').waitFor(waits);
    faults.push(...(await look(page, said.share)));
    expect(faults).toEqual([]);
  });

  it('the pages before signing in', { timeout: 300_000 }, async () => {
    const page = await desk.seat(new Person(house.origin), { locale: language });
    await page.goto('/login');
    await page.locator(pageHeading).waitFor(waits);
    // A browser that asks for Chinese gets English until the person chooses (specification, languages).
    if (language === 'zh') await page.getByLabel('Language').selectOption('zh');
    const faults = await look(page, '/login');
    for (const path of ['/signup', '/recover', '/confirm', '/reset/none', '/invitation/none', '/terms', '/privacy']) {
      await move(page, path);
      faults.push(...(await look(page, path)));
    }
    expect(faults).toEqual([]);
  });
});
