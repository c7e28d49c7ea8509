// My changes (client/finding/actions.tsx), with moves and changes of folders; and the tags of all recordings (tags.tsx).
import { expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { makeMeeting } from '../support/meetings.ts';
import type { SharedHouse } from '../support/house.ts';
import { tagged, tagsOf } from '../support/tags.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('what was moved, renamed and deleted is listed, and undone by mouse and by keyboard', async () => {
  const ann = await house.person();
  const good = async (answer: ReturnType<typeof ann.post>) => {
    const { status, text } = await answer;
    expect(status, text).toBeLessThan(300);
  };
  for (const path of ['/Plans', '/Old']) await good(ann.post('/api/folders', { path }));
  const ids = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
  await good(ann.post('/api/meetings/move', { ids, path: '/Plans' }));
  await good(ann.post('/api/folders/rename', { path: '/Plans', name: 'Ideas' }));
  await good(ann.post('/api/folders/move', { path: '/Old', dest: '/Ideas' }));
  await good(ann.post('/api/folders/delete', { path: '/Ideas' }));
  await good(ann.post('/api/folders', { path: '/Team' }));
  const entries = [{ principal: { kind: 'pending', email: 'ben@example.test' }, permissions: ['read'] }];
  await good(ann.post('/api/folders/share', { path: '/Team', entries, version: 0 }));

  const page = await desk.seat(ann);
  await page.goto('/');
  await page.getByRole('link', { name: 'My changes' }).click();
  const list = page.getByRole('list', { name: 'My changes' });
  await list.getByText('Folder “Ideas” deleted').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(5);
  await list.getByText('2 recordings').first().waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo: Access to the folder “Team” changed' }).click();
  await list.getByText('Undone').waitFor();
  expect((await ann.get('/api/folders')).body.folders[0].sid).toBeNull();
  // Out of order, it says why it is not undone.
  await page.getByRole('button', { name: 'Undo: Folder “Old” moved' }).click();
  await page.getByText('It was changed since, so it can’t be undone.').waitFor();
  await page.getByRole('button', { name: 'Undo: Folder “Ideas” deleted' }).click();
  await expect.poll(() => list.getByText('Undone').count()).toBe(2);

  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/actions');
  const move = phone.getByRole('button', { name: 'Undo: Moved to “Plans”' });
  await move.focus();
  await phone.keyboard.press('Enter');
  await phone.getByText('2 changes undone').waitFor();
  await expect.poll(() => move.count()).toBe(0);
  await expectAccessible(phone);
  const { body } = await ann.get('/api/meetings?folder=/');
  expect(body.hits.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
});

it('a tag is renamed, merged with another one and deleted in all recordings, and undone', async () => {
  const ann = await house.person();
  const one = await tagged(house, ann, ['idea', 'plan']);
  const two = await tagged(house, ann, ['ideas']);
  const page = await desk.seat(ann);
  await page.goto('/');
  await page.getByRole('link', { name: 'Tags' }).click();
  const list = page.getByRole('list', { name: 'Tags' });
  await list.getByRole('link', { name: 'ideas' }).waitFor();
  expect(await list.getByRole('listitem').count()).toBe(3);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rename the tag “ideas”' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill('idea');
  await page.keyboard.press('Enter');
  const said = (text: string) => page.getByRole('paragraph').filter({ hasText: text });
  await page.getByText('“ideas” is now “idea” in 1 recording.').first().waitFor();
  expect(await tagsOf(ann, two)).toEqual(['idea']);
  // Its count follows as soon as both are indexed.
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
  await list.getByRole('listitem').filter({ hasText: 'idea' }).getByText('2 recordings').waitFor();
  expect(await said('Still indexing').count()).toBe(0);

  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/tags');
  const remove = phone.getByRole('button', { name: 'Delete the tag “idea”' });
  await remove.focus();
  await phone.keyboard.press('Enter');
  await phone.getByText('“idea” deleted from 2 recordings.').first().waitFor();
  expect([await tagsOf(ann, one), await tagsOf(ann, two)]).toEqual([['plan'], []]);
  await expectAccessible(phone);
  await phone.getByRole('button', { name: 'Undo' }).click();
  await phone.getByText('2 changes undone').first().waitFor();
  expect([await tagsOf(ann, one), await tagsOf(ann, two)]).toEqual([['idea', 'plan'], ['idea']]);
  await phone.goto('/actions');
  await phone.getByRole('list', { name: 'My changes' }).getByText('“ideas” changed to “idea”').waitFor();
});
