// A human transcript from start to end: ordered with a recording, heard and delivered by an operator, read by its
// owner.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { giveCredits } from '../support/billing.ts';
import { orderTranscript, makeOperator, operatorAddress, recordingForm } from '../support/orders.ts';

const root = new URL('../..', import.meta.url).pathname;
const patient = { timeout: 60_000 };
const talk = {
  name: 'Interview 4.mp3',
  mimeType: 'audio/mpeg',
  buffer: readFileSync(join(root, 'server/demo/talk.mp3')),
};
const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const captions = text(
  'interview.vtt',
  'WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nAnna: Good morning, everybody.\n\n2\n00:00:05.000 --> 00:00:09.000\nBoris: What do we begin with today?\n',
);

const desk = openDesk();
let house: TestHouse;
beforeAll(async () => {
  const env = { TRANSCRIBE_HUMAN: operatorAddress, TRANSCRIBE_HUMAN_PRICE: '1.5' };
  house = await openHouse({ client: builtClient, env });
});
afterAll(() => house?.close());

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it('is ordered after a confirmation, delivered as a file, and read', async () => {
    const title = `Interview, ${width}`;
    const [ann, olga] = await Promise.all([house.person('Ann'), house.person('Olga')]);
    await makeOperator(house, olga);
    await giveCredits(house, ann, '10');
    const page = await desk.seat(ann, { width, scheme });
    await page.goto('/');
    await page.getByRole('button', { name: 'Add recording' }).first().click();
    await page.getByLabel('Choose local file').setInputFiles(talk);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /Human transcript · \$1\.50 per min/ }).check(patient);
    await dialog.getByText('A person transcribes it in 1–3 business days.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByLabel('Title').fill(title);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText(`A person transcribes “${title}”`).waitFor(patient);
    await expectAccessible(page);
    const pay = dialog.getByRole('button', { name: '$4.40 from the balance' });
    await pay.click();
    const asked = page.getByRole('dialog', { name: 'Order a human transcript?' });
    await asked
      .getByText(`A person transcribes “${title}” in 1–3 business days. Cost: $4.40 from the balance. Ready by `)
      .waitFor();
    await expectAccessible(page);
    // Opening the dialog alone orders nothing.
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await house.database.sql`select 1 from intakes where owner_id = ${ann.id} and state <> 'created'`).toEqual(
      [],
    );
    await pay.click();
    await asked.getByRole('button', { name: 'Order' }).click();
    await dialog.getByText('A person will transcribe the recording').waitFor(patient);
    await dialog.getByRole('button', { name: 'Open recording' }).click();
    await page.getByText('A person is transcribing it: 1–3 business days').waitFor(patient);
    await page.getByRole('textbox', { name: 'Transcript' }).waitFor(patient);
    await expectAccessible(page);

    const queue = await desk.seat(olga, { width, scheme });
    await queue.goto('/');
    await queue.getByRole('button', { name: /Account of Olga/ }).click();
    await queue.getByRole('link', { name: 'Orders' }).click();
    const order = queue.getByRole('article', { name: title });
    await order.getByText(/^2:\d\d$/).waitFor(patient);
    await expectAccessible(queue);
    await order.getByRole('button', { name: 'Listen' }).click();
    const sound = order.getByLabel(`Recording of ${title}`);
    await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration), patient).toBeGreaterThan(100);
    const fetched = queue.waitForEvent('download');
    await order.getByRole('button', { name: 'Download the recording' }).click();
    expect((await fetched).suggestedFilename()).toBe(talk.name);
    await order.getByRole('button', { name: 'Take' }).click();
    await order.getByText('Yours').waitFor();
    await order.getByRole('button', { name: 'Send transcript' }).click();
    await order.getByText('Choose a transcript file.').waitFor();
    const file = order.locator('input[type=file]');
    await order.getByLabel('Format').selectOption('ZOOM');
    await file.setInputFiles(text('notes.vtt', 'These are only notes.\n'));
    await order.getByRole('button', { name: 'Send transcript' }).click();
    await order.getByText('Invalid transcript: line 1').waitFor(patient);
    await expectAccessible(queue);
    await file.setInputFiles(captions);
    await order.getByRole('button', { name: 'Send transcript' }).click();
    await queue.getByText(`The transcript of “${title}” was sent to its owner`).waitFor(patient);
    await order.getByText('Delivered by Olga Test').waitFor();

    // The waiting page shows it without a reload.
    await page.getByText('What do we begin with today?').waitFor(patient);
    await page.getByText('A person is transcribing it').waitFor({ state: 'detached' });
  });
});

it('is declined with a reason, which its owner reads in their own language', async () => {
  const [ann, olga] = await Promise.all([house.person('Ann'), house.person('Olga')]);
  await makeOperator(house, olga);
  await orderTranscript(house, ann, recordingForm({ title: 'Too quiet' }));
  const queue = await desk.seat(olga);
  await queue.goto('/orders');
  const order = queue.getByRole('article', { name: 'Too quiet' });
  await order.getByRole('button', { name: 'Decline…' }).click();
  const asked = queue.getByRole('dialog', { name: 'Decline this order?' });
  await asked.getByRole('radio', { name: 'It is too hard to hear' }).check();
  await expectAccessible(queue);
  await asked.getByRole('button', { name: 'Decline' }).click();
  await order.getByText('Declined', { exact: true }).waitFor(patient);

  const page = await desk.seat(ann, { locale: 'es-ES' });
  await page.goto('/');
  await page.getByText('se oye demasiado mal').first().waitFor(patient);
});

it('the queue is hidden from all but the operator', async () => {
  const [ann, olga] = await Promise.all([house.person('Ann'), house.person('Olga')]);
  const page = await desk.seat(ann);
  await page.goto('/orders');
  await page.getByText('You don’t have access to orders').waitFor(patient);
  await page.getByRole('button', { name: /Account of Ann/ }).click();
  await page.getByRole('link', { name: 'Profile' }).waitFor();
  expect(await page.getByRole('link', { name: 'Orders' }).count()).toBe(0);

  await makeOperator(house, olga);
  await house.database.sql`delete from orders`;
  const queue = await desk.seat(olga);
  await queue.goto('/orders');
  await queue.getByText('No orders yet').waitFor(patient);
  await expectAccessible(queue);
  await queue.route('**/api/orders', (route) => route.fulfill({ status: 500, body: '' }));
  await queue.reload();
  await queue.getByRole('button', { name: 'Try again' }).waitFor(patient);
  await queue.unroute('**/api/orders');
  await queue.getByRole('button', { name: 'Try again' }).click();
  await queue.getByText('No orders yet').waitFor(patient);
});
