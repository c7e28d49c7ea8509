// Side paths of adding a recording: a person leaves, a price changes, an upload cannot go in parts, a transcript is
// replaced; and other ways to the dialog than the library.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request, Route } from 'playwright-core';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { systemClock } from '#server/clock.ts';
import { createDesk, type CostDesk } from '#server/billing/desk.ts';
import { externalModel, humanModel } from '#shared/intake.ts';
import { folderGrantOf } from '#shared/sharing.ts';
import { expectAccessible, openDesk, type Look } from '../support/browser.ts';
import { giveFolder, makeFolders } from '../support/folders.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { openProvider, type TestProvider } from '../support/oidc.ts';
import { operatorAddress, orderOf, orderTranscript } from '../support/orders.ts';
import type { Person } from '../support/people.ts';

const patient = { timeout: 60_000 };
const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(import.meta.dirname, '../../server/demo/talk.mp3')),
};
const vtt = (name: string, ...cues: string[]) => ({
  name,
  mimeType: 'text/vtt',
  buffer: Buffer.from(`WEBVTT\n\n${cues.map((cue, i) => `${i + 1}\n${cue}\n`).join('\n')}`),
});
const captions = vtt(
  'interview.vtt',
  '00:00:01.000 --> 00:00:04.000\nAnna: Good morning, everybody.',
  '00:00:05.000 --> 00:00:09.000\nBoris: What do we begin with today?',
);

/** Price of each person's recordings from now on. */
const prices = new Map<string, number>();
const plain = createDesk({ clock: systemClock }, () => ({ [externalModel]: 0, [humanModel]: 0 }));
const costs: CostDesk = {
  async options(orm, person, order) {
    const options = await plain.options(orm, person, order);
    const cost = prices.get(person.id);
    return cost === undefined ? options : options.map((one) => ({ ...one, cost, isEnough: true }));
  },
  hold: async () => null,
  capture: async () => {},
  release: async () => {},
  isFree: () => true,
};

const desk = openDesk();
let provider: TestProvider;
let house: TestHouse;
beforeAll(async () => {
  provider = await openProvider();
  // With a second type of transcription, so that the external transcript is a choice.
  const env = { ...provider.env, TRANSCRIBE_HUMAN: operatorAddress, TRANSCRIBE_HUMAN_PRICE: '0' };
  house = await openHouse({ client: builtClient, env, house: { costs } });
}, 180_000);
afterAll(async () => {
  await house?.close();
  await provider?.close();
});

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).last().click();
const gone = (page: Page) => dialog(page).waitFor({ state: 'detached' });
const prepared = (page: Page) => page.getByText('The transcript is being prepared').waitFor(patient);

async function annAt(path = '/', look?: Look): Promise<{ ann: Person; page: Page }> {
  const ann = await house.person('Ann');
  const page = await desk.seat(ann, look);
  await page.goto(path);
  return { ann, page };
}

async function addRecording(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page.getByLabel('Choose local file').setInputFiles(talk);
}

/** Continues to the last question, with an external transcript. */
async function bringTranscript(page: Page, transcript = captions): Promise<void> {
  await dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check(patient);
  await press(page, 'Next');
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
  await page.getByLabel('Transcript file').setInputFiles(transcript);
  await press(page, 'Next');
}

async function add(page: Page, transcript = captions): Promise<void> {
  await addRecording(page);
  await bringTranscript(page, transcript);
}

const asked = (page: Page) => page.getByRole('dialog', { name: 'Cancel adding this recording?' });
const drafts = async ({ id }: Person) => house.database.sql`select state from intakes where owner_id = ${id}`;
const files = async ({ id }: Person) => house.database.sql`select 1 from uploads where owner_id = ${id}`;

/** Requests of the page to addresses with that ending. */
function sent(page: Page, ending: string): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(ending)) requests.push(request);
  });
  return requests;
}

/** The server handles the request, and its answer is delayed. */
async function holdAnswer(page: Page, path: string): Promise<{ reached: Promise<void>; release: () => void }> {
  let reach = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(path, async (route) => {
    const response = await route.fetch();
    reach();
    await released;
    await route.fulfill({ response }).catch(() => {});
  });
  return { reached, release };
}

/** Waits until the page has reacted to an answer. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/healthz'));
  await page.evaluate(() => fetch('/healthz'));
}

const problem = (status: number, code: string, message: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code, status, title: message, info: { message, code } }),
});

/** Drops a file on an element; returns whether the page, and not the browser, took it. */
const dropOn = (page: Page, selector: string, name: string): Promise<boolean> =>
  page.evaluate(
    ([where, called]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['some sound'], called ?? '', { type: 'audio/mpeg' }));
      const place = document.querySelector(where ?? '');
      const give = (type: string) => {
        const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer });
        place?.dispatchEvent(event);
        return event.defaultPrevented;
      };
      return [give('dragover'), give('drop')].every(Boolean);
    },
    [selector, name],
  );

describe('leaving', () => {
  it('during the upload cancels it, and creates no recording', async () => {
    const { ann, page } = await annAt();
    const made = sent(page, '/meetings-fast');
    await page.route('**/*', (route) => (route.request().method() === 'PUT' ? undefined : route.fallback()));
    await add(page);
    await page.getByText('Uploading your recording.').waitFor(patient);
    await press(page, 'Cancel');
    await asked(page).getByRole('button', { name: 'Cancel and delete' }).click();
    await gone(page);
    await expect.poll(() => files(ann), patient).toHaveLength(0);
    await settled(page);
    expect(made).toHaveLength(0);
    expect(await drafts(ann)).toHaveLength(0);
  });

  it('is confirmed first, and a person who stays continues', async () => {
    const { page } = await annAt();
    const begun = sent(page, '/process');
    const { reached, release } = await holdAnswer(page, '**/api/meetings-fast');
    await add(page);
    await reached;
    await press(page, 'Cancel');
    await asked(page).waitFor();
    release();
    await settled(page);
    expect(begun).toHaveLength(0);
    await asked(page).getByRole('button', { name: 'Keep adding' }).click();
    await prepared(page);
    expect(begun).toHaveLength(1);
  });

  it.each(['while', 'before'])('leaves nothing of a recording created %s the question was shown', async (when) => {
    const { ann, page } = await annAt();
    const begun = sent(page, '/process');
    const { reached, release } = await holdAnswer(page, '**/api/meetings-fast');
    await add(page);
    await reached;
    expect(await drafts(ann)).toHaveLength(1);
    await press(page, 'Cancel');
    await asked(page).waitFor();
    if (when === 'while') {
      release();
      await settled(page);
    }
    await asked(page).getByRole('button', { name: 'Cancel and delete' }).click();
    await gone(page);
    release();
    await expect.poll(() => drafts(ann), patient).toHaveLength(0);
    await expect.poll(() => files(ann), patient).toHaveLength(0);
    expect(begun).toHaveLength(0);
  });

  it('by the browser’s Back asks, too, and cancels the upload', async () => {
    const { ann, page } = await annAt('/deleted');
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Library' }).click();
    await addRecording(page);
    await page.getByText('Interview 4.mp3 uploaded').waitFor(patient);
    // A reload now would offer to go on behind the last byte.
    const missing = () =>
      page.evaluate(() => {
        const { size, sent: bytes } = JSON.parse(localStorage.getItem('colloquy-upload') ?? '{}');
        return size - bytes;
      });
    await expect.poll(missing, patient).toBe(0);
    await page.goBack();
    await asked(page).getByRole('button', { name: 'Keep adding' }).click();
    await asked(page).waitFor({ state: 'detached' });
    await dialog(page).getByText('Interview 4.mp3 uploaded').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await files(ann)).toHaveLength(1);
    await page.goBack();
    await asked(page).getByRole('button', { name: 'Cancel and delete' }).click();
    await page.getByRole('heading', { name: 'Deleted', exact: true }).waitFor(patient);
    await gone(page);
    await expect.poll(() => files(ann), patient).toHaveLength(0);
    // The dialog does not open by itself in the library.
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Library' }).click();
    await page.getByText('Add your first recording').waitFor(patient);
    expect(await dialog(page).count()).toBe(0);
  });

  it('Back leads from the price to other choices, and from the type of transcription to another file', async () => {
    const { ann, page } = await annAt();
    await addRecording(page);
    await dialog(page)
      .getByRole('radio', { name: /Human transcript/ })
      .check(patient);
    await press(page, 'Next');
    await press(page, 'Next');
    await dialog(page).getByText('A person transcribes “Interview 4”').waitFor(patient);
    await expectAccessible(page);
    await press(page, 'Back');
    await dialog(page).getByRole('heading', { name: 'Processing options' }).waitFor();
    await press(page, 'Back');
    await press(page, 'Choose another file');
    await page.getByText('Drop a recording or a transcript here').waitFor();
    await expect.poll(() => drafts(ann), patient).toHaveLength(0);
    await page.getByLabel('Choose local file').setInputFiles({ ...talk, name: 'Interview 5.mp3' });
    await bringTranscript(page);
    await prepared(page);
    await press(page, 'Open recording');
    await page.getByText('What do we begin with today?').waitFor(patient);
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Interview 5');
    expect(await files(ann)).toHaveLength(1);
  });

  it('a recording that was submitted says so, and is processed', async () => {
    const { ann, page } = await annAt();
    const { reached, release } = await holdAnswer(page, '**/process');
    await add(page);
    await reached;
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Close this dialog?' });
    await question.getByText('The recording was already submitted.').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Close', exact: true }).last().click();
    await gone(page);
    release();
    await page.getByRole('row', { name: /Interview 4/ }).waitFor(patient);
    expect(await drafts(ann)).toHaveLength(1);
  });
});

describe('trying again', () => {
  it('a changed price is shown, and the recording is processed for it', async () => {
    const { ann, page } = await annAt();
    const begun = sent(page, '/process');
    await page.route(
      '**/process',
      async (route) => {
        prices.set(ann.id, 0.5);
        await route.continue();
      },
      { times: 1 },
    );
    await add(page);
    await page.getByText('The price has changed. Choose how to pay again.').waitFor(patient);
    await expectAccessible(page);
    expect(begun).toHaveLength(1);
    await dialog(page).getByRole('button', { name: '$0.50 from the balance' }).click();
    await prepared(page);
    expect(begun.map((request) => (request.postDataJSON() as { cost: { cost: number } }).cost.cost)).toEqual([0, 0.5]);
  });

  it('with another transcript replaces the first recording', async () => {
    const { ann, page } = await annAt();
    const refused = (route: Route) => route.fulfill(problem(409, 'CONFLICT', 'It was changed in the meantime'));
    await page.route('**/process', refused, { times: 1 });
    await add(page);
    await page.getByText('It was changed in the meantime').waitFor(patient);
    await press(page, 'Try again');
    await page
      .getByLabel('Transcript file')
      .setInputFiles(vtt('other.vtt', '00:00:01.000 --> 00:00:04.000\nAnna: The other one.'));
    await press(page, 'Next');
    await prepared(page);
    await press(page, 'Open recording');
    await page.getByText('The other one.').waitFor(patient);
    await expect.poll(() => drafts(ann), patient).toHaveLength(1);
  });

  it.each(['wide', 'phone'] as const)('is not the only way: a failure is reported, on a %s screen', async (width) => {
    const { ann, page } = await annAt('/', { width });
    await add(page, { ...captions, buffer: Buffer.from('These are only notes.\n') });
    await dialog(page).getByText('Invalid transcript:').waitFor(patient);
    const id = (await dialog(page).getByText('Request ID:').textContent())?.split(': ')[1] ?? 'none';
    await press(page, 'Report it to support');
    const panel = page.getByRole('dialog', { name: 'Ask support' });
    await panel.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you. Your message was sent.').waitFor(patient);
    const [row] = await house.database.orm.select().from(feedback).where(eq(feedback.userId, ann.id));
    expect(row?.text).toMatch(/Adding a recording failed: Invalid transcript: .*/);
    expect(row?.text).toContain(id);
  });
});

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it('a recording deleted during processing is restored and processed again, after its price was shown', async () => {
    const ann = await house.person('Ann');
    const { meetingId } = await orderTranscript(house, ann);
    await ann.delete(`/api/meetings/${meetingId}`);
    expect((await ann.post(`/api/meetings/${meetingId}/restore`)).status).toBeLessThan(300);
    prices.set(ann.id, 0.5);
    const page = await desk.seat(ann, { width, scheme });
    await page.goto(`/meeting/${meetingId}`);
    await page.getByText('The processing was cancelled.').waitFor(patient);
    // The notice of an empty transcript is below the notices of its recording.
    const [empty, tabs] = [page.getByText('The transcript is empty'), page.getByRole('tablist')];
    await empty.waitFor(patient);
    const [below, above] = [await empty.boundingBox(), await tabs.boundingBox()];
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
    await page.getByRole('button', { name: 'Process again' }).click();
    const way = (price: string) => dialog(page).getByRole('button', { name: `${price} from the balance` });
    await way('$0.50').waitFor(patient);
    await expectAccessible(page);
    // Looking at the price has started nothing.
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await gone(page);
    expect(await drafts(ann)).toMatchObject([{ state: 'failed' }]);
    await page.getByRole('button', { name: 'Process again' }).click();
    await way('$0.50').waitFor(patient);
    prices.set(ann.id, 0.7);
    await way('$0.50').click();
    await dialog(page).getByText('The price has changed.').waitFor(patient);
    await way('$0.70').click();
    await gone(page);
    await page.getByText('A person is transcribing it').waitFor(patient);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await orderOf(house, meetingId);
    expect(await page.getByRole('button', { name: 'Process again' }).count()).toBe(0);
  });
});

describe('a file that cannot be uploaded in parts', () => {
  const seat = async () => {
    const { ann, page } = await annAt();
    await page.route('**/api/multipart-uploads', (route) => route.fulfill(problem(500, 'INTERNAL', 'no')));
    await addRecording(page);
    await page.getByText('Interview 4.mp3 will upload in one piece when you continue.').waitFor(patient);
    return { ann, page };
  };

  it('is uploaded in one piece, again after a failure, and under one name', async () => {
    const { ann, page } = await seat();
    const made = sent(page, '/meetings-fast');
    await page.route('**/api/meetings-fast', (route) => route.fulfill(problem(503, 'UNAVAILABLE', 'no')), { times: 1 });
    await bringTranscript(page);
    await prepared(page);
    const names = await Promise.all(made.map((request) => request.headerValue('x-request-id')));
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(1);
    expect(await files(ann)).toHaveLength(1);
  });

  it('shows its progress, is not left by accident, and is cancelled on request', async () => {
    const { ann, page } = await seat();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/meetings-fast'));
    await page.route('**/api/meetings-fast', () => {});
    await bringTranscript(page);
    await dialog(page)
      .getByText(/Uploading Interview 4.mp3: \d+%/)
      .waitFor(patient);
    const asks = await page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(asks).toBe(true);
    await press(page, 'Cancel');
    await asked(page).getByRole('button', { name: 'Cancel and delete' }).click();
    await failed;
    await gone(page);
    expect(await drafts(ann)).toHaveLength(0);
  });
});

it('warnings about a transcript are shown before it is accepted', async () => {
  const { page } = await annAt();
  const begun = sent(page, '/process');
  await add(
    page,
    vtt(
      'slip.vtt',
      '00:00:05.000 --> 00:00:06.000\nAnna: Good morning.',
      '00:00:02.000 --> 00:00:03.000\nBoris: And to you.',
      '00:00:08.000 --> 00:00:09.000\nAnna: We begin.',
    ),
  );
  await page.getByRole('heading', { name: 'About this transcript' }).waitFor(patient);
  await page.getByText(/Line \d+: the time runs backwards/).waitFor();
  await expectAccessible(page);
  expect(begun).toHaveLength(0);
  await press(page, 'Continue');
  await prepared(page);
});

it('the type of transcription is remembered for the next recording', async () => {
  const { page } = await annAt();
  await addRecording(page);
  expect(
    await dialog(page)
      .getByRole('radio', { name: /Human transcript/ })
      .isChecked(),
  ).toBe(true);
  await bringTranscript(page);
  await prepared(page);
  await page.reload();
  await addRecording(page);
  const external = dialog(page).getByRole('radio', { name: /External transcript/ });
  await external.waitFor(patient);
  expect(await external.isChecked()).toBe(true);
});

it('a pasted title becomes one line with single spaces', async () => {
  const { page } = await annAt();
  await addRecording(page);
  await dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check(patient);
  await press(page, 'Next');
  const title = dialog(page).getByLabel('Title');
  await title.fill('Call of Monday');
  await title.evaluate((field: HTMLInputElement) => {
    field.setSelectionRange(5, 7);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'in  the\n\tweek of');
    field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }));
  });
  expect(await title.inputValue()).toBe('Call in the week of Monday');
});

it('a file dropped beside the drop area changes nothing', async () => {
  const { page } = await annAt();
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page.getByText('Drop a recording or a transcript here').waitFor();
  expect(await dropOn(page, '[role=dialog] h2', 'beside.mp3')).toBe(true);
  expect(await dropOn(page, 'main', 'behind.mp3')).toBe(true);
  await page.getByText('Drop a recording or a transcript here').waitFor();
});

it('a new version does not discard an unfinished upload', async () => {
  const { page } = await annAt();
  await page.getByRole('button', { name: 'Add recording' }).first().waitFor();
  await page.evaluate(() => Object.assign(window, { same: true }));
  // No field has text: the file was dropped on the page.
  expect(await dropOn(page, 'main', 'dropped.mp3')).toBe(true);
  await dialog(page).getByRole('heading', { name: 'Select transcription type' }).waitFor(patient);
  await dialog(page).getByRole('radio').first().waitFor(patient);
  await page.route('**/api/principals/me', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-version': 'another' } });
  });
  await press(page, 'Next');
  await press(page, 'Next');
  await page.getByText('A new version of Colloquy is available.').waitFor(patient);
  expect(await page.evaluate(() => 'same' in window)).toBe(true);
});

it('texts of a language that loads late also reach the open dialog', async () => {
  const ann = await house.person('Ann');
  await ann.post('/api/principals/me', { language: 'es' });
  const page = await desk.seat(ann);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/assets/es-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page.getByText('Drop a recording or a transcript here').waitFor(patient);
  release();
  await page.getByText('Suelta aquí una grabación').waitFor(patient);
});

it('in a shared folder the title begins with that folder', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const [sid = ''] = await makeFolders(ann, '/Plans', '/Plans/Spring');
  await giveFolder(house, sid, ben, folderGrantOf('canEdit'));
  const page = await desk.seat(ben);
  for (const [path, title] of [
    ['/', 'Add recording to Plans'],
    ['/folder/Spring', 'Add recording to Plans / Spring'],
  ] as const) {
    await page.goto(`${path}?sfid=${sid}`);
    await page.getByRole('button', { name: 'Add recording' }).first().click();
    await dialog(page).getByRole('heading', { name: title, exact: true }).waitFor(patient);
  }
});

describe('/upload', () => {
  it('offers guests the ways to sign in, and they return to it', async () => {
    const ann = await house.person('Ann');
    const page = await desk.seat(house.stranger());
    await page.goto('/upload?mentor=7');
    await dialog(page).getByText('Sign up or log in to add a recording.').waitFor(patient);
    await dialog(page).getByRole('button', { name: 'Continue with Test provider' }).waitFor(patient);
    await expectAccessible(page);
    const signUp = await dialog(page).getByRole('link', { name: 'Sign up with e-mail' }).getAttribute('href');
    expect(signUp).toBe(`/signup?redirectTo=${encodeURIComponent('/upload?mentor=7')}`);
    await dialog(page).getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail').fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Drop a recording or a transcript here').waitFor(patient);
    expect(page.url()).toBe(`${house.origin}/upload?mentor=7`);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByText('Add your first recording').waitFor(patient);
    await gone(page);
  });

  it('sends an invited person to the invitation first', async () => {
    const page = await desk.seat(house.stranger());
    await page.goto('/upload?invite=long-gone');
    await page.waitForURL('**/invitation/long-gone**');
    expect(new URL(page.url()).searchParams.get('redirectTo')).toBe('/upload?invite=long-gone');
  });

  it('cannot be closed without a recording by a person invited to add one', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    expect((await ben.post('/api/invitations', { email: ann.email })).status).toBe(204);
    const [{ id, inviter }] = (await ann.whoami()).body.invitations;
    const page = await desk.seat(ann);
    await page.goto(`/upload?invite=${id}`);
    await dialog(page).getByText(`${inviter} asks you for a recording.`, { exact: false }).waitFor(patient);
    await page.getByText('Drop a recording or a transcript here').waitFor(patient);
    expect(await dialog(page).getByRole('button', { name: 'Close' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByLabel('Choose local file').setInputFiles(talk);
    await dialog(page).getByRole('button', { name: 'Next' }).waitFor(patient);
    expect(await dialog(page).getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    await bringTranscript(page);
    await prepared(page);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /Interview 4/ }).waitFor(patient);
  });
});
