// Grades over time: a figure for each competency, whose points say what was given and lead to the report.
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeRecording } from '../support/recording.ts';
import { gradeStudent } from '../support/reviews.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('a student sees a point for each report, reached by keyboard, on a phone', async () => {
  const [leader, student, mentor] = [await house.person('Ann'), await house.person('Chen'), await house.person('Ben')];
  const empty = await desk.seat(student);
  await empty.goto('/growth');
  await empty.getByRole('heading', { name: 'No report yet' }).waitFor(patient);
  for (const grade of [1, 4]) {
    const id = await makeRecording(house, leader);
    await gradeStudent({ leader, student, mentor }, id, { student: 3, mentor: grade });
  }
  const page = await desk.seat(student, { width: 'phone' });
  await page.goto('/growth');
  const figure = page.getByRole('region', { name: 'Trust and safety' });
  await figure.waitFor(patient);
  const points = figure.getByRole('link');
  expect(await points.count()).toBe(2);
  expect(await points.first().getAttribute('aria-label')).toMatch(/; 1: .+; self-assessment 3: /);
  await expectAccessible(page);
  await expectReadable(page);
  await points.last().focus();
  await page.keyboard.press('Enter');
  // The report leads back to the person's grades.
  await page.getByRole('link', { name: 'Grades over time' }).click(patient);
  await page.getByText('Person assessed: Chen Test').waitFor(patient);
  expect(page.url()).toContain('/growth?person=');
});
