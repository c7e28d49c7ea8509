// Outcomes over the time of a recording: only those the person may see, and each column jumps to its outcomes.
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { segments, sound, Stage, waits } from '../support/document-page.ts';

const stage = new Stage(2);

it('outcomes are shown over time by their type, and jump to where they were tagged', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const tag = async (person: typeof ann, outcome: object) => {
    const answer = await person.post(`/api/meetings/${meeting}/outcomes`, { outcome });
    expect(answer.status, answer.text).toBe(200);
  };
  await tag(ann, { type: 'decisions', text: 'first', start: 20, end: 22 });
  await tag(ann, { type: 'decisions', text: 'second', start: 21, end: 22 });
  await tag(ben, { type: 'questions', text: 'own', start: 100, end: 101, private: true });

  const page = await stage.open(0, meeting);
  await page.getByRole('tab', { name: 'Analytics' }).click();
  const part = page.getByRole('region', { name: 'Outcomes over time' });
  const lane = part.getByRole('toolbar', { name: 'Decisions, part by part' });
  await lane.waitFor(waits);
  expect(await part.getByRole('toolbar').count()).toBe(1);
  const column = lane.getByRole('button');
  expect(await column.count()).toBe(1);
  expect(await column.getAttribute('aria-label')).toMatch(/^Decisions, 0:\d\d to 0:\d\d: 2 outcomes$/);
  await expectAccessible(page);
  // New outcomes of others appear without a reload.
  await tag(ben, { type: 'notes', text: 'of all', start: 100, end: 101 });
  await part.getByRole('toolbar', { name: 'Notes, part by part' }).waitFor(waits);

  await column.click();
  await segments(page).first().waitFor(waits);
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(19_000);
  expect((await sound(page)).ms).toBeLessThan(23_000);

  // A private outcome is shown to its author.
  const other = await stage.open(1, meeting);
  await other.getByRole('tab', { name: 'Analytics' }).click();
  await other.getByRole('toolbar', { name: 'Questions, part by part' }).waitFor(waits);
});
