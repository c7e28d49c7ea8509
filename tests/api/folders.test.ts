// Folders at the same moment, what is in them, and who may know of them.
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { intakes } from '#db/schema/intake.ts';
import { folders } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import { emptyTrash } from '#server/library/trash.ts';
import { sweepFolders } from '#server/library/folders.ts';
import type { FolderView } from '#shared/folders.ts';
import { newId } from '#shared/ids.ts';
import { folderLimits, nameKey } from '#shared/library.ts';
import { trashDays, type MeetingHit } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function make(person: Person, ...paths: string[]): Promise<FolderView[]> {
  const made: FolderView[] = [];
  for (const path of paths) {
    const { status, body, text } = await person.post('/api/folders', { path });
    expect(status, text).toBe(200);
    made.push(body as FolderView);
  }
  return made;
}
const paths = async (person: Person): Promise<string[]> =>
  ((await person.get('/api/folders')).body.folders as FolderView[]).map(({ path }) => path);
const list = async (person: Person, query: Record<string, string>) =>
  (await person.get(`/api/meetings?${new URLSearchParams(query)}`)).body as {
    hits: MeetingHit[];
    total: number;
    folders: FolderView[];
  };
const ids = async (person: Person, query: Record<string, string>) =>
  (await list(person, query)).hits.map(({ id }) => id).toSorted();
async function meeting(person: Person, folder: string, title = ''): Promise<string> {
  const id = await makeMeeting(house, person);
  if (title !== '') await person.post(`/api/meetings/${id}/rename`, { title });
  if (folder !== '/') expect((await person.put(`/api/meetings/${id}/move`, { path: folder })).status).toBe(204);
  return id;
}

describe('at the same moment', () => {
  test('two folders that are put into each other never both are', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ann = await house.person();
      await make(ann, '/a', '/b');
      const answers = await Promise.all([
        ann.post('/api/folders/move', { path: '/a', dest: '/b' }),
        ann.post('/api/folders/move', { path: '/b', dest: '/a' }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
      expect((await paths(ann)).length).toBe(2);
    }
  });

  test('and where no route asks first, the database itself refuses the circle', async () => {
    const ann = await house.person();
    const [a, b] = await make(ann, '/a', '/b');
    const put = (id = '', parentId = '') =>
      house.database.orm
        .update(folders)
        .set({ parentId })
        .where(eq(folders.id, id))
        .catch((error: unknown) => error);
    const results = await Promise.all([put(a?.id, b?.id), put(b?.id, a?.id)]);
    expect(results.filter((one) => one instanceof Error).length).toBe(1);
    expect((await paths(ann)).length).toBe(2);
    await expect(put(a?.id, a?.id)).resolves.toBeInstanceOf(Error);
  });

  test('nor does it let them lie too deep, or in a folder of another person', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const deepest = await make(
      ann,
      ...Array.from(
        { length: folderLimits.depth },
        (_, i) =>
          `/${Array(i + 1)
            .fill('a')
            .join('/')}`,
      ),
    );
    const insert = (ownerId: string, parentId: string) =>
      house.database.orm
        .insert(folders)
        .values({ id: newId(), ownerId, parentId, name: 'x', nameKey: nameKey('x'), createdAt: new Date() });
    await expect(insert(ann.id, deepest.at(-1)?.id ?? '')).rejects.toThrow();
    await expect(insert(ben.id, deepest[0]?.id ?? '')).rejects.toThrow();
    await insert(ann.id, deepest[0]?.id ?? '');
  });

  test('a name is used once', async () => {
    const ann = await house.person();
    const answers = await Promise.all(['/Plan', '/plan', '/PLAN'].map((path) => ann.post('/api/folders', { path })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
    expect((await paths(ann)).length).toBe(1);
  });

  test('a recording put into a folder that is being deleted is in the trash with it, or can still be found', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ann = await house.person();
      await make(ann, '/a');
      const id = await makeMeeting(house, ann);
      const [gone] = await Promise.all([
        ann.post('/api/folders/delete', { path: '/a' }),
        ann.put(`/api/meetings/${id}/move`, { path: '/a' }),
      ]);
      const living = await ids(ann, { folder: '/' });
      expect(living).toEqual(gone.body.meetings === 1 ? [] : [id]);
    }
  });
});

describe('the content of a folder', () => {
  test('is what lies in it; a search looks below it, and finds folders, too', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    await make(ann, '/Interviews', '/Interviews/Plan B', '/Else');
    const top = await meeting(ann, '/', 'Plan at the top');
    const first = await meeting(ann, '/Interviews', 'First plan');
    const below = await meeting(ann, '/Interviews/Plan B', 'Plan below');
    const other = await meeting(ann, '/Interviews/Plan B', 'Something');
    await make(ben, '/Secret');
    const shared = await meeting(ben, '/Secret', 'Plan of Ben');
    await share(house, shared, ann, roles.canRead);

    expect(await ids(ann, {})).toEqual([top, first, below, other, shared].toSorted());
    expect(await ids(ann, { folder: '/' })).toEqual([top, shared].toSorted());
    expect(await ids(ann, { folder: '/Interviews' })).toEqual([first]);
    const found = await list(ann, { folder: '/Interviews', query: 'PLAN', sort: 'title' });
    expect(found).toMatchObject({
      total: 2,
      hits: [
        { id: first, folder: '/Interviews' },
        { id: below, folder: '/Interviews/Plan B' },
      ],
      folders: [{ path: '/Interviews/Plan B', meetings: 2 }],
    });
    expect((await list(ann, { folder: '/' })).folders).toMatchObject([
      { name: 'Else', meetings: 0 },
      { name: 'Interviews', meetings: 3, folders: 1 },
    ]);
    // The folder in which Ben keeps it is not shown to others.
    const bens = (await list(ann, { query: 'ben' })).hits;
    expect(bens).toMatchObject([{ id: shared, folder: null }]);
    expect(JSON.stringify(bens)).not.toContain('Secret');
  });

  test('folders of other people are not shown, and no answer tells whether they exist', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const [secret] = await make(ben, '/Secret');
    await meeting(ben, '/Secret');
    const told = async (path: string, sid: string | undefined) =>
      Promise.all(
        [
          ann.get(`/api/meetings?folder=${encodeURIComponent(path)}`),
          ann.get(`/api/meetings?shared_folder=${sid}`),
          ann.post('/api/folders', { path: `${path}/b` }),
          ann.post('/api/folders/breadcrumbs', { path, sid }),
          ann.post('/api/folders/rename', { path, sid, name: 'x' }),
          ann.post('/api/folders/move', { path, sid, dest: '/' }),
          ann.post('/api/folders/delete', { path, sid }),
          ann.post('/api/folders/restore', { id: sid }),
          ann.post('/api/meetings/move', { ids: ['x'], path, sid }),
        ].map(async (asked) => {
          const { status, problem } = await asked;
          return [status, problem?.code, problem?.message];
        }),
      );
    const real = await told('/Secret', secret?.id);
    expect(real).toEqual(await told('/Nothing', newId()));
    expect(real.every(([status]) => status === 403)).toBe(true);
    expect(await paths(ben)).toEqual(['/Secret']);
  });
});

describe('a deleted folder', () => {
  test('whose parent was deleted for good is restored at the top, with its content', async () => {
    const ann = await house.person();
    const [a, b] = await make(ann, '/a', '/a/b');
    const kept = await meeting(ann, '/a/b');
    await ann.post('/api/folders/delete', { path: '/a/b' });
    await ann.post('/api/folders/delete', { path: '/a' });
    const answer = await ann.post('/api/deleted/remove', { ids: [a?.id] });
    expect(answer.body).toMatchObject({ done: [a?.id] });
    expect((await ann.get('/api/deleted')).body.items).toMatchObject([{ id: b?.id }]);
    expect((await ann.post('/api/folders/restore', { id: b?.id })).body).toMatchObject({ path: '/b', meetings: 1 });
    expect(await ids(ann, { folder: '/b' })).toEqual([kept]);
  });

  test('goes for good after thirty days with what was in it, and what was brought out of it stays', async () => {
    const ann = await house.person();
    const [a] = await make(ann, '/a', '/a/b');
    const [gone, kept] = [await meeting(ann, '/a/b'), await meeting(ann, '/a/b')];
    await ann.post('/api/folders/delete', { path: '/a' });
    expect((await ann.post(`/api/meetings/${kept}/restore`)).status).toBe(204);
    expect(await ids(ann, { folder: '/' })).toEqual([kept]);
    const deletedAt = new Date(house.clock.now().getTime() - (trashDays + 1) * 86_400_000);
    await house.database.orm.update(folders).set({ deletedAt }).where(eq(folders.ownerId, ann.id));
    await house.database.orm.update(meetings).set({ deletedAt }).where(eq(meetings.id, gone));
    expect((await ann.post('/api/folders/restore', { id: a?.id })).problem.code).toBe('NO_ACCESS');
    await emptyTrash(house.house);
    await sweepFolders(house.house);
    expect(await house.database.orm.select().from(folders).where(eq(folders.ownerId, ann.id))).toEqual([]);
    expect(await ids(ann, {})).toEqual([kept]);
  });

  test('ends what was being made of its recordings, and leaves alone what is only being added', async () => {
    const ann = await house.person();
    await make(ann, '/a');
    const [working, draft] = [await meeting(ann, '/a'), await meeting(ann, '/a')];
    const intake = { ownerId: ann.id, requestDigest: Buffer.alloc(1), title: 'x', model: 'external', lang: 'en-US' };
    const more = { speakers: 2, vocabulary: '', createdAt: new Date() };
    await house.database.orm.insert(intakes).values([
      { ...intake, ...more, meetingId: working, requestId: newId(), state: 'processing' },
      { ...intake, ...more, meetingId: draft, requestId: newId(), state: 'created' },
    ]);
    expect((await ann.post('/api/folders/delete', { path: '/a' })).body).toMatchObject({ meetings: 1 });
    const states = await house.database.orm
      .select({ id: intakes.meetingId, state: intakes.state, gone: sql<boolean>`deleted_at is not null` })
      .from(intakes)
      .innerJoin(meetings, eq(meetings.id, intakes.meetingId))
      .where(eq(intakes.ownerId, ann.id));
    expect(new Map(states.map(({ id, ...rest }) => [id, rest]))).toEqual(
      new Map([
        [working, { state: 'failed', gone: true }],
        [draft, { state: 'created', gone: false }],
      ]),
    );
  });

  test('goes with its owner', async () => {
    const ann = await house.person();
    await make(ann, '/a', '/a/b');
    await meeting(ann, '/a/b');
    await ann.post('/api/principals/me/delete', { reason: 'taskCompleted', password: ann.password });
    expect(await house.database.orm.select().from(folders).where(eq(folders.ownerId, ann.id))).toEqual([]);
  });
});

test('a recording that is added while a folder is open lands in it', async () => {
  const ann = await house.person();
  await make(ann, '/Interviews', '/Interviews/2026');
  const add = (folder: string) => {
    const form = new FormData();
    form.set('model', 'external');
    form.set('title', 'Interview 4');
    form.set('transcriptType', 'ZOOM');
    form.set('transcript', new Blob(['WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nAnn: Hello.\n']), 'a.vtt');
    form.set('folder', folder);
    return fetch(`${ann.origin}/api/meetings-fast`, {
      method: 'POST',
      body: form,
      headers: {
        'X-Request-ID': newId(),
        Origin: ann.origin,
        Cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
  };
  const made = await add('/Interviews/2026');
  expect(made.status, await made.clone().text()).toBe(200);
  const { id, costs } = (await made.json()) as { id: string; costs: { cost: number }[] };
  // A draft whose payment is not chosen yet is in no list.
  expect((await list(ann, { folder: '/' })).folders).toMatchObject([{ meetings: 0 }]);
  await ann.post(`/api/meetings/${id}/process`, { cost: costs[0]?.cost });
  expect(await ids(ann, { folder: '/Interviews/2026' })).toEqual([id]);
  expect((await add('/Nowhere')).status).toBe(403);
  expect((await add('/../a')).status).toBe(422);
});
