import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { glossariesAnswer, glossaryAnswer, glossaryLimits } from '#shared/glossary.ts';
import { roles } from '#shared/roles.ts';
import { giveFolder, makeFolders } from '#tests/support/folders.ts';
import { makeGroup } from '#tests/support/groups.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const nobody = { when: 'a session that is none', as: 'nobody' as const, status: 401, code: 'UNAUTH' as const };
const colloquy = { term: 'Colloquy', heard: ['colic key'] };
const add = (...terms: object[]) => ({ add: terms });
const change = (person: Person, body: object, kind = 'person', id = person.id) =>
  person.put(`/api/glossaries/${kind}/${id}`, body);
const mine = async ({ caller }: Scene) => ({ kind: 'person', id: caller.id });
const refused = (when: string, body: object, fields: Record<string, string>): Row => ({
  ...{ when, as: 'session', params: mine, body, status: 422, code: 'INVALID', fields },
});
const folderOf =
  (permissions: (typeof roles)[keyof typeof roles]) =>
  async ({ house, caller, person }: Scene) => {
    const ben = await person();
    const [id = ''] = await makeFolders(ben, '/Board');
    await giveFolder(house, id, caller, permissions);
    expect((await change(ben, add(colloquy), 'folder', id)).status).toBe(200);
    return { kind: 'folder', id };
  };

export default {
  'GET /api/glossaries': [
    nobody,
    unknownParameter,
    {
      when: 'nothing was kept yet',
      as: 'session',
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) =>
        expect(body).toEqual({ glossaries: [{ kind: 'person', id: caller.id, name: '', mayAdd: true, terms: [] }] }),
    },
    {
      when: 'one’s own, those of groups, and of folders that one sees; none of other people',
      as: 'token',
      query: async ({ house, caller, person }: Scene) => {
        const [ben, cara] = [await person(), await person('Cara')];
        await change(cara, add({ term: 'Secret' }));
        await makeGroup(ben, [caller], `Board ${caller.id}`);
        const [shown = '', hidden = ''] = await makeFolders(ben, '/Shown', '/Hidden');
        await giveFolder(house, shown, caller, roles.canRead);
        for (const id of [shown, hidden]) await change(ben, add({ term: `In ${id}` }), 'folder', id);
        await change(caller, add(colloquy, { term: 'Ann-Lee' }));
        return '';
      },
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => {
        expect(glossariesAnswer.parse(body).glossaries).toMatchObject([
          {
            kind: 'person',
            terms: [
              { term: 'Ann-Lee', heard: [] },
              { term: 'Colloquy', mayRemove: true, heard: [{ text: 'colic key', mayRemove: true }] },
            ],
          },
          { kind: 'folder', name: 'Shown', mayAdd: false, terms: [{ by: 'Ben Test', mayRemove: false }] },
          { kind: 'group', name: `Board ${caller.id}`, mayAdd: true, terms: [] },
        ]);
      },
    },
  ],
  'GET /api/meetings/:id/glossaries': [
    { ...nobody, status: 401 },
    { when: 'no such recording', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      ...unknownParameter,
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
    },
    {
      when: 'a recording in a folder within a folder: from the inside out',
      as: 'session',
      params: async ({ house, caller }: Scene) => {
        const id = await makeMeeting(house, caller);
        await makeFolders(caller, '/Work', '/Work/Board', '/Else');
        expect((await caller.put(`/api/meetings/${id}/move`, { path: '/Work/Board' })).status).toBe(204);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(glossariesAnswer.parse(body).glossaries.map(({ kind, name }) => [kind, name])).toEqual([
          ['person', ''],
          ['folder', 'Board'],
          ['folder', 'Work'],
        ]),
    },
  ],
  'PUT /api/glossaries/:kind/:id': [
    { ...nobody, body: add(colloquy) },
    refused('nothing to do', {}, { add: 'required' }),
    refused('no term', add({ term: ' ' }), { 'add.0.term': 'required' }),
    refused('a term too long', add({ term: 'x'.repeat(101) }), { 'add.0.term': 'too_long' }),
    refused('a term of signs alone', add({ term: '--' }), { 'add.0.term': 'name' }),
    refused('a term that reads backwards', add({ term: 'a\u202Eb' }), { 'add.0.term': 'name' }),
    refused('a misheard form too long', add({ term: 'x', heard: ['x'.repeat(101)] }), { 'add.0.heard.0': 'too_long' }),
    refused('too many terms at once', add(...Array.from({ length: 101 }, (_, n) => ({ term: `t${n}` }))), {
      add: 'too_many',
    }),
    {
      ...refused('too many misheard forms', add({ term: 'Ann', heard: ['an', 'and'] }), { 'add.0.heard': 'too_many' }),
      params: async (scene: Scene) => {
        const heard = Array.from({ length: 9 }, (_, n) => `ann${n}`);
        expect((await change(scene.caller, add({ term: 'Ann', heard }))).status).toBe(200);
        return mine(scene);
      },
    },
    {
      ...refused('more terms than a glossary has', add({ term: 'One more' }), { add: 'too_many' }),
      params: async (scene: Scene) => {
        for (let n = 0; n < glossaryLimits.terms; n += glossaryLimits.atOnce) {
          const terms = Array.from({ length: glossaryLimits.atOnce }, (_, k) => ({ term: `Term ${n + k}` }));
          expect((await change(scene.caller, add(...terms))).status).toBe(200);
        }
        return mine(scene);
      },
    },
    {
      when: 'a kind that is none',
      as: 'session',
      params: { kind: 'x', id: 'x' },
      body: add(colloquy),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'the glossary of somebody else',
      as: 'session',
      params: async ({ person }: Scene) => ({ kind: 'person', id: (await person()).id }),
      body: add(colloquy),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'the folder of somebody else, as one that is not there',
      as: 'session',
      params: async ({ person }: Scene) => ({
        kind: 'folder',
        id: (await makeFolders(await person(), '/Board'))[0] ?? '',
      }),
      body: add(colloquy),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a folder that one may read, and no more',
      as: 'session',
      params: folderOf(roles.canComment),
      body: add({ term: 'Ann-Lee' }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a group that one is not in',
      as: 'session',
      params: async ({ person }: Scene) => ({ kind: 'group', id: await makeGroup(await person()) }),
      body: add(colloquy),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'what another person added to a folder',
      as: 'session',
      params: folderOf(roles.canEdit),
      body: { remove: [{ term: 'Colloquy' }] },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a misheard form that another member added',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        const id = await makeGroup(ben, [caller]);
        expect((await change(caller, add({ term: 'Colloquy' }), 'group', id)).status).toBe(200);
        expect((await change(ben, add(colloquy), 'group', id)).status).toBe(200);
        return { kind: 'group', id };
      },
      body: { remove: [{ term: 'Colloquy', heard: 'colic key' }] },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'one’s own term in a folder with permission to write',
      as: 'token',
      params: folderOf(roles.canEdit),
      body: { add: [{ term: 'Ann-Lee' }], remove: [{ term: 'Not there' }] },
      status: 200,
      then: ({ body }: Answer) =>
        expect(glossaryAnswer.parse(body)).toMatchObject({
          glossary: {
            kind: 'folder',
            name: 'Board',
            terms: [
              { term: 'Ann-Lee', by: 'Ann Test' },
              { term: 'Colloquy', by: 'Ben Test' },
            ],
          },
          added: [{ term: 'Ann-Lee', heard: [] }],
          removed: [],
        }),
    },
    {
      when: 'an admin removes what a member added',
      as: 'session',
      params: async ({ caller, person }: Scene) => {
        const ben = await person();
        const id = await makeGroup(caller, [ben]);
        expect((await change(ben, add(colloquy), 'group', id)).status).toBe(200);
        return { kind: 'group', id };
      },
      body: { remove: [{ term: 'Colloquy' }] },
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toMatchObject({
          glossary: { terms: [] },
          removed: [{ term: 'Colloquy', heard: ['colic key'] }],
        }),
    },
    {
      when: 'what is there already is not added, and so an undo leaves it',
      as: 'session',
      params: async (scene: Scene) => {
        await change(scene.caller, add(colloquy));
        return mine(scene);
      },
      body: add({ term: ' Colloquy ', heard: ['colic key', 'call a key', 'Colloquy'] }),
      status: 200,
      then: ({ body }: Answer) =>
        expect(glossaryAnswer.parse(body).added).toEqual([{ term: 'Colloquy', heard: ['call a key'] }]),
    },
    {
      ...{ when: 'more changes than anybody makes', as: 'session', status: 429, code: 'RATE' },
      params: async (scene: Scene) => {
        await scene.exhaust(rules.write, scene.caller.id);
        return mine(scene);
      },
      body: add(colloquy),
    },
    {
      ...{ when: 'the id was used for another request', as: 'session', status: 422, code: 'IDEMP' },
      params: mine,
      body: add(colloquy),
      send: async ({ caller }: Scene) => {
        const headers = { 'X-Request-ID': caller.id };
        const { status } = await caller.put(`/api/glossaries/person/${caller.id}`, add({ term: 'Ann' }), { headers });
        expect(status).toBe(200);
        return { headers };
      },
    },
  ],
} satisfies Table;
