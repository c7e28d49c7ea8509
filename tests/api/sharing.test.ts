// Sharing by name, address, group and link: versions, waiting addresses and notices, over several calls
// (shared/roles.ts).
import { and, eq, isNull } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { invitations, users } from '#db/schema/accounts.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { roles, type Role } from '#shared/roles.ts';
import type { AclEntry, EntryInput } from '#shared/sharing.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { giveFolder, makeFolders } from '#tests/support/folders.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(() => closeEditors());
afterAll(() => house.close());

const code = 'ABCD-2345';
const link = (fields: Partial<EntryInput> = {}): EntryInput => ({
  principal: { id: -1, kind: 'anonymous' },
  permissions: ['read'],
  ...fields,
});
const named = ({ id }: Person, role: Role): EntryInput => ({
  principal: { id, kind: 'user' },
  permissions: [...roles[role]],
});
const address = () => `dana-${newId(8).toLowerCase()}@example.test`;
const invited = (email: string, role: Role): EntryInput => ({ principal: { email }, permissions: [...roles[role]] });

/** Sends the version that was just read, as a page does. */
async function setAcl(by: Person, id: string, entries: EntryInput[]) {
  const { version } = (await by.get(`/api/meetings/${id}/acl`)).body;
  const answer = await by.post(`/api/meetings/${id}/acl`, { entries, version });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { acl: { entries: AclEntry[] }; version: number };
}
const statusOf = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).status;
const permissionsOf = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).body.permissions;

describe('the version', () => {
  it('rises with each change of permissions, and edits accept it', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const before = (await ann.get(`/api/meetings/${id}`)).body;
    const shared = await ann.post(`/api/meetings/${id}/acl`, { entries: [link()], version: before.version });
    expect(shared.body.version).toBeGreaterThan(before.version);

    const again = (await ann.get(`/api/meetings/${id}`)).body;
    expect(again.version).toBe(shared.body.version);
    expect(again.doc.acl).toEqual(shared.body.acl);
    expect(again.doc.transcript).toEqual(before.doc.transcript);

    // Edits at the version from before the change, and at the one it answered, still work.
    const [first, second] = before.doc.transcript.segments as { id: string; text: string }[];
    const edit = (segment: { id: string; text: string } | undefined, version: number) =>
      ann.post(`/api/meetings/${id}/edit`, {
        pos: segment?.id,
        old: segment?.text,
        new: `Well. ${segment?.text}`,
        version,
      });
    expect((await edit(first, before.version)).status).toBe(200);
    expect((await edit(second, shared.body.version)).status).toBe(200);
  });

  it('of two who send a list read at the same version, one is asked to look again', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [named(ben, 'canEditShare')]);
    const { version } = (await ben.get(`/api/meetings/${id}/acl`)).body;
    const both = await Promise.all(
      [ann, ben].map((one, i) =>
        one.post(`/api/meetings/${id}/acl`, {
          entries: [named(ben, 'canEditShare'), invited(`${i}${address()}`, 'canRead')],
          version,
        }),
      ),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const kept = both.find(({ status }) => status === 200);
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.problem.info['version']).toBe(kept?.body.version);
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.acl).toEqual(kept?.body.acl);
  });

  it('is not behind because others type meanwhile', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const { version } = await setAcl(ann, id, [link()]);
    await ann.post(`/api/meetings/${id}/rename`, { title: 'Another' });
    expect((await ann.post(`/api/meetings/${id}/acl`, { entries: [], version })).status).toBe(200);
  });

  it('makes no version of the text that people could be shown', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const list = async () => (await ann.get(`/api/meetings/${id}/versions?by=step`)).body.versions;
    const before = await list();
    await setAcl(ann, id, [link()]);
    expect(await list()).toEqual(before);
  });
});

describe('an address', () => {
  it('holds what it was given once an account has confirmed it, and not before', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const email = address();
    await setAcl(ann, id, [invited(email, 'canComment')]);

    const dana = new Person(house.origin);
    dana.email = email;
    expect((await dana.register()).status).toBe(200);
    expect(await statusOf(dana, id)).toBe(403);
    const token = await house.tokenFor(email, '/confirm');
    expect((await dana.post(`/api/confirm/${token}`)).status).toBe(200);
    await dana.login();
    expect(await permissionsOf(dana, id)).toEqual(['read', 'comment', 'discover']);
    expect((await dana.get('/api/meetings')).body.hits).toMatchObject([
      { id, permissions: ['read', 'comment', 'discover'] },
    ]);
  });

  it('is answered alike whether it has an account or not, until the person comes', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    const nobody = address();
    const { acl } = await setAcl(ann, id, [invited(ben.email, 'canRead'), invited(nobody, 'canRead')]);
    const shape = ({ principal, permissions }: AclEntry) => ({ ...principal, email: '', permissions });
    expect(acl.entries.map(shape)).toEqual([shape(acl.entries[0] as AclEntry), shape(acl.entries[0] as AclEntry)]);
    for (const email of [ben.email, nobody]) {
      expect((await house.mails(email))[0]?.subject).toContain('shares a recording with you');
      const { body } = await ann.post('/api/principals/search', { text: email });
      expect(body.principals).toEqual([{ id: -1, kind: 'pending', email, first_name: '', last_name: '' }]);
    }
    expect((await ben.get(`/api/meetings/${id}/about`)).status).toBe(200);
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries).toContainEqual(
      expect.objectContaining({ principal: expect.objectContaining({ kind: 'user', id: ben.id, email: ben.email }) }),
    );
    expect((await ann.post('/api/principals/search', { text: ben.email })).body.principals).toMatchObject([
      { id: ben.id, kind: 'user' },
    ]);
  });

  it('comes by the mail of the invitation to the recording', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const email = address();
    await setAcl(ann, id, [invited(email, 'canEdit')]);
    const secret = await house.tokenFor(email, '/invitation');
    const dana = new Person(house.origin);
    dana.email = email;
    expect((await dana.post(`/api/invitations/${secret}`)).body.result).toBe('please-register');
    const { password } = dana;
    const fields = { email, password, passwordConfirm: password, firstName: 'Dana', lastName: 'Test', terms: true };
    expect((await dana.post(`/api/invitations/${secret}/register`, fields)).status).toBe(200);
    const { body } = await dana.post(`/api/invitations/${secret}`);
    expect(body).toMatchObject({ result: 'ok', token: { meeting_id: id } });
    expect(await permissionsOf(dana, id)).toEqual(['read', 'comment', 'write', 'discover', 'history']);
  });

  it('ends when the person declines; the sharer sees that, and can invite again', async () => {
    const [ann, ben, eve] = [await house.person('Ann'), await house.person('Ben'), await house.person('Eve')];
    const id = await makeMeeting(house, ann);
    const list = [invited(ben.email, 'canEdit'), invited(eve.email, 'canRead')];
    await setAcl(ann, id, list);
    const [waiting] = (await ben.whoami()).body.invitations;
    expect((await ben.post(`/api/invitations/${waiting.id}/decline`)).body.result).toBe('ok');
    expect((await ben.get(`/api/meetings/${id}`)).status).toBe(403);
    const entriesOf = async () => (await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries as AclEntry[];
    const ofBen = async () => (await entriesOf()).find(({ principal }) => principal.email === ben.email);
    expect(await ofBen()).toMatchObject({ principal: { kind: 'pending' }, declined: true });
    // A list that is sent back as it came keeps that, whatever role is chosen.
    await setAcl(ann, id, [invited(ben.email, 'canRead'), invited(eve.email, 'canRead')]);
    expect(await ofBen()).toMatchObject({ declined: true });
    expect((await ben.whoami()).body.invitations).toEqual([]);
    // Others in the list learn nothing of it.
    expect((await eve.get(`/api/meetings/${id}/acl`)).status).toBe(403);
    await setAcl(ann, id, [{ ...invited(ben.email, 'canEdit'), again: true }, invited(eve.email, 'canRead')]);
    expect((await ofBen())?.declined).toBeUndefined();
    expect((await ben.whoami()).body.invitations).toHaveLength(1);
    expect((await ben.get(`/api/meetings/${id}`)).status).toBe(200);
  });

  it('again past the limit of mails waits by the last mail', async () => {
    const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
    const id = await makeMeeting(house, ann);
    for (let i = 0; i < 4; i += 1) {
      await setAcl(ann, id, [{ ...invited(ben.email, 'canEdit'), again: true }]);
      const [waiting] = (await ben.whoami()).body.invitations;
      expect((await ben.post(`/api/invitations/${waiting.id}/decline`)).body.result).toBe('ok');
    }
    await setAcl(ann, id, [{ ...invited(ben.email, 'canRead'), again: true }]);
    expect((await ben.whoami()).body.invitations).toHaveLength(1);
    expect(await house.mails(ben.email)).toHaveLength(3);
    const secret = await house.tokenFor(ben.email, '/invitation');
    expect((await ben.post(`/api/invitations/${secret}`)).body.result).toBe('ok');
    expect(await permissionsOf(ben, id)).not.toContain('write');
  });

  it('comes back by the same link, with what was shared last', async () => {
    const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [invited(ben.email, 'canEdit')]);
    const secret = await house.tokenFor(ben.email, '/invitation');
    await ben.post(`/api/invitations/${secret}/decline`);
    await ben.post(`/api/invitations/${secret}/reopen`);
    expect((await ben.get(`/api/meetings/${id}`)).status).toBe(200);
    await setAcl(ann, id, []);
    await setAcl(ann, id, [invited(ben.email, 'canEdit')]);
    const newer = await house.tokenFor(ben.email, '/invitation');
    await ben.post(`/api/invitations/${newer}/decline`);
    await setAcl(ann, id, [invited(ben.email, 'canRead')]);
    expect((await ben.post(`/api/invitations/${newer}`)).body).toMatchObject({
      result: 'ok',
      token: { meeting_id: id },
    });
    expect(await permissionsOf(ben, id)).not.toContain('write');
    // Removed from the list, it is gone.
    await setAcl(ann, id, []);
    expect((await ben.get(`/api/meetings/${id}`)).status).toBe(403);
  });

  it('that declined and is given access otherwise has that alone', async () => {
    const [ann, ben, eve] = [await house.person('Ann'), await house.person('Ben'), await house.person('Eve')];
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [invited(ben.email, 'canEdit'), invited(eve.email, 'canEdit')]);
    const secrets: string[] = [];
    for (const one of [ben, eve]) {
      const secret = await house.tokenFor(one.email, '/invitation');
      secrets.push(secret);
      await one.post(`/api/invitations/${secret}/decline`);
    }
    // Ben asks for access; Eve is named by her account.
    await ben.post(`/api/meetings/${id}/requestAccess`, { role: 'canRead' });
    const [request] = (await ann.get(`/api/meetings/${id}/acl`)).body.requests;
    await ann.post(`/api/access-requests/${request.id}`, { role: 'canRead' });
    expect((await ben.post(`/api/invitations/${secrets[0]}`)).status).toBe(410);
    const { acl } = await setAcl(ann, id, [
      named(ben, 'canRead'),
      invited(eve.email, 'canEdit'),
      { principal: { id: eve.id, kind: 'user', email: eve.email }, permissions: [...roles.canRead] },
    ]);
    expect(acl.entries.map(({ principal, declined }) => [principal.kind, declined])).toEqual([
      ['user', undefined],
      ['user', undefined],
    ]);
    for (const [i, one] of [ben, eve].entries()) {
      expect((await one.post(`/api/invitations/${secrets[i]}`)).status).toBe(410);
      expect(await permissionsOf(one, id)).not.toContain('write');
    }
  });

  it('that is revoked leads nowhere', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const email = address();
    await setAcl(ann, id, [invited(email, 'canEdit')]);
    const secret = await house.tokenFor(email, '/invitation');
    await setAcl(ann, id, []);
    expect((await house.stranger().post(`/api/invitations/${secret}`)).status).toBe(410);
  });
});

describe('a link with a code', () => {
  it('opens with the code in this browser alone: by REST, live and for the sound', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    await setAcl(ann, id, [link({ code })]);
    const { src } = (await ann.get(`/api/meetings/${id}/about`)).body.media[0];
    const [eve, other] = [house.stranger(), house.stranger()];
    const room = `${id}/transcript`;
    for (const path of [`/api/meetings/${id}`, `/api/meetings/${id}/about`, src]) {
      const answer = await eve.get(path);
      expect([path, answer.status, answer.problem.info.code]).toEqual([path, 401, 'IC']);
    }
    await expect(ticketFor(eve, room)).rejects.toThrow('no ticket');

    expect((await eve.post(`/api/meetings/${id}/unlock`, { code: 'WXYZ-2345' })).status).toBe(401);
    expect((await eve.post(`/api/meetings/${id}/unlock`, { code: code.toLowerCase() })).status).toBe(204);
    for (const path of [`/api/meetings/${id}`, src]) expect((await eve.get(path)).status).toBe(200);
    const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(eve, room) });
    await synced([editor]);
    expect(await statusOf(other, id)).toBe(401);

    // A new code locks out everybody who had the old one.
    await setAcl(ann, id, [link({ code: 'MNPQ-6789' })]);
    await until(() => editor.closes.includes(close.noAccess));
    expect(await statusOf(eve, id)).toBe(401);
  });

  it('is never in the tables, a log or an answer', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const { acl } = await setAcl(ann, id, [link({ code })]);
    await house.stranger().post(`/api/meetings/${id}/unlock`, { code });
    expect(JSON.stringify(acl)).not.toContain('ABCD');
    expect(house.log()).not.toMatch(/ABCD-?2345/i);
    const rows = await house.database.sql`select * from meeting_access where meeting_id = ${id}`;
    expect(JSON.stringify(rows)).not.toContain('ABCD');
  });

  it('keeps its code when something else is changed, and goes with null', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [link({ code })]);
    const { acl } = await setAcl(ann, id, [link({ permissions: ['read', 'comment'] })]);
    expect(acl.entries[0]).toMatchObject({ code: true, permissions: ['read', 'comment'] });
    // The list as it was answered can be sent again.
    expect((await setAcl(ann, id, acl.entries)).acl).toEqual(acl);
    await setAcl(ann, id, [link({ code: null })]);
    expect(await statusOf(house.stranger(), id)).toBe(200);
  });

  it('that has ended opens nothing, and its sockets are closed', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [link()]);
    const room = `${id}/transcript`;
    const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(house.stranger(), room) });
    await synced([editor]);
    await setAcl(ann, id, [link({ expires: new Date(Date.now() + 1500).toISOString() })]);
    await until(() => editor.closes.includes(close.noAccess));
    expect(await statusOf(house.stranger(), id)).toBe(403);
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries).toHaveLength(1);
  });
});

describe('a first visit', () => {
  it('brings nothing back that is being taken away in the same moment', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    for (const kind of ['user', 'pending'] as const) {
      const id = await makeMeeting(house, ann);
      const principalId = kind === 'user' ? ben.id : house.key(ben.email);
      await house.database.orm
        .insert(meetingAccess)
        .values({ meetingId: id, kind, principalId, permissions: [...roles.canEdit], email: ben.email });
      let visit: Promise<unknown> = Promise.resolve();
      await house.database.sql.begin(async (tx) => {
        await tx`select 1 from meetings where id = ${id} for update`;
        await tx`delete from meeting_access where meeting_id = ${id}`;
        // The request has read his permission, and waits for the lock.
        visit = ben.get(`/api/meetings/${id}/about`);
        await vi.waitUntil(
          async () => {
            const [row] = await house.database.sql`select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`;
            return row?.['n'] > 0;
          },
          { timeout: 60_000 },
        );
      });
      await visit;
      expect(await statusOf(ben, id)).toBe(403);
      expect(await house.database.sql`select 1 from meeting_access where meeting_id = ${id}`).toEqual([]);
    }
  });
});

describe('a person who has the page open', () => {
  it('is told at once that they may only read now, and that they may write again', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [named(ben, 'canEdit')]);
    const room = `${id}/transcript`;
    const a = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
    const ticket = await ticketFor(ben, room);
    const before = new Editor({ room, at: () => house.origin, ticket });
    await synced([a, before]);
    await setAcl(ann, id, [named(ben, 'canRead')]);
    // The page fetches the document anew, without what was deleted.
    await until(() => before.provider.ended === 'history');
    const b = new Editor({ room, at: () => house.origin, ticket });
    await synced([b]);
    expect(b.provider.canWrite).toBe(false);
    const late = b.type();
    const kept = a.type();
    await until(() => b.text.toString().includes(kept));
    expect(a.text.toString()).not.toContain(late);
    await setAcl(ann, id, [named(ben, 'canEdit')]);
    // Text written meanwhile is sent after all.
    await until(() => a.text.toString().includes(late));
    expect(b.provider.canWrite).toBe(true);
    await setAcl(ann, id, []);
    await until(() => b.closes.includes(close.noAccess));
    expect(a.closes).toEqual([]);
  });
});

describe('asking to be let in', () => {
  it('writes to the owner once a day, and opening what they get changes nothing', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    for (let tries = 0; tries < 5; tries += 1)
      expect((await ben.post(`/api/meetings/${id}/requestAccess`)).status).toBe(202);
    const mails = await house.mails(ann.email);
    expect(mails.filter(({ subject }) => subject.includes('would like to see'))).toHaveLength(1);
    const request = await house.tokenFor(ann.email, '/access');

    expect((await ann.get(`/api/access-requests/${request}`)).body).toMatchObject({
      meeting: { id },
      person: { email: ben.email },
      role: null,
    });
    // Any number of reads, by her or by a program that reads her mails, answers nothing.
    expect((await ann.get(`/api/access-requests/${request}`)).body.answered).toBe(false);
    expect(await statusOf(ben, id)).toBe(403);
    expect((await ben.get(`/api/access-requests/${request}`)).status).toBe(403);

    await ann.post(`/api/access-requests/${request}`, { role: 'canRead' });
    expect(await permissionsOf(ben, id)).toEqual(['read', 'discover']);
    expect((await house.mails(ben.email))[0]?.subject).toContain('gave you access');
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.requests).toEqual([]);
  });

  const asked = async (by: Person, owner: Person, id: string): Promise<string> => {
    expect((await by.post(`/api/meetings/${id}/requestAccess`)).status).toBe(202);
    return house.tokenFor(owner.email, '/access');
  };
  const waiting = async (owner: Person, id: string): Promise<string[]> =>
    (await owner.get(`/api/meetings/${id}/acl`)).body.requests.map((one: { person: { id: string } }) => one.person.id);

  it('is answered by any change that lets them in, and a later answer takes nothing from them', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    const request = await asked(ben, ann, id);
    expect(await waiting(ann, id)).toEqual([ben.id]);
    await setAcl(ann, id, [named(ben, 'canEdit')]);
    expect(await waiting(ann, id)).toEqual([]);
    expect((await ann.get(`/api/access-requests/${request}`)).body).toMatchObject({ role: 'canEdit', answered: true });

    // A page that was open since, or the mail, opened late.
    const late = await ann.post(`/api/access-requests/${request}`, { role: 'canRead' });
    expect(late.body.role).toBe('canEdit');
    expect(await permissionsOf(ben, id)).toEqual(expect.arrayContaining(['write', 'comment']));
    const more = await ann.post(`/api/access-requests/${request}`, { role: 'canEditShare' });
    expect(more.body.role).toBe('canEditShare');
    expect(await permissionsOf(ben, id)).toContain('own');
    // Taken away again, it is not open again by itself.
    await setAcl(ann, id, []);
    expect(await waiting(ann, id)).toEqual([]);
  });

  it('is for the right to edit, too, and open until it is given', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [named(ben, 'canRead')]);
    const ask = async (role?: string, before = false) => {
      const { status, body } = await ben.post(`/api/meetings/${id}/requestAccess`, role && { role });
      expect([status, body]).toEqual([202, { before }]);
    };
    // Holders of a role cannot ask for it.
    await ask();
    await ask('canRead', true);
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.requests).toEqual([]);
    await ask('canEdit');
    await ask('canEdit', true);
    const mails = (await house.mails(ann.email)).map(({ subject }) => subject);
    expect(mails.filter((subject) => subject.includes('would like to'))).toEqual([
      expect.stringContaining('would like to edit your recording'),
    ]);
    const request = await house.tokenFor(ann.email, '/access');
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.requests).toMatchObject([
      { id: request, asks: 'canEdit', person: { id: ben.id } },
    ]);
    // A change that gives less than was asked for answers nothing.
    await setAcl(ann, id, [named(ben, 'canComment')]);
    expect(await waiting(ann, id)).toEqual([ben.id]);
    expect((await ann.get(`/api/access-requests/${request}`)).body).toMatchObject({
      asks: 'canEdit',
      role: 'canComment',
      answered: false,
    });
    await ann.post(`/api/access-requests/${request}`, { role: 'canEdit' });
    expect(await permissionsOf(ben, id)).toContain('write');
    expect(await waiting(ann, id)).toEqual([]);
    // Ben is told, although he could read it before.
    expect((await house.mails(ben.email)).map(({ subject }) => subject)).toContainEqual(
      expect.stringContaining('gave you access'),
    );
    await ask('canEdit', true);
    expect(await waiting(ann, id)).toEqual([]);
  });

  it('is not listed while a folder lets them in', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    await asked(ben, ann, id);
    const [folder = ''] = await makeFolders(ann, 'Talks');
    await giveFolder(house, folder, ben, roles.canRead);
    expect(await waiting(ann, id)).toEqual([ben.id]);
    await house.database.orm.update(meetings).set({ folderId: folder }).where(eq(meetings.id, id));
    expect(await statusOf(ben, id)).toBe(200);
    expect(await waiting(ann, id)).toEqual([]);
  });

  it('answers the same for what there is, what there is not, and what is one’s own', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const [mine, theirs] = [await makeMeeting(house, ben), await makeMeeting(house, ann)];
    const answers = await Promise.all(
      [mine, theirs, newId()].map((id) => ben.post(`/api/meetings/${id}/requestAccess`)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await house.mails(ben.email)).filter(({ subject }) => subject.includes('would like'))).toEqual([]);
  });
});

it('an address that is invited to more than it is written about finds all of it where it is signed in', async () => {
  const ann = await house.person();
  const email = address();
  const ids: string[] = [];
  for (let recordings = 0; recordings < 4; recordings += 1) {
    const id = await makeMeeting(house, ann);
    await setAcl(ann, id, [invited(email, 'canRead')]);
    ids.push(id);
  }
  const rows = await house.database.orm
    .select({ targetId: invitations.targetId })
    .from(invitations)
    .where(and(eq(invitations.emailKey, email), isNull(invitations.revokedAt)));
  expect(rows.map(({ targetId }) => targetId).toSorted()).toEqual(ids.toSorted());
  // No address gets more than three mails in an hour.
  expect(await house.mails(email)).toHaveLength(3);
});

describe('a search for people', () => {
  it('finds people one shares something with, and no others', async () => {
    const [ann, ben, cara] = await Promise.all(
      ['Ann', 'Ben', 'Cara'].map((name) => house.person(`${name}${newId(6)}`)),
    );
    if (!ann || !ben || !cara) throw new Error('nobody is there');
    const id = await makeMeeting(house, ann);
    await share(house, id, ben, roles.canRead);
    await share(house, id, cara, roles.canRead);
    const found = async (by: Person, whom: Person) => {
      const { firstName } = (await house.database.orm.select().from(users).where(eq(users.id, whom.id)))[0] ?? {};
      return (await by.post('/api/principals/search', { text: firstName })).body.principals.map(
        (one: { id: string }) => one.id,
      );
    };
    expect(await found(ann, ben)).toEqual([ben.id]);
    expect(await found(ben, ann)).toEqual([ann.id]);
    // Both read the same recording, but see nothing of each other.
    expect(await found(ben, cara)).toEqual([]);
    const stranger = await house.person();
    for (const text of ['%%%', '___', '@example.test', ben.id])
      expect(
        (await stranger.post('/api/principals/search', { text })).body.principals.filter(
          (one: { id: unknown }) => one.id !== stranger.id,
        ),
      ).toEqual([]);
    expect((await stranger.post('/api/principals/search', { text: 'an' })).status).toBe(422);
  });

  it('by a bare id tells no address before the person has come', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    const { acl } = await setAcl(ann, id, [named(ben, 'canRead')]);
    expect(acl.entries).toMatchObject([{ principal: { id: ben.id, kind: 'user', email: null, first_name: '' } }]);
    expect((await ben.get(`/api/meetings/${id}/about`)).status).toBe(200);
    expect((await ann.get(`/api/meetings/${id}/acl`)).body.acl.entries[0].principal.email).toBe(ben.email);
  });
});
