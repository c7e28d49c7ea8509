// A person whom a comment concerns gets a notice on any page.
import { expect, it } from 'vitest';
import { roles } from '#shared/roles.ts';
import { expectAccessible } from '../support/browser.ts';
import { Stage, cutLine, sound, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

const stage = new Stage(2, { expected: cutLine });

async function speak(by: Person, meeting: string, to: Person, words: string, start: number): Promise<void> {
  const { id } = (await to.whoami()).body.principal;
  const content = [
    { type: 'mention', attrs: { id: String(id), label: 'Ben' } },
    { type: 'text', text: ` ${words}` },
  ];
  const text = JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content }] });
  const answer = await by.post(`/api/meetings/${meeting}/comments`, { start, end: start + 3, text });
  expect(answer.status, answer.text).toBe(200);
}

it('a notice leads from the library, and from another recording, to the comment', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const meeting = await stage.recording();
  await share(stage.house, meeting, ben, [...roles.canComment]);
  const page = await stage.desk.seat(ben, { scheme: 'dark' });
  const line = page.waitForEvent('websocket', {
    predicate: (socket) => socket.url().endsWith('/sync/news'),
    ...waits,
  });
  await page.goto('/profile');
  // The connection works from its first message on.
  await (await line).waitForEvent('framereceived', waits);
  const began = await ben.post(`/api/meetings/${meeting}/comments`, { start: 10, end: 13, text: 'Really?' });
  const { id: parent } = began.body.comment;
  const answer = await ann.post(`/api/meetings/${meeting}/comments`, { start: 10, end: 13, text: 'Yes', parent });
  expect(answer.status, answer.text).toBe(200);
  await page
    .getByRole('status')
    .filter({ hasText: /Ann Test replied to you in a comment on/ })
    .waitFor(waits);
  await speak(ann, meeting, ben, 'is this so?', 20);
  const notice = page.getByRole('status').filter({ hasText: /Ann Test mentioned you in a comment on/ });
  await notice.waitFor(waits);
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'Open' }).click();
  await page.locator('[data-comment]').getByText('is this so?').waitFor(waits);
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(20_000);

  // On the page of the recording itself: another comment, and the same link to it.
  await speak(ann, meeting, ben, 'and this?', 60);
  await notice.getByRole('link', { name: 'Open' }).click();
  await expect.poll(async () => Math.round((await sound(page)).ms), waits).toBe(60_000);
});
