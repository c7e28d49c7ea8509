// Support that a model answers first (client/support/chat.tsx): from the guide, with its pages, and handed over to people.
import { desc } from 'drizzle-orm';
import { afterAll, expect, it } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { openAssistant } from '../support/assistant.ts';
import { expectAccessible, expectFitting, expectReadable } from '../support/browser.ts';
import { Stage, waits } from '../support/document-page.ts';

const there = await openAssistant('openai', { context: 16_000 });
afterAll(() => there.close());
const stage = new Stage(1, { expected: /502/, env: { AI_URL: there.url, AI_SUPPORT: 'on' } });

const cite = { line: 2, quote: 'Click into the text and type' };
const typing = JSON.stringify({ parts: [{ text: 'Click and type.', cites: [cite] }], enough: true });

it('a question is answered from the guide, not known, failed and asked again, and handed over', async () => {
  const ann = stage.person(0);
  const page = await stage.desk.seat(ann);
  await page.goto('/profile');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Ask support' }).click();
  const panel = page.getByRole('dialog', { name: 'Ask support' });
  const question = panel.getByRole('textbox', { name: 'Your question' });
  await question.waitFor(waits);
  await panel.getByText('Your questions stay on this server.').waitFor();
  await expect.poll(() => question.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await panel.getByRole('button', { name: 'Contact the product team' }).count()).toBe(0);
  await expectReadable(page);

  there.mood.answer = () => typing;
  await page.keyboard.type('How do I correct');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('a word?');
  await page.keyboard.press('Enter');
  const log = panel.getByRole('log', { name: 'Conversation' });
  await log.getByText('Click and type.').waitFor(waits);
  await log.getByRole('blockquote').getByText('Click into the text and type').waitFor();
  // A click beside the panel closes it, and what is said and typed stays.
  await question.fill('And then');
  await page.getByRole('heading', { level: 1 }).click();
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Ask support' }).click();
  await log.getByRole('link', { name: 'Correct a transcript' }).waitFor(waits);
  expect(await question.inputValue()).toBe('And then');
  there.mood.answer = () => JSON.stringify({ parts: [], enough: false });
  await question.fill('How do I fly?');
  await page.keyboard.press('Enter');
  await log.getByText('I don’t know.', { exact: false }).waitFor(waits);
  // The question stays in its field until it is answered.
  there.mood.answer = () => 'no JSON';
  await question.fill('And now?');
  await page.keyboard.press('Enter');
  await panel.getByText('Couldn’t get an answer.', { exact: false }).first().waitFor(waits);
  expect(await question.inputValue()).toBe('And now?');
  await expectAccessible(page);
  await log.getByRole('link', { name: 'Correct a transcript' }).click();
  await page.getByRole('heading', { level: 1, name: 'Correct a transcript' }).waitFor(waits);
  await panel.getByRole('button', { name: 'Contact the product team' }).click();
  await page.getByText('Thank you. Your message was sent.').waitFor(waits);
  const [row] = await stage.house.database.orm.select().from(feedback).orderBy(desc(feedback.at)).limit(1);
  expect(row?.userId).toBe(ann.id);
  expect(row?.text).toContain('"content": "How do I fly?"');
  expect(row?.text).toContain('And now?');

  const phone = await stage.desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/profile');
  await phone.getByRole('button', { name: /^Account of/ }).click();
  await phone.getByRole('button', { name: 'Ask support' }).click();
  const sheet = phone.getByRole('dialog', { name: 'Ask support' });
  there.mood.answer = () => typing;
  await sheet.getByRole('textbox', { name: 'Your question' }).fill('How?', waits);
  await phone.keyboard.press('Enter');
  await sheet.getByText('Click and type.').waitFor(waits);
  await sheet.getByRole('button', { name: 'That helped' }).click();
  await sheet.getByRole('button', { name: 'Start a new conversation' }).waitFor();
  await expectAccessible(phone);
  await expectFitting(phone);
  await sheet.getByRole('button', { name: 'Start a new conversation' }).click();
  await sheet.getByRole('textbox', { name: 'Your question' }).waitFor();
  expect(await sheet.getByText('Click and type.').count()).toBe(0);
});
