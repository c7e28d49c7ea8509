// Filters of the library (shared/facets.ts): in the address, with counts, as chips, and kept on the way back.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { addTag } from '#shared/meetings/about.ts';
import { addSpeaker } from '#shared/meetings/speakers.ts';
import { expectAccessible, openDesk, visit } from '../support/browser.ts';
import { indexAll, makeSaid } from '../support/finding.ts';
import type { SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const titles = (page: Page) => page.locator('tbody td[data-first] > a').allInnerTexts();

async function library(owner: Person, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const id = await makeSaid(house, owner, ['A harvest of apples.'], { title: `Talk ${String(n).padStart(2, '0')}` });
    await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => {
      addSpeaker(doc, 'a', n % 2 === 0 ? 'Maria' : 'Li', 'test');
      addTag(doc, n % 3 === 0 ? 'budget' : 'plan', 'test');
    });
    if (n === 3)
      await owner.post(`/api/meetings/${id}/outcomes`, {
        outcome: { start: 0, end: 1, text: '', type: 'presence', grade: 1 },
      });
  }
  await indexAll(house);
}

it('filters are chosen, shown as chips, kept by the address and on the way back, with the scroll', async () => {
  const ann = await house.person();
  await library(ann, 24);
  // Recordings of two months, whatever the day of the test.
  await house.database.sql`
    update meetings set created_at = timestamptz '2026-11-15 12:00Z' + (created_at - first) - case title when 'Talk 01'
      then interval '40 days' else interval '0' end
    from meeting_projections, (select min(created_at) as first from meetings where owner_id = ${ann.id}) as mine
    where meeting_id = id and owner_id = ${ann.id}`;
  const page = await desk.seat(ann);
  await page.goto('/?sort=title');
  await page.getByText('24 recordings').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  const panel = page.getByRole('group', { name: 'Filters', exact: true });
  // Months and days are one filter.
  const added = panel.getByRole('group', { name: 'Added' });
  await expect.poll(() => added.getByRole('checkbox').count(), patient).toBe(2);
  await added.getByLabel('From').waitFor();
  await panel.getByRole('checkbox', { name: 'Maria' }).check();
  await page.getByText('12 recordings').waitFor();
  await panel.getByRole('checkbox', { name: 'budget' }).check();
  await expect.poll(() => titles(page), patient).toEqual(['Talk 06', 'Talk 12', 'Talk 18', 'Talk 24']);
  // The counts leave out the choice in their own facet.
  await expect
    .poll(() => panel.getByRole('listitem').filter({ hasText: 'plan' }).innerText(), patient)
    .toMatch(/plan\s+8/);
  await expectAccessible(page);
  expect(JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '')).toEqual({
    speaker: ['Maria'],
    tag: ['budget'],
  });
  await page.reload();
  const chips = page.getByRole('group', { name: 'Chosen filters' });
  await chips.getByText('budget').waitFor();
  await chips.getByRole('button', { name: 'Remove budget' }).click();
  await page.getByText('12 recordings').waitFor();
  await page.goBack();
  await page.getByText('4 recordings').waitFor();
  await chips.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('24 recordings').waitFor();

  // A grade across recordings.
  await page.getByRole('button', { name: 'Filters' }).click();
  await panel.getByLabel('Competency').selectOption({ label: 'Presence' });
  await panel.getByLabel('Grade', { exact: true }).selectOption({ label: 'below 2' });
  await expect.poll(() => titles(page), patient).toEqual(['Talk 03']);
  await chips.getByText('Presence: below 2').waitFor();

  // A tag of a row narrows the list; the way back from a recording leads to the same list, where it was scrolled to.
  await page.goto('/?sort=title&query=harvest');
  await page.getByRole('button', { name: 'Filter by the tag “plan”' }).first().click();
  await page.getByText('16 recordings').waitFor();
  await page.getByRole('link', { name: 'Talk 22' }).scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => scrollY);
  expect(scrolled).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Talk 22' }).click();
  await page.waitForURL('**/meeting/*');
  await page.locator('.ProseMirror').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Talk 22' }).waitFor();
  await expect.poll(() => page.evaluate(() => scrollY), patient).toBe(scrolled);

  // Several filters that no recording fits: each is offered without which there is one, and no other.
  const none = JSON.stringify({ speaker: ['Maria'], tag: ['budget', 'plan'], language: ['en-US'], from: '2999-01-01' });
  const outcome = { type: 'presence', below: 2 };
  const some = JSON.stringify({ speaker: ['Maria'], tag: ['budget', 'gone'], outcome });
  const drop = page.getByRole('button', { name: 'Remove the filter' });
  await page.goto(`/?filters=${encodeURIComponent(some)}`);
  await drop.waitFor();
  await visit(page, `/?filters=${encodeURIComponent(none)}`);
  await expect.poll(() => drop.count(), patient).toBe(0);
  // The counts are here.
  await panel.getByRole('checkbox', { name: 'budget' }).waitFor();
  await page.getByText('No recording fits these filters.').waitFor();
  expect(await drop.count()).toBe(0);
  await visit(page, `/?filters=${encodeURIComponent(some)}`);
  await page.getByText('No recording fits these filters.').waitFor();
  await expect.poll(() => drop.allInnerTexts(), patient).toEqual(['Remove the filter “Maria”']);
  await expectAccessible(page);
  await drop.click();
  await expect.poll(() => titles(page), patient).toEqual(['Talk 03']);
  expect(JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '')).toEqual({
    tag: ['budget', 'gone'],
    outcome,
  });

  // Filters of another version.
  await page.goto(`/?filters=${encodeURIComponent('{"colour":["red"]}')}`);
  await page.getByText('These filters don’t exist').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('24 recordings').waitFor();
});

it('a search is sorted by relevance, and each row says why it is there', async () => {
  const ann = await house.person();
  await makeSaid(house, ann, ['Nothing.'], { title: 'Harvest' });
  await makeSaid(house, ann, ['A harvest of apples.'], { title: 'Talk' });
  await indexAll(house);
  const page = await desk.seat(ann);
  await page.goto('/?query=harvest');
  await expect.poll(() => titles(page), patient).toEqual(['Talk', 'Harvest']);
  const order = page.getByLabel('Sort by');
  await order.selectOption({ label: 'Relevance' });
  await expect.poll(() => titles(page), patient).toEqual(['Harvest', 'Talk']);
  expect(new URL(page.url()).searchParams.get('sort')).toBe('relevance');
  await page.getByRole('row', { name: 'Harvest' }).first().getByText('Matches the title').waitFor();
  await page.getByRole('row', { name: 'Talk' }).getByText('Said or written in it').waitFor();
  await expectAccessible(page);
  await order.selectOption({ label: 'Added' });
  await expect.poll(() => titles(page), patient).toEqual(['Talk', 'Harvest']);
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-date');
  // Without a query nothing is more relevant than anything else.
  await order.selectOption({ label: 'Relevance' });
  await expect.poll(() => titles(page), patient).toEqual(['Harvest', 'Talk']);
  await page.getByLabel('Search recordings').fill('');
  await expect.poll(() => titles(page), patient).toEqual(['Talk', 'Harvest']);
  expect(await order.count()).toBe(0);

  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/?query=harvest');
  const first = phone.getByRole('list', { name: 'Recordings' }).locator('> li').first();
  await expect.poll(() => first.innerText(), patient).toMatch(/^Talk\s/);
  await phone.getByRole('button', { name: 'Sort and view' }).click();
  await phone.getByRole('button', { name: 'Relevance' }).click();
  await expect.poll(() => first.innerText(), patient).toMatch(/^Harvest\s+Matches the title/);
  await expectAccessible(phone);
});

it('on a phone filters are in a drawer', async () => {
  const ann = await house.person();
  await library(ann, 4);
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await page.goto('/');
  await page.getByText('4 recordings').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  const drawer = page.getByRole('dialog', { name: 'Filters' });
  await drawer.getByRole('checkbox', { name: 'budget' }).check();
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Show recordings' }).click();
  await page.getByText('1 recording', { exact: true }).waitFor();
  await page.getByRole('group', { name: 'Chosen filters' }).getByText('budget').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove budget' }).click();
  await page.getByText('4 recordings').waitFor();
});
