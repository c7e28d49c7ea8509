// The hint on the head of a column, and its delay.
import { expect, it } from 'vitest';
import { Stage } from '../support/document-page.ts';

const stage = new Stage(1);

it('a column that can be sorted says so after 300 ms', async () => {
  await stage.recording();
  const page = await stage.desk.seat(stage.person(0));
  await page.clock.install();
  await page.goto('/');
  const head = page.getByRole('columnheader', { name: 'Length' });
  await head.waitFor();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await head.getByRole('button').hover();
  await page.clock.runFor(299);
  expect(await page.getByRole('tooltip').count()).toBe(0);
  await page.clock.runFor(1);
  const told = page.getByRole('tooltip');
  await told.waitFor();
  expect(await told.textContent()).toBe('Sort');
  await head.getByRole('button').click();
  await expect.poll(() => head.getAttribute('aria-sort')).not.toBeNull();
});
