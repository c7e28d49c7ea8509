// The library: recordings are found, sorted, renamed, deleted and restored, at a desk and on a phone.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { meetingProjections, meetings } from '#db/schema/meetings.ts';
import { foldTitle } from '#server/rooms/projection.ts';
import { ru } from '#shared/i18n/ru.ts';
import type { Texts } from '#shared/i18n/texts.ts';
import { zh } from '#shared/i18n/zh.ts';
import { newId } from '#shared/ids.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { creditsLeft, giveCredits, payTranscript } from '../support/billing.ts';
import { expectAccessible, openDesk, visit, widths, type Width } from '../support/browser.ts';
import { drawn, sound } from '../support/document-page.ts';
import { indexAll, makeSaid, makeTimed } from '../support/finding.ts';
import { giveFolder, makeFolders } from '../support/folders.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const talk = 'Practice session: asking for a decision';
const patient = { timeout: 30_000 };

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const titles = (page: Page) => page.locator('tbody td[data-first] > a').allInnerTexts();
async function named(person: Person, title: string): Promise<string> {
  const id = await makeMeeting(house, person);
  await person.post(`/api/meetings/${id}/rename`, { title });
  return id;
}

/** Creates many rows at once: lists need no document behind each. */
async function listed(person: Person, named: readonly string[]): Promise<void> {
  const rows = named.map((title) => ({ id: newId(), title }));
  const { orm } = house.database;
  await orm.insert(meetings).values(rows.map(({ id }) => ({ id, ownerId: person.id })));
  const read = { version: 0, words: 0, speakers: 0, spokenMs: 0, updatedAt: new Date() };
  await orm
    .insert(meetingProjections)
    .values(rows.map(({ id, title }) => ({ ...read, meetingId: id, title, titleKey: foldTitle(title) })));
}

it('a table that sorts, searches and pages, with everything in the address', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const shared = await makeRecording(house, ben);
  // A search also finds what others share with everyone, so that this title is like no other's.
  const rehearsal = 'Rehearsal: asking for a decision';
  await ben.post(`/api/meetings/${shared}/rename`, { title: rehearsal });
  await share(house, shared, ann, ['read', 'discover']);
  const names = Array.from({ length: 21 }, (_, i) => `Interview ${String(i + 1).padStart(2, '0')}`);
  await listed(ann, names);
  const page = await desk.seat(ann);
  await page.goto('/?sort=title');
  await page.getByText('22 recordings').waitFor();
  await expect.poll(() => titles(page), patient).toEqual(names.slice(0, 20));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Page 2' }).click();
  await expect.poll(() => titles(page), patient).toEqual(['Interview 21', rehearsal]);
  expect(page.url()).toContain('page=1');

  // A new order starts at its first page; Back leads to the previous page.
  // The second press of a fast pair turns the order that the first one chose.
  await page.getByRole('button', { name: 'Words' }).dblclick();
  await expect.poll(async () => (await titles(page))[0], patient).toBe(rehearsal);
  const row = page.getByRole('row', { name: rehearsal });
  expect(await row.innerText()).toMatch(/Ben Test\s+\S[^]*2:55\s+4\d\d/);
  // A reader can save it as a file, and nothing else.
  await row.getByRole('button', { name: `Actions for “${rehearsal}”` }).click();
  expect(await row.locator(':popover-open button').allInnerTexts()).toEqual(['Export']);
  await row.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('dialog', { name: rehearsal }).waitFor();
  await expectAccessible(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
  expect((await saved).suggestedFilename()).toBe(`${rehearsal.replace(':', '')}.docx`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goBack();
  await page.goBack();
  await expect.poll(() => titles(page), patient).toEqual(['Interview 21', rehearsal]);

  await page.getByLabel('Search recordings').fill('REHEARSAL');
  await expect.poll(() => titles(page), patient).toEqual([rehearsal]);
  await page.reload();
  await expect.poll(() => titles(page), patient).toEqual([rehearsal]);
  await page.getByLabel('Search recordings').fill('nowhere');
  await page.getByText('No recording contains “nowhere”.').waitFor();
  await page.getByRole('button', { name: 'Show all recordings' }).click();
  await page.getByText('22 recordings').waitFor();

  // An old address of a page that no longer exists shows the last page.
  await page.goto('/?page=9&sort=title');
  await expect.poll(() => titles(page), patient).toEqual(['Interview 21', rehearsal]);
  // Others' recordings have their own place.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Shared with me' }).click();
  await expect.poll(() => titles(page), patient).toEqual([rehearsal]);
  // A slash leads to the search; a click beside the title opens the row, one on a control does not.
  await page.keyboard.press('/');
  await page.keyboard.type('decision');
  await page.waitForURL('**/shared?query=decision');
  await expect.poll(() => titles(page), patient).toEqual([rehearsal]);
  await page.getByRole('cell', { name: '2:55' }).click();
  await page.waitForURL(`**/meeting/${shared}`);
});

it('two thousand recordings: a page stays until the next one is here, at a desk and on a phone', async () => {
  const ann = await house.person();
  const names = Array.from({ length: 2000 }, (_, n) => `Talk ${String(n + 1).padStart(4, '0')}`);
  await listed(ann, names);
  for (const width of ['wide', 'phone'] as const) {
    const page = await desk.seat(ann, { width });
    const row = width === 'wide' ? 'tbody tr' : 'ul[aria-label="Recordings"] > li';
    const shown = async () =>
      (await page.locator(row).allInnerTexts()).map((text) => /Talk \d{4}/.exec(text)?.[0] ?? text);
    await page.goto('/?sort=title');
    await page.getByText('2,000 recordings', { exact: true }).waitFor(patient);
    expect(await shown()).toEqual(names.slice(0, 20));
    await expectAccessible(page);

    // The second page is late: the first one stays, and there are never fewer rows.
    let send = () => {};
    const late = new Promise<void>((resolve) => (send = resolve));
    await page.route(/\/api\/meetings\?.*\bstart=20\b/, async (route) => {
      await late;
      await route.continue();
    });
    const fewest = await page.evaluateHandle((rows) => {
      const seen = { rows: Number.POSITIVE_INFINITY };
      const look = () => {
        seen.rows = Math.min(seen.rows, document.querySelectorAll(rows).length);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
      return seen;
    }, row);
    await page.getByRole('button', { name: 'Page 2', exact: true }).click();
    await page.locator('section[aria-busy]').waitFor();
    expect(page.url()).toContain('page=1');
    expect(await shown()).toEqual(names.slice(0, 20));
    send();
    await expect.poll(shown, patient).toEqual(names.slice(20, 40));
    expect(await fewest.evaluate(({ rows }) => rows)).toBe(20);
    const places = page.getByRole('navigation', { name: 'Pages' }).getByRole('button');
    const tops = await places.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size, 'lines of page numbers').toBe(1);
    await page.getByRole('button', { name: 'Page 100', exact: true }).click();
    await expect.poll(shown, patient).toEqual(names.slice(-20));
    await expectAccessible(page);
    await page.getByLabel('Search recordings').fill('1234');
    await expect.poll(shown, patient).toEqual(['Talk 1234']);
  }
});

interface Newcomer {
  locale: string;
  width: Width;
  texts: Texts;
  lang: string;
  said: readonly string[];
  joint: string;
  query: string;
  word: string;
}

it.each<Newcomer>([
  {
    locale: 'ru',
    width: 'wide',
    texts: ru,
    lang: 'ru-RU',
    joint: ' ',
    query: 'решил бюджета',
    word: 'решили',
    said: ['Потом', 'мы', 'решили', 'перенести', 'бюджеты', 'на', 'осень.'],
  },
  {
    locale: 'zh',
    width: 'phone',
    texts: zh,
    lang: 'zh-CN',
    joint: '',
    // The words in another order than they were said: a run without blanks is looked for as it is.
    query: '预算 决定',
    word: '决定',
    said: ['然后', '我们', '决定', '推迟', '预算', '。'],
  },
])('somebody new finds what was said, in $locale', async ({ locale, width, texts, said, word, ...about }) => {
  const ann = await house.person();
  expect((await ann.post('/api/principals/me', { language: locale })).status).toBeLessThan(300);
  const { lang, joint, query } = about;
  const before = Array.from({ length: 40 }, () => ['…', '…', '…']);
  const id = await makeTimed(house, ann, [...before, said], { title: 'A', lang, joint });
  await makeSaid(house, ann, ['…'], { title: 'B', lang });
  await indexAll(house);
  const page = await desk.seat(ann, { width, locale });
  await page.goto('/');
  await page.getByRole('link', { name: 'B', exact: true }).waitFor(patient);
  await page.getByRole('searchbox').fill(query);
  const hit = page.getByRole('list', { name: texts.library.hits.label }).getByRole('link');
  await hit.first().waitFor(patient);
  expect(await hit.first().locator('mark').innerText()).toBe(word);
  // The time stands before the words, on their line, and neither is as bold as a title.
  const parts = hit.first().locator(':scope > span');
  const [where, words] = [await parts.first().boundingBox(), await parts.last().boundingBox()];
  expect((where?.x ?? 0) + (where?.width ?? 0)).toBeLessThan(words?.x ?? 0);
  expect(await hit.first().evaluate((one) => getComputedStyle(one).fontWeight)).toBe('400');
  if (width === 'phone') expect((await hit.first().boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.getByText(texts.library.why.said).waitFor();
  expect(await page.getByRole('link', { name: 'B', exact: true }).count()).toBe(0);
  await expectAccessible(page);
  await hit.first().click();
  await page.waitForURL(new RegExp(`/meeting/${id}\\?t=\\d+&find=`));
  await expect.poll(() => drawn(page, 'found-place'), patient).toEqual([word]);
  const paragraph = page.locator('.ProseMirror > *').last();
  await expect
    .poll(async () => (await paragraph.boundingBox())?.y ?? -1, patient)
    .toSatisfy((y: number) => y > 0 && y < 900);
});

it('a new title and a deletion, each undone, as tiles on a phone', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  // Its tags come from the index.
  await indexAll(house);
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await page.goto('/');
  await page.getByRole('link', { name: talk }).waitFor();
  await expectAccessible(page);
  // A finger meets a tag as easily as a button.
  const tag = await page.getByRole('button', { name: 'Filter by the tag “coaching”' }).boundingBox();
  expect(tag?.height).toBeGreaterThanOrEqual(44);
  await page.getByRole('button', { name: 'Sort and view' }).click();
  await page.getByRole('button', { name: 'Tiles' }).click();
  const tile = page.getByRole('listitem').filter({ has: page.getByRole('heading') });
  await expect.poll(() => tile.innerText(), patient).toMatch(/2:55\s+4\d\d words/);
  await tile.getByText(/^\S.{20,}[.?!…]$/).waitFor(patient);
  // Dimmed until the list has loaded in its new form.
  await page.locator('[aria-busy]').waitFor({ state: 'detached' });
  await expectAccessible(page);
  await expect
    .poll(async () => (await ann.whoami()).body.principal.preferences, patient)
    .toMatchObject({ searchResultsViewMode: 'tile' });

  const choose = async (action: string) => {
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('button', { name: action, exact: true }).click();
  };
  await choose('Rename');
  await page.getByLabel('New title').fill('Interview 4');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Interview 4' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: talk }).waitFor();
  await page.getByText('Title restored').waitFor();

  await choose('Delete');
  await page.getByText('Add your first recording').waitFor();
  expect((await ann.get(`/api/meetings/${id}`)).status).toBe(403);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: talk }).click();
  await page.waitForURL(`**/meeting/${id}`);
});

it('a copy from the list on a phone and from the recording itself, and why there is none', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  const page = await desk.seat(ann, { width: 'phone' });
  await page.goto('/');
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('button', { name: 'Make a copy' }).click();
  const dialog = page.getByRole('dialog', { name: `Make a copy of “${talk}”` });
  await expect.poll(() => dialog.getByLabel('Name').inputValue(), patient).toBe(`Copy of ${talk}`);
  await expectAccessible(page);
  await dialog.getByLabel('Name').fill('Interview 4');
  await dialog.getByLabel('Leave out annotations').check();
  await dialog.getByLabel('Leave out who wrote the comments').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByText('“Interview 4” created').waitFor(patient);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Interview 4' }).waitFor();
  await page.getByRole('link', { name: 'View', exact: true }).click();
  await page.waitForURL('**/meeting/*');
  expect(page.url()).not.toContain(id);
  await page.getByText('welcome to our practice session').first().waitFor(patient);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Make a copy' }).click();
  const again = page.getByRole('dialog', { name: 'Make a copy of “Interview 4”' });
  await payTranscript(house, ann, page.url().split('/').at(-1) ?? '', 'free');
  await again.getByRole('button', { name: 'Copy', exact: true }).click();
  await again.getByRole('alert').getByText('Free trial recordings are not allowed to clone').waitFor(patient);
  const offer = again.getByRole('group', { name: 'Upgrade of the recording' });
  await offer.getByText('Only recordings that were paid for can be copied. Pay for this one once: $0.60.').waitFor();
  await offer.getByText('You need $0.60 more.').waitFor();
  await offer.getByRole('link', { name: 'Buy credits' }).waitFor(patient);
  await expectAccessible(page);
  if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/copy-refused.png` });
  // Bought in another tab, in which the page learns of it.
  await giveCredits(house, ann, '1');
  await offer.getByRole('button', { name: 'Pay and copy' }).click(patient);
  await page.getByText('“Copy of Interview 4” created').waitFor(patient);
  await again.waitFor({ state: 'detached' });
  expect(await creditsLeft(house, ann)).toBe(0.4);
  await page.goto('/');
  await page.getByRole('listitem').filter({ hasText: 'Cost: $0.60' }).waitFor(patient);
});

it('six recordings are in the first screen of a phone', async () => {
  const ann = await house.person();
  await listed(
    ann,
    Array.from({ length: 8 }, (_, i) => `Interview ${i + 1}`),
  );
  const page = await desk.seat(ann, { width: 'phone' });
  await page.goto('/');
  const rows = page.getByRole('list', { name: 'Recordings' }).getByRole('listitem');
  await expect.poll(() => rows.count(), patient).toBe(8);
  const { y, height } = (await rows.nth(5).boundingBox()) ?? { y: Infinity, height: 0 };
  expect(y + height).toBeLessThanOrEqual(widths.phone.height);
});

it('an empty library offers to upload a file, and opens a sample recording', async () => {
  const ann = await house.person();
  const page = await desk.seat(ann, { width: 'phone' });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Add your first recording' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Upload a file' }).click();
  await page.getByRole('dialog').getByText('Add a recording or a transcript').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open the sample recording' }).click();
  await page.waitForURL('**/meeting/*');
  await page.getByText('welcome to our practice session').first().waitFor(patient);
  await page.goto('/');
  await page.getByRole('link', { name: talk }).waitFor();
});

it('a transcript that is dropped or pasted is recognised, and can be corrected before it is sent', async () => {
  const ann = await house.person();
  const page = await desk.seat(ann);
  await page.goto('/');
  await page.getByText('Add your first recording').waitFor();
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['1\n00:00:01,000 --> 00:00:03,000\nWe begin.\n'], 'Plans.srt'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Chosen: Plans.srt').waitFor();
  await dialog.getByText('Read as SubRip subtitles').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  // A text of another format than the chosen one: the field says which, and one press takes that.
  await dialog.getByLabel('Or paste its text').fill('1\n00:00:01,000 --> 00:00:03,000\nWe begin.\n');
  await dialog.getByLabel('Format').selectOption('OTTERAI');
  await dialog.getByText('this looks like SRT').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import as SubRip subtitles' }).click();
  await dialog.getByText('Read as SubRip subtitles').waitFor();
  expect(await dialog.getByLabel('Format').inputValue()).toBe('SRT');
  await dialog.getByLabel('Format').selectOption('AUTO');
  await dialog.getByLabel('Or paste its text').fill('Ann: Shall we begin?\nBen: Yes, with the goal.');
  await dialog.getByText('Read as Plain text').waitFor();
  await dialog.getByLabel('Format').selectOption('ZOOM');
  await dialog.getByText('Invalid transcript: line 1').waitFor();
  await expectAccessible(page);

  // The server's refusal is said at the field, too, and what was entered is still there.
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('The upload has failed.').waitFor(patient);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('Invalid transcript: line 1').waitFor();
  expect(await dialog.getByLabel('Or paste its text').inputValue()).toContain('with the goal');
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Plans');
  await dialog.getByLabel('Format').selectOption('AUTO');
  await dialog.getByText('Read as Plain text').waitFor();
  await dialog.getByRole('button', { name: 'Next' }).click();
  // The missing times are noted before it is added.
  await dialog.getByRole('button', { name: 'Continue' }).click(patient);
  await dialog.getByRole('button', { name: 'Open recording' }).click(patient);
  await page.getByText('Shall we begin?').waitFor(patient);
});

it('a list that does not load says so, and loads when tried again', async () => {
  const ann = await house.person();
  await named(ann, 'Interview 4');
  const page = await desk.seat(ann);
  await page.route('**/api/meetings?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/');
  await page.getByText('Couldn’t load the list. Your recordings are safe.').waitFor();
  await page.unroute('**/api/meetings?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Interview 4' }).waitFor();
});

it('an address that begins with /search leads to the library, with the query', async () => {
  const ann = await house.person();
  await listed(ann, ['Interview one', 'Interview two']);
  const page = await desk.seat(ann);
  await page.goto('/search?query=two');
  await expect.poll(() => titles(page), patient).toEqual(['Interview two']);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/?query=two');
});

it('recordings that others share, move in or withdraw appear and disappear while the list is open', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeMeeting(house, ann);
  await ann.post(`/api/meetings/${id}/rename`, { title: 'Interview 7' });
  const page = await desk.seat(ben);
  const news = page.waitForEvent('websocket', (socket) => socket.url().includes('/sync/news'));
  const heard = news.then((socket) => socket.waitForEvent('framereceived'));
  await page.goto('/');
  await page.getByText('Add your first recording').waitFor();
  await heard;
  const row = page.getByRole('link', { name: 'Interview 7' });
  await share(house, id, ben, ['read', 'discover']);
  await row.waitFor();
  await share(house, id, ben, []);
  await row.waitFor({ state: 'detached' });
  await page.getByText('Add your first recording').waitFor();

  const [folder] = (await makeFolders(ann, '/Plans')) as [string];
  await giveFolder(house, folder, ben, ['read', 'discover']);
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByText('This folder is empty').waitFor();
  await ann.post('/api/meetings/move', { ids: [id], path: '/Plans' });
  await row.waitFor();
  await ann.post('/api/folders/delete', { path: '/Plans' });
  await page.getByText('Folder not found').waitFor();
  expect(await row.count()).toBe(0);
});

it('words that were said are found, with their place, and opened there', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  await indexAll(house);
  for (const width of ['wide', 'phone'] as const) {
    const page = await desk.seat(ann, { width });
    await page.goto('/?query=rude+interrupting');
    const hits = page.getByRole('list', { name: 'Where the words are' });
    await hits.getByRole('link').first().waitFor(patient);
    await expectAccessible(page);
    expect(await hits.locator('mark').first().innerText()).toMatch(/rude|interrupt/);
    const said = await hits.getByRole('link').first().locator('span').last().innerText();
    await hits.getByRole('link').first().click();
    await page.waitForURL(/\?t=\d+&find=/);
    const paragraph = page.locator('.ProseMirror > *', { hasText: said.split(' ').slice(0, 4).join(' ') }).first();
    await expect
      .poll(async () => (await paragraph.boundingBox())?.y ?? -1, patient)
      .toSatisfy((y: number) => y > 0 && y < 900);
    const marked = () => drawn(page, 'found-place');
    await expect.poll(marked, patient).toEqual([expect.stringMatching(/rude|interrupt/)]);
    await paragraph.click();
    await expect.poll(marked, patient).toEqual([]);
  }

  // Each of several places opens on its own word, also behind text that was typed since.
  const page = await desk.seat(ann);
  await page.goto('/?query=the');
  const links = page.getByRole('list', { name: 'Where the words are' }).getByRole('link');
  await links.first().waitFor(patient);
  const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  expect(addresses.length).toBeGreaterThan(1);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    textOf(doc).insert(1, 'Typed in front of the first word. '),
  );
  const places = new Set<number>();
  for (const address of addresses) {
    await page.goto(address);
    const find = new URL(page.url()).searchParams.get('find') ?? '';
    // The last word of a query may be the beginning of one.
    expect(find.toLowerCase()).toMatch(/^the/);
    await expect.poll(() => drawn(page, 'found-place'), patient).toEqual([find]);
    // The page was left at the place before, which playback would continue from otherwise.
    const time = Number(new URL(page.url()).searchParams.get('t'));
    await expect.poll(async () => Math.round((await sound(page)).ms), patient).toBe(time);
    places.add(
      await page.evaluate(() => {
        const [range] = CSS.highlights.get('found-place') as unknown as Iterable<Range>;
        const before = document.createRange();
        before.selectNodeContents(document.querySelector('.ProseMirror') as Node);
        if (range) before.setEnd(range.startContainer, range.startOffset);
        return String(before).length;
      }),
    );
  }
  expect(places.size).toBe(addresses.length);

  // A place that is in view when it is asked for stays there, though the text is moving to another one.
  const first = new URL(addresses[0] ?? '', page.url());
  const time = Number(first.searchParams.get('t')) + 1;
  await visit(page, first.pathname + first.search);
  await expect.poll(async () => Math.round((await sound(page)).ms), patient).toBe(time - 1);
  await expect.poll(() => drawn(page, 'found-place'), patient).toHaveLength(1);
  first.searchParams.set('t', String(time));
  await page.evaluate((to) => {
    const port = document.querySelector('.ProseMirror')?.closest('[role=tabpanel]');
    const [range] = CSS.highlights.get('found-place') as unknown as Iterable<Range>;
    if (!port || !range) throw new Error('nowhere');
    const away = range.getBoundingClientRect().bottom - port.getBoundingClientRect().top + 50;
    port.scrollBy({ top: away, behavior: 'smooth' });
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, first.pathname + first.search);
  await expect.poll(async () => Math.round((await sound(page)).ms), patient).toBe(time);
  expect(
    await page.evaluate(async () => {
      const port = document.querySelector('.ProseMirror')?.closest('[role=tabpanel]');
      for (let [at, still] = [Number.NaN, 0]; still < 20; still = at === port?.scrollTop ? still + 1 : 0) {
        at = port?.scrollTop ?? 0;
        await new Promise(requestAnimationFrame);
      }
      const [range] = (CSS.highlights.get('found-place') ?? []) as unknown as Iterable<Range>;
      return range !== undefined && range.getBoundingClientRect().top > (port?.getBoundingClientRect().top ?? 0);
    }),
  ).toBe(true);
});
