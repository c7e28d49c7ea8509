// A2a, and S2 of the promises: when a permission ends, waiting writes over REST that need it end, too.
import type { TransactionSql } from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessesOf, standingOf, type Holder, type Standing } from '#db/access.ts';
import { hashOf } from '#server/keys.ts';
import { newId } from '#shared/ids.ts';
import { permissions, roles, type Permission } from '#shared/roles.ts';
import { closeEditors, stored, until } from '../support/editors.ts';
import { giveFolder, makeFolders, meetingIn } from '../support/folders.ts';
import { makeGroup } from '../support/groups.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { multipart, zoomTranscript } from '../support/intake.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Answer, Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house.close());

const place = { start: 10, end: 12 };
const people = async (): Promise<[Person, Person]> => (await house.people(2)) as [Person, Person];

/** Waits until a statement like this one waits for a lock. */
const waits = (like: string) =>
  until(async () => {
    const rows = await house.database.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike ${like}`;
    return rows.length > 0;
  });
const append = '%request_answers%';

/** Holds a lock in a transaction of its own while `work` runs. */
async function holding<T extends object>(
  lock: (tx: TransactionSql) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const done: { result?: T } = {};
  await house.database.sql.begin(async (tx) => {
    await lock(tx);
    done.result = await work();
  });
  return done.result as T;
}
const lastOf = async (room: string) => {
  const [row] = await house.database.sql<{ seq: string }[]>`select seq from rooms where name = ${room}`;
  return Number(row?.seq ?? 0);
};
const acl = async (by: Person, id: string, entries: object[] = []): Promise<Answer> => {
  const { body } = await by.get(`/api/meetings/${id}/acl`);
  return by.post(`/api/meetings/${id}/acl`, { entries, version: body.version });
};

interface Scene {
  ann: Person;
  ben: Person;
  id: string;
  version: number;
  first: string;
}
async function scene(): Promise<Scene> {
  const [ann, ben] = await people();
  const id = await makeRecording(house, ann, [ben]);
  const { body } = await ben.get(`/api/meetings/${id}`);
  // Made beforehand, so that the write waits for their row.
  expect((await ben.post(`/api/meetings/${id}/comments`, { id: 'before', ...place, text: 'Before' })).status).toBe(200);
  const own = { id: 'own', ...place, text: 'Mine', private: true };
  expect((await ben.post(`/api/meetings/${id}/comments`, own)).status).toBe(200);
  const tagged = { outcome: { id: 'tag', ...place, type: 'decisions', text: 'Before' } };
  expect((await ben.post(`/api/meetings/${id}/outcomes`, tagged)).status).toBe(200);
  return { ann, ben, id, version: body.version, first: body.doc.transcript.segments[0].text };
}

interface Write {
  what: string;
  /** The room that is written, behind the meeting's id. */
  room: (scene: Scene) => string;
  send: (scene: Scene) => Promise<Answer>;
}
const comments = () => 'comments';
const outcomes = () => 'outcomes';
const own = ({ ben }: Scene) => `notes/${ben.id}`;
const notes = JSON.stringify({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Late' }] }],
});
const writes: Write[] = [
  {
    what: 'a comment',
    room: comments,
    send: ({ ben, id }) => ben.post(`/api/meetings/${id}/comments`, { id: 'late', ...place, text: 'Late' }),
  },
  {
    what: 'a change of a comment',
    room: comments,
    send: ({ ben, id }) => ben.post(`/api/meetings/${id}/comments/before/update`, { text: 'Late' }),
  },
  {
    what: 'the deletion of one',
    room: comments,
    send: ({ ben, id }) => ben.delete(`/api/meetings/${id}/comments/before`),
  },
  {
    what: 'what is revealed',
    room: comments,
    send: ({ ben, id }) => ben.post(`/api/meetings/${id}/outcomes/own/reveal/comment`),
  },
  {
    what: 'many outcomes at once',
    room: outcomes,
    send: ({ ben, id, version }) =>
      ben.post(`/api/meetings/${id}/outcomes/update`, {
        edits: [{ id: 'tag', field: 'text', value: 'Late' }],
        version,
      }),
  },
  { what: 'notes', room: own, send: ({ ben, id }) => ben.put(`/api/meetings/${id}/notes`, { text: notes }) },
];

describe('a person who loses access while they wait for the room', () => {
  test.each(writes)('$what is not stored', async ({ room, send }) => {
    const there = await scene();
    const { ann, ben, id } = there;
    const name = `${id}/${room(there)}`;
    const before = await lastOf(name);
    const { sent } = await holding(
      (tx) => tx`select 1 from rooms where name = ${name} for update`,
      async () => {
        const sent = send(there);
        await waits(append);
        // A write that waits for a room does not keep others from ending its author's access.
        expect((await acl(ann, id)).status).toBe(200);
        expect((await ben.get(`/api/meetings/${id}/about`)).status).toBe(403);
        return { sent };
      },
    );
    const answer = await sent;
    expect([answer.status, answer.body.code], answer.text).toEqual([403, 'NO_ACCESS']);
    expect(await lastOf(name)).toBe(before);
  });
});

describe('an edit that waits for the change of rights itself', () => {
  const change = async (there: Scene, entries: object[], send: () => Promise<Answer>): Promise<[Answer, Answer]> => {
    const { ann, id } = there;
    const { changed, sent } = await holding(
      (tx) => tx`select 1 from meeting_access where meeting_id = ${id} for update`,
      async () => {
        const changed = acl(ann, id, entries);
        await waits('%meeting_access%');
        const sent = send();
        await waits(append);
        return { changed, sent };
      },
    );
    return [await changed, await sent];
  };
  const edit = ({ ben, id, version, first }: Scene) =>
    ben.post(`/api/meetings/${id}/edit`, { pos: 0, old: first, new: 'Ben was here', version });
  const reads = ({ ben }: Scene) => [{ principal: { id: ben.id, kind: 'user' }, permissions: [...roles.canRead] }];

  test.each([
    { left: 'no right', entries: () => [], code: 'NO_ACCESS' },
    { left: 'the right to read', entries: reads, code: 'NO_PERM' },
  ])('is not stored behind it where $left is left', async ({ entries, code }) => {
    const there = await scene();
    const [changed, edited] = await change(there, entries(there), () => edit(there));
    expect(changed.status, changed.text).toBe(200);
    expect([edited.status, edited.body.code], edited.text).toEqual([403, code]);
    expect((await stored(house.database.sql, `${there.id}/transcript`)).text).not.toContain('Ben was here');
    expect(await lastOf(`${there.id}/transcript`)).toBe(changed.body.version);
  });

  test('is stored if it was another person who came or went', async () => {
    const there = await scene();
    const cat = await house.person('Cat');
    await share(house, there.id, cat, roles.canRead);
    const still = [{ principal: { id: there.ben.id, kind: 'user' }, permissions: [...roles.canEdit] }];
    const [changed, edited] = await change(there, still, () => edit(there));
    expect([changed.status, edited.status], edited.text).toEqual([200, 200]);
    expect((await stored(house.database.sql, `${there.id}/transcript`)).text).toContain('Ben was here');
  });
});

describe('a restored version', () => {
  test.each<{ what: string; send: (there: Scene) => Promise<Answer> }>([
    {
      what: 'from a file',
      send: ({ ben, id }) =>
        ben.post(
          `/api/meetings/${id}/replace`,
          undefined,
          multipart({ transcript: { fileName: 'b.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' }),
        ),
    },
    {
      what: 'from its history',
      send: ({ ben, id, version }) => ben.post(`/api/meetings/${id}/versions/${version}/restore`),
    },
  ])('$what is not stored for a person who is removed meanwhile', async ({ send }) => {
    const there = await scene();
    const { ann, ben, id, version, first } = there;
    await share(house, id, ben, roles.canEditShare);
    const edited = await ann.post(`/api/meetings/${id}/edit`, { pos: 0, old: first, new: 'Another text', version });
    expect(edited.status, edited.text).toBe(200);
    const room = `${id}/transcript`;
    const { sent } = await holding(
      (tx) => tx`select 1 from rooms where name = ${room} for update`,
      async () => {
        const sent = send(there);
        await waits('%generation = r.generation + 1%');
        await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
        return { sent };
      },
    );
    const answer = await sent;
    expect([answer.status, answer.body.code], answer.text).toEqual([403, 'NO_ACCESS']);
    const [row] = await house.database.sql`select generation from rooms where name = ${room}`;
    expect(row).toMatchObject({ generation: 1 });
  });
});

interface Ending {
  ben: Person;
  id: string;
  end: () => Promise<{ status: number } | object>;
}
/** Adds one comment of Ben's to a recording that Ben may open already. */
async function letIn(id: string, ben: Person): Promise<string> {
  const said = await ben.post(`/api/meetings/${id}/comments`, { id: 'before', ...place, text: 'Before' });
  expect(said.status, said.text).toBe(200);
  return id;
}
async function inGroup(): Promise<Ending & { ann: Person; group: string }> {
  const [ann, ben] = await people();
  const id = await makeMeeting(house, ann);
  const group = await makeGroup(ann, [ben]);
  await house.database.sql`insert into meeting_access (meeting_id, kind, principal_id, permissions)
    values (${id}, 'group', ${group}, ${[...roles.canEdit]})`;
  await letIn(id, ben);
  return { ann, ben, id, group, end: () => ben.post(`/api/groups/${group}/leave`) };
}
async function inFolder(): Promise<Ending & { ann: Person }> {
  const [ann, ben] = await people();
  const [, below = ''] = await makeFolders(ann, '/Talks', '/Talks/Autumn');
  const [above = ''] = await house.database.sql<{ parentId: string }[]>`
    select parent_id as "parentId" from folders where id = ${below}`.then((rows) => rows.map((row) => row.parentId));
  await giveFolder(house, above, ben, roles.canEdit);
  const id = await letIn(await meetingIn(house, below, ann), ben);
  return { ann, ben, id, end: () => ann.post('/api/folders/unshare', { path: '/Talks' }) };
}
async function byName(end: (there: Scene) => Promise<Answer>): Promise<Ending> {
  const there = await scene();
  return { ...there, end: () => end(there) };
}
const ends: { what: string; code: string; begin: () => Promise<Ending> }[] = [
  { what: 'the session', code: 'UNAUTH', begin: () => byName(({ ben }) => ben.post('/api/logout')) },
  {
    what: 'the token',
    code: 'UNAUTH',
    begin: async () => {
      const { ben, id } = await scene();
      const { body } = await ben.post('/api/tokens', { name: 'Program' });
      const program = ben.by(Number(new URL(house.origin).port));
      program.cookies.clear();
      program.token = body.token;
      return { ben: program, id, end: () => ben.delete(`/api/tokens/${body.id}`) };
    },
  },
  {
    what: 'the account',
    code: 'UNAUTH',
    begin: () =>
      byName(({ ben }) => ben.post('/api/principals/me/delete', { password: ben.password, reason: 'taskCompleted' })),
  },
  { what: 'the entry', code: 'NO_ACCESS', begin: () => byName(({ ann, id }) => acl(ann, id)) },
  { what: 'the recording', code: 'NO_ACCESS', begin: () => byName(({ ann, id }) => ann.delete(`/api/meetings/${id}`)) },
  {
    what: 'the link',
    code: 'NO_ACCESS',
    begin: async () => {
      const [ann, ben] = await people();
      const id = await makeMeeting(house, ann);
      await share(house, id, 'anonymous', roles.canEdit);
      await letIn(id, ben);
      return { ben, id, end: () => acl(ann, id) };
    },
  },
  { what: 'being in a group', code: 'NO_ACCESS', begin: inGroup },
  {
    what: 'the group',
    code: 'NO_ACCESS',
    begin: async () => {
      const there = await inGroup();
      return { ...there, end: () => there.ann.post(`/api/groups/${there.group}/deactivate`) };
    },
  },
  { what: 'the sharing of a folder above', code: 'NO_ACCESS', begin: inFolder },
  {
    what: 'lying in that folder',
    code: 'NO_ACCESS',
    begin: async () => {
      const there = await inFolder();
      return { ...there, end: () => there.ann.put(`/api/meetings/${there.id}/move`, { path: '/' }) };
    },
  },
];

const holderOf = async (ben: Person, id: string): Promise<Holder> => {
  const secret = ben.cookies.get('colloquy');
  const [token] = secret
    ? []
    : await house.database.sql<{ id: string }[]>`select id from api_tokens where hash = ${hashOf(ben.token ?? '')}`;
  const userId = ben.id || (await ben.whoami()).body.principal.id;
  const [held] = await accessesOf(house.database.sql, [{ meetingId: id, userId }]);
  const proof = secret ? { session: hashOf(secret) } : { token: token?.id ?? '' };
  return { meetingId: id, userId, browser: null, proof, held: held ?? new Set() };
};
const standing = async (sql: TransactionSql, holder: Holder): Promise<Standing | undefined> => {
  const [row] = await sql<{ standing: Standing }[]>`select ${standingOf(sql, holder)} as standing`;
  return row?.standing;
};
const done = (answer: object | undefined) =>
  expect((answer as Answer).status, (answer as Answer).text).toBeLessThan(300);

describe.each(ends)('where $what ends', ({ code, begin }) => {
  test('a write that waits for its room is not stored', async () => {
    const { ben, id, end } = await begin();
    const name = `${id}/comments`;
    const before = await lastOf(name);
    const { sent } = await holding(
      (tx) => tx`select 1 from rooms where name = ${name} for update`,
      async () => {
        const sent = ben.post(`/api/meetings/${id}/comments`, { id: 'late', ...place, text: 'Late' });
        await waits(append);
        done(await end());
        return { sent };
      },
    );
    const answer = await sent;
    expect(answer.body.code, answer.text).toBe(code);
    expect(await lastOf(name)).toBe(before);
  });

  test('the end of the right is not answered before the writes under way are stored', async () => {
    const { ben, id, end } = await begin();
    const holder = await holderOf(ben, id);
    const { ended } = await holding(
      async (tx) => expect(await standing(tx, holder)).toBe('held'),
      async () => {
        const ended = end();
        await waits('%');
        return { ended };
      },
    );
    done(await ended);
    expect(await house.database.sql.begin((tx) => standing(tx, holder))).toBe(code === 'UNAUTH' ? 'out' : 'less');
  });
});

test('a write that has the room does not wait for a change of rights under way', async () => {
  const { ann, ben, id } = await inGroup();
  const holder = await holderOf(ben, id);
  const { sql } = house.database;
  const locks: ((tx: TransactionSql) => Promise<unknown>)[] = [
    (tx) => tx`select 1 from meetings where id = ${id} for update`,
    (tx) => tx`select 1 from meetings where id = ${id} for no key update`,
    (tx) => tx`select 1 from users where id = ${ben.id} for update`,
    (tx) => tx`delete from sessions where user_id = ${ben.id}`,
    (tx) => tx`delete from group_members where user_id = ${ben.id}`,
    (tx) => tx`update groups set archived_at = now() where id in (select id from groups_of(${ben.id}))`,
  ];
  for (const lock of locks) {
    await sql
      .begin(async (tx) => {
        await lock(tx);
        expect(await sql.begin((other) => standing(other, holder))).toBe('busy');
        throw new Error('back');
      })
      .catch((error: unknown) => expect(String(error)).toContain('back'));
    expect(await sql.begin((tx) => standing(tx, holder))).toBe('held');
  }
  // The write waits for the outcome of the change, and is judged by it.
  const { sent } = await holding(
    (tx) =>
      tx`delete from meeting_access where meeting_id = ${id}`.then(
        () => tx`select 1 from meetings where id = ${id} for update`,
      ),
    async () => {
      const sent = ben.post(`/api/meetings/${id}/comments`, { id: 'late', ...place, text: 'Late' });
      await waits('select 1 from meetings where id = %for share%');
      return { sent };
    },
  );
  expect((await sent).body.code).toBe('NO_ACCESS');
  expect((await ann.get(`/api/meetings/${id}`)).text).not.toContain('Late');
});

test('the statement that stores asks for the same rights as everything else', async () => {
  const [ann, ben] = await people();
  const { sql } = house.database;
  const group = await makeGroup(ann, [ben]);
  const [above = '', below = ''] = await makeFolders(ann, '/Other', '/Other/Below');
  let [more, less] = [0, 0];
  for (let round = 0; round < 40; round += 1) {
    const some = (): Permission[] => permissions.filter(() => Math.random() < 0.4);
    const id = await makeMeeting(house, round % 9 === 0 ? ben : ann);
    if (Math.random() < 0.5)
      await sql`update meetings set folder_id = ${Math.random() < 0.5 ? above : below} where id = ${id}`;
    const entries = [
      ['user', ben.id],
      ['user', ann.id],
      ['pending', ben.email],
      ['pending', 'somebody@else.example'],
      ['group', group],
      ['group', newId()],
      ['anonymous', ''],
    ];
    for (const [kind = '', principal = ''] of entries)
      if (Math.random() < 0.3)
        await sql`
          insert into meeting_access (meeting_id, kind, principal_id, permissions, expires_at, code_id)
          values (${id}, ${kind}, ${principal}, ${some()},
            ${kind === 'anonymous' && Math.random() < 0.3 ? '2020-01-01T00:00:00Z' : null}::timestamptz,
            ${kind === 'anonymous' && Math.random() < 0.3 ? 'code' : null}::text)`;
    if (Math.random() < 0.5)
      await sql`insert into link_passes (meeting_id, holder, code_id, expires_at)
        values (${id}, ${Math.random() < 0.5 ? `u:${ben.id}` : 'b:browser'}, 'code', now() + interval '1 hour')`;
    await sql`delete from folder_access`;
    for (const folder of [above, below])
      for (const [kind = '', principal = ''] of entries.slice(0, 6))
        if (Math.random() < 0.1)
          await sql`insert into folder_access (folder_id, kind, principal_id, permissions)
            values (${folder}, ${kind}, ${principal}, ${some()})`;
    const browser = Math.random() < 0.5 ? 'browser' : null;
    const [found] = await accessesOf(sql, [{ meetingId: id, userId: ben.id, browser }]);
    const held = found ?? new Set<Permission>();
    const holder = await holderOf(ben, id);
    for (const permission of permissions) {
      const asked = { ...holder, browser, held: new Set<Permission>(['read', permission]) };
      const both = held.has('read') && held.has(permission);
      const stands = await sql.begin((tx) => standing(tx, asked));
      expect([permission, stands], [...held].join(' ')).toEqual([permission, both ? 'held' : 'less']);
      if (both) more += 1;
      else less += 1;
    }
  }
  expect(Math.min(more, less)).toBeGreaterThan(5);
});
