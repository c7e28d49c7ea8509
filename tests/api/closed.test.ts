// A closed text: nobody changes it by any call, and annotating continues (docs/decisions, "A closed transcript").
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { multipart, zoomTranscript } from '../support/intake.ts';
import { share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const place = { start: 10, end: 12 };
const all = (id: string, by: Person, version: number) => ({
  edit: () => by.post(`/api/meetings/${id}/edit`, { pos: 0, old: 'a', new: 'b', version }),
  edits: () => by.post(`/api/meetings/${id}/edits`, { edits: [{ pos: 0, old: 'a', new: 'b' }], version }),
  put: () => by.put(`/api/meetings/${id}`, { meeting: { 'doc.title': 'Another' }, version }),
  rename: () => by.post(`/api/meetings/${id}/rename`, { title: 'Another' }),
  replace: () =>
    by.post(
      `/api/meetings/${id}/replace`,
      undefined,
      multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' }),
    ),
  restore: () => by.post(`/api/meetings/${id}/versions/0/restore`),
  process: () =>
    by.post(`/api/meetings/${id}/process`, {
      cost: 0,
      model: 'external',
      language: 'en',
      numberOfSpeakers: 2,
      title: 'a',
    }),
});

test('a closed text refuses every change, for everybody by what they could do before, and takes annotations', async () => {
  const [ann, ben, dana] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeRecording(house, ann, [ben]);
  await share(house, id, ben, roles.canEdit);
  await share(house, id, dana, roles.canComment);
  await share(house, id, 'anonymous', ['read', 'write']);
  const { closed, version } = (await ann.post(`/api/meetings/${id}/close`, { name: 'Final' })).body;

  const answersOf = async (by: Person) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(all(id, by, version)).map(async ([what, send]) => {
          const { status, problem } = await send();
          return [what, `${status} ${problem.code}`];
        }),
      ),
    );
  const words = ['edit', 'edits', 'put', 'rename', 'replace'];
  const are = (answer: string, owners: string) =>
    Object.fromEntries([...words.map((one) => [one, answer]), ['restore', owners], ['process', owners]]);
  expect(await answersOf(ann)).toEqual(are('409 CLOSED', '409 CLOSED'));
  expect(await answersOf(ben)).toEqual(are('409 CLOSED', '403 NO_PERM'));
  // The link lets dana write, too.
  expect(await answersOf(dana)).toEqual(are('409 CLOSED', '403 NO_PERM'));
  await house.database.sql`delete from meeting_access where meeting_id = ${id} and kind = 'anonymous'`;
  expect(await answersOf(dana)).toEqual(are('403 NO_PERM', '403 NO_PERM'));

  for (const one of [ann, ben, dana]) {
    const comment = { id: `of-${one.id}`, ...place, text: 'Still here' };
    expect((await one.post(`/api/meetings/${id}/comments`, comment)).status).toBe(200);
    const outcome = { id: `by-${one.id}`, ...place, type: 'decisions', text: 'Still here' };
    expect((await one.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
  }
  const now = (await ben.get(`/api/meetings/${id}`)).body;
  expect(now).toMatchObject({ version, closed });
  expect(now.permissions.toSorted()).toEqual(['comment', 'discover', 'history', 'read']);
  expect(now.doc.transcript.segments.every(({ isBlocked }: { isBlocked: boolean }) => isBlocked)).toBe(true);

  // Roles stay what they are: an owner still makes editors, and nobody is asked for a role they have.
  const sharing = (await ann.get(`/api/meetings/${id}/acl`)).body;
  expect(sharing.closed).toBe(true);
  const entries = [...sharing.acl.entries, { principal: { email: 'new@example.test' }, permissions: roles.canEdit }];
  expect((await ann.post(`/api/meetings/${id}/acl`, { entries, version: sharing.version })).status).toBe(200);
  expect((await ben.post(`/api/meetings/${id}/requestAccess`, { role: 'canEdit' })).status).toBe(202);
  expect((await ann.get(`/api/meetings/${id}/acl`)).body.requests).toEqual([]);

  expect((await ann.post(`/api/meetings/${id}/reopen`)).body.closed).toBe(null);
  expect((await ben.post(`/api/meetings/${id}/rename`, { title: 'Another' })).status).toBe(200);
  expect((await ben.get(`/api/meetings/${id}`)).body.permissions).toContain('write');
});

test('a person who closed a text and deletes their account leaves it closed, without their name', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeRecording(house, ann, []);
  await share(house, id, ben, roles.canEditShare);
  expect((await ben.post(`/api/meetings/${id}/close`, { name: 'Final' })).status).toBe(200);
  await house.database.sql`delete from users where id = ${ben.id}`;
  expect((await ann.get(`/api/meetings/${id}/about`)).body.closed).toMatchObject({ by: { id: ben.id, name: '' } });
  expect((await ann.post(`/api/meetings/${id}/rename`, { title: 'a' })).problem.code).toBe('CLOSED');
});
