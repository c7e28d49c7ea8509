// Authors of each word, from the log: for people who type at once over sockets, for changes that the server writes for
// them, and for restored texts.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { users } from '#db/schema/accounts.ts';
import { eq } from 'drizzle-orm';
import { after } from '#server/clock.ts';
import { emptyReviewTrash } from '#server/reviews/trash.ts';
import type { ChangesAnswer, VersionsAnswer } from '#shared/meetings/history.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { closeEditors, Editor, settled, synced } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house?.close());

const changes = async (person: Person, id: string, version: number, since?: number): Promise<ChangesAnswer> => {
  const query = since === undefined ? '' : `?since=${since}`;
  const { status, body, text } = await person.get(`/api/meetings/${id}/versions/${version}/changes${query}`);
  expect(status, text).toBe(200);
  return body as ChangesAnswer;
};
const versionOf = async (person: Person, id: string): Promise<number> =>
  (await person.get(`/api/meetings/${id}`)).body.version as number;
/** Answers under which client id the server wrote it. */
const change = (id: string, { id: userId }: Person, work: (text: Y.Text) => unknown): Promise<number> =>
  house.house.rooms.change(id, 'transcript', { userId, origin: 'test' }, (doc) => {
    work(textOf(doc));
    return doc.clientID;
  });

/** All words with those who are named at them. */
const authors = ({ segments }: ChangesAnswer): [word: string, by: string[]][] =>
  segments
    .flatMap(({ pieces }) => pieces)
    .flatMap(({ text, by = [] }) =>
      text
        .split(/\s+/)
        .filter(Boolean)
        .map((word): [string, string[]] => [word, by]),
    );

describe('authors of each word', () => {
  test('for three people who type at once: just those whose letters are in it', async () => {
    const people = (await house.people(3)) as [Person, Person, Person];
    const [ann] = people;
    const id = await makeMeeting(house, ann);
    for (const one of people.slice(1)) await share(house, id, one, ['read', 'write']);
    const room = `${id}/transcript`;
    // Everybody types in letters of their own: whose a letter is, the text itself says.
    const alphabets = ['abcdefgh', 'ABCDEFGH', 'абвгдежз'];
    const editors = await Promise.all(
      people.map(async (one) => new Editor({ room, at: () => house.origin, ticket: await ticketFor(one, room) })),
    );
    await synced(editors);
    const pick = (below: number) => Math.floor(Math.random() * below);
    const type = async (rounds: number) => {
      for (let i = 0; i < rounds; i += 1) {
        for (const [nth, { text }] of editors.entries()) {
          const letters = alphabets[nth] ?? '';
          const at = pick(text.length + 1);
          // More is written than taken away, so that there are words to tell apart however the dice fall.
          if (pick(4) === 0 && text.length > at) text.delete(at, 1);
          else text.insert(at, pick(4) === 0 ? ' ' : (letters[pick(letters.length)] ?? ''));
        }
        if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await settled(editors);
    };
    await type(60);
    const since = await versionOf(ann, id);
    await type(60);
    const version = await versionOf(ann, id);
    const owners = (word: string) => {
      const found = people.filter((_, nth) => [...word].some((letter) => alphabets[nth]?.includes(letter)));
      return found.map((one) => one.id).toSorted();
    };
    const found = authors(await changes(ann, id, version));
    expect(found.length).toBeGreaterThan(5);
    expect(found).toEqual(found.map(([word]) => [word, owners(word)]));
    expect(found.some(([, by]) => by.length > 1)).toBe(true);

    // The difference of two versions contains both texts to the letter.
    const { segments, people: named } = await changes(ann, id, version, since);
    const textWithout = (kind: string) =>
      segments.flatMap(({ pieces }) => pieces.filter((piece) => piece.kind !== kind).map(({ text }) => text)).join('');
    const textAt = async (at: number) => textOf((await house.house.versions.docAt(id, at)).doc).toString();
    expect(textWithout('gone')).toBe(await textAt(version));
    expect(textWithout('new')).toBe(await textAt(since));
    expect(named.map(({ name }) => name).toSorted()).toEqual(['Ann Test', 'Ben Test', 'Chen Test']);
  });

  test('for changes that the server writes for several people under one id: taken from the rows', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    const ids = [
      await change(id, ann, (text) => text.insert(0, 'one ')),
      await change(id, ben, (text) => text.insert(4, 'two ')),
      await change(id, ann, (text) => text.insert(8, 'three')),
      await change(id, ben, (text) => text.insert(3, 's')),
    ];
    // Were it by the id alone, all would be one person's.
    expect(new Set(ids).size).toBe(1);
    expect(authors(await changes(ann, id, 4))).toEqual([
      ['ones', [ann.id, ben.id].toSorted()],
      ['two', [ben.id]],
      ['three', [ann.id]],
    ]);
    expect(authors(await changes(ann, id, 3))).toEqual([
      ['one', [ann.id]],
      ['two', [ben.id]],
      ['three', [ann.id]],
    ]);
  });

  test('for text that the server copies from elsewhere: the person it did that for', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const elsewhere = new Y.Doc();
    textOf(elsewhere).insert(0, 'written elsewhere');
    const update = Y.encodeStateAsUpdate(elsewhere);
    await change(id, ann, (text) => text.doc && Y.applyUpdate(text.doc, update));
    expect(authors(await changes(ann, id, 1))).toEqual([
      ['written', [ann.id]],
      ['elsewhere', [ann.id]],
    ]);
  });

  test('stay the same in a restored text, through any number of restores', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeRecording(house, ann, [ben]);
    await change(id, ann, (text) => text.insert(1, 'Alpha '));
    await change(id, ben, (text) => text.insert(1, 'Beta '));
    await change(id, ann, (text) => text.delete(1, 5));
    const restore = async (version: number): Promise<{ version: number; kept: number }> =>
      (await ann.post(`/api/meetings/${id}/versions/${version}/restore`)).body;
    const first = await restore(3);
    await change(id, ben, (text) => text.insert(1, 'Gamma '));
    await change(id, ann, (text) => text.insert(1, 'Delta '));
    const second = await restore(first.version + 1);
    const expected = [
      ['Gamma', [ben.id]],
      ['Beta', [ben.id]],
      ['Alpha', [ann.id]],
    ];
    const named = async () => authors(await changes(ann, id, second.version)).filter(([, by]) => by.length > 0);
    expect(await named()).toEqual(expected);

    // Compares letter by letter with a state the text came from; text that was left behind is compared by its words.
    const shown = async (since: number) =>
      (await changes(ann, id, second.version, since)).segments.flatMap(({ pieces }) =>
        pieces.flatMap(({ kind, text, by }) => (kind === 'same' ? [] : [[kind, text.trim(), by]])),
      );
    expect(await shown(2)).toEqual([['new', 'Gamma Beta', [ben.id]]]);
    expect(await shown(first.kept)).toEqual([['new', 'Gamma Beta', [ben.id]]]);
    expect(await shown(second.kept)).toEqual([['gone', 'Delta', [ann.id]]]);

    // Without the origins of its generation, the authors are unknown.
    await house.database.sql`delete from room_origins where room = ${`${id}/transcript`}`;
    expect(await named()).toEqual([]);
  });

  test('names guests and those who have left by no name', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await makeMeeting(house, ann);
    await change(id, ben, (text) => text.insert(0, 'Ben '));
    await house.house.rooms.change(id, 'transcript', { userId: 'anonymous:abc', origin: 'test' }, (doc) =>
      textOf(doc).insert(4, 'guest'),
    );
    await house.database.orm.delete(users).where(eq(users.id, ben.id));
    const { people } = await changes(ann, id, 2);
    expect(people).toEqual(
      expect.arrayContaining([
        { id: ben.id, name: '', kind: 'gone' },
        { id: 'anonymous:abc', name: '', kind: 'guest' },
      ]),
    );
  });
});

test('a long past comes in pages, and each row of the log is in one version of each grain', async () => {
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  for (let i = 0; i < 40; i += 1) await change(id, ann, (text) => text.insert(0, `${i} `));
  await ann.post(`/api/meetings/${id}/versions/17/restore`);
  for (let i = 0; i < 5; i += 1) await change(id, ann, (text) => text.insert(0, `${i} `));
  // Spread over a day, so that there is something to page through.
  await house.database.sql`
    update room_updates set at = at + (generation * 100 + seq) * interval '16 minutes' where room = ${`${id}/transcript`}`;
  for (const by of ['moment', 'step']) {
    const seen: { version: number; before: number; edits: number }[] = [];
    for (let upTo: number | null = await versionOf(ann, id); upTo !== null;) {
      const { body } = await ann.get(`/api/meetings/${id}/versions?by=${by}&size=7&upTo=${upTo}`);
      expect(body.versions.length).toBeGreaterThan(0);
      seen.push(...body.versions);
      upTo = body.next;
    }
    expect(seen.reduce((sum, { edits }) => sum + edits, 0)).toBe(46);
    expect(seen.slice(1).map(({ version }) => version)).toEqual(seen.slice(0, -1).map(({ before }) => before));
    expect(seen.at(-1)?.before).toBe(0);
  }
});

describe('corrections of people who assess blind', () => {
  /** Corrects the first paragraph by their own layer. */
  async function correct(person: Person, review: ReviewView, word: string): Promise<void> {
    const { cloneId } = await seenBy(person, review);
    const { body } = await person.get(`/api/meetings/${cloneId}`);
    const { id: pos, text: old } = body.doc.transcript.segments[0];
    const edit = { pos, old, new: `${old} ${word}`, version: body.version };
    const answer = await person.post(`/api/meetings/${cloneId}/edit`, edit);
    expect(answer.status, answer.text).toBe(200);
  }
  const authorsIn = async (reader: Person, id: string, word: string): Promise<string[]> => {
    const version = await versionOf(reader, id);
    const found = await changes(reader, id, version, 1);
    const [, by = []] = authors(found).findLast(([text]) => text === word) ?? [];
    const listed = (await reader.get(`/api/meetings/${id}/versions?by=step`)).body as VersionsAnswer;
    // The list of versions and the words name the same people.
    for (const one of by) expect(listed.versions.flatMap((each) => each.by)).toContain(one);
    return by.map((one) => {
      const { kind, name } = found.people.find((each) => each.id === one) ?? { kind: 'none', name: '' };
      return kind === 'person' ? name : kind;
    });
  };

  test('have no name until the review opens, but for supervisors and themselves', async () => {
    const [ann, ben, chen, sara] = (await house.people(4)) as [Person, Person, Person, Person];
    const id = await makeRecording(house, ann, []);
    for (const one of [ben, sara]) await share(house, id, one, ['read', 'comment', 'write']);
    // Ben is known to have corrected before he was asked.
    await change(id, ben, (text) => text.insert(1, 'Before '));
    const review = await askFor(ann, id, {
      roles: [
        [ben, 'required'],
        [chen, 'required'],
        [sara, 'supervisor'],
      ],
    });
    await correct(chen, review, 'Chens');
    await change(id, ben, (text) => text.insert(1, 'Bens '));
    const named = async (reader: Person) => [
      await authorsIn(reader, id, 'Before'),
      await authorsIn(reader, id, 'Bens'),
      await authorsIn(reader, id, 'Chens'),
    ];
    const by = ['reviewer'];
    expect(await named(ann)).toEqual([['Ben Test'], by, by]);
    expect(await named(ben)).toEqual([['Ben Test'], ['Ben Test'], by]);
    expect(await named(sara)).toEqual([['Ben Test'], ['Ben Test'], ['Chen Test']]);

    // A removed reviewer is named no more than before.
    const row = (await seenBy(ann, review)).reviewers.find(({ email }) => email === chen.email);
    const path = `/api/meetings/${id}/reviews/${review.id}`;
    const removed = await ann.post(path, { rev: (await seenBy(ann, review)).rev, remove: [row?.id] });
    expect(removed.status, removed.text).toBe(200);
    expect(await named(ann)).toEqual([['Ben Test'], by, by]);

    for (const one of [ben, sara]) await setStatus(one, review, 'complete');
    expect(await named(ann)).toEqual([['Ben Test'], ['Ben Test'], ['Chen Test']]);
    await setStatus(ben, review, 'in-progress');
    expect(await named(ann)).toEqual([['Ben Test'], by, by]);
  });

  /** A recording whose words Ben, asked to assess blind, has corrected by his layer; nobody has begun. */
  async function corrected() {
    const [ann, ben, chen] = (await house.people(3)) as [Person, Person, Person];
    const id = await makeRecording(house, ann, []);
    const roles = [ben, chen].map((one) => [one, 'required'] as const);
    const review = await askFor(ann, id, { roles, observers: true });
    await correct(ben, review, 'Bens');
    const row = (await seenBy(ann, review)).reviewers.find(({ email }) => email === ben.email);
    const path = `/api/meetings/${id}/reviews/${review.id}`;
    return { ann, ben, id, review, row: row?.id ?? '', path };
  }

  test('have no name after their author got a role that is shown as present', async () => {
    const { ann, id, review, row, path } = await corrected();
    const { rev } = await seenBy(ann, review);
    const { status, text } = await ann.post(path, { rev, roles: [{ id: row, role: 'watcher' }] });
    expect(status, text).toBe(200);
    expect(await authorsIn(ann, id, 'Bens')).toEqual(['reviewer']);
  });

  test('have no name after their author, asked by address, has another one or no account', async () => {
    const { ann, ben, id } = await corrected();
    const old = ben.email;
    const next = `next-${old}`;
    await ben.post('/api/principals/me/change-email/step1', { new_email: next });
    const token = await house.tokenFor(next, '/confirm-email-change');
    const { status, text } = await ben.post('/api/principals/me/change-email/step2', { token, password: ben.password });
    expect(status, text).toBe(204);
    expect(await authorsIn(ann, id, 'Bens')).toEqual(['reviewer']);
    const undone = await house.person('Somebody');
    await undone.post(`/api/undo-email-change/${await house.tokenFor(old, '/undo-email-change')}`);
    expect(await authorsIn(ann, id, 'Bens')).toEqual(['reviewer']);

    const other = await corrected();
    const reason = { password: other.ben.password, reason: 'taskCompleted' };
    const deleted = await other.ben.post('/api/principals/me/delete', reason);
    expect(deleted.status, deleted.text).toBe(204);
    expect(await authorsIn(other.ann, other.id, 'Bens')).toEqual(['reviewer']);
  });

  test('have a name after their review was deleted, whatever their author does with the address later', async () => {
    const { ann, ben, id, path } = await corrected();
    await share(house, id, ben, ['read', 'comment', 'write']);
    expect((await ann.delete(path)).status).toBe(204);
    await change(id, ben, (text) => text.insert(1, 'Later '));
    const next = `next-${ben.email}`;
    await ben.post('/api/principals/me/change-email/step1', { new_email: next });
    const token = await house.tokenFor(next, '/confirm-email-change');
    const { status, text } = await ben.post('/api/principals/me/change-email/step2', { token, password: ben.password });
    expect(status, text).toBe(204);
    const named = async () => [await authorsIn(ann, id, 'Bens'), await authorsIn(ann, id, 'Later')];
    expect(await named()).toEqual([['reviewer'], ['Ben Test']]);
    await emptyReviewTrash(house.house, after(house.clock.now(), 60));
    expect(await named()).toEqual([['reviewer'], ['Ben Test']]);
  });

  test('are kept without a name for no review that is restored before it is cleared away', async () => {
    const { ann, id, path, review } = await corrected();
    expect((await ann.delete(path)).status).toBe(204);
    const { sql } = house.database;
    let clearing = Promise.resolve();
    await sql.begin(async (tx) => {
      await tx`update reviews set deleted_at = null where id = ${review.id}`;
      clearing = emptyReviewTrash(house.house, after(house.clock.now(), 60));
      const waiting = () => sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%reviews%'`;
      await expect.poll(waiting).toHaveLength(1);
    });
    await clearing;
    expect(await sql`select deleted_at from reviews where id = ${review.id}`).toEqual([{ deleted_at: null }]);
    expect(await sql`select 1 from unnamed_corrections where meeting_id = ${id}`).toHaveLength(0);
  });

  test('have no name once their review was deleted and cleared away; what came after the deletion has one', async () => {
    const { ann, ben, id, path } = await corrected();
    await share(house, id, ben, ['read', 'comment', 'write']);
    expect((await ann.delete(path)).status).toBe(204);
    await change(id, ben, (text) => text.insert(1, 'Later '));
    const named = async () => [await authorsIn(ann, id, 'Bens'), await authorsIn(ann, id, 'Later')];
    expect(await named()).toEqual([['reviewer'], ['Ben Test']]);
    await emptyReviewTrash(house.house, after(house.clock.now(), 60));
    expect(await house.database.sql`select 1 from reviews where meeting_id = ${id}`).toHaveLength(0);
    expect(await named()).toEqual([['reviewer'], ['Ben Test']]);
    // Their author knows, and where nobody corrected nothing is kept.
    expect(await authorsIn(ben, id, 'Bens')).toEqual(['Ben Test']);
    expect(await house.database.sql`select user_id from unnamed_corrections where meeting_id = ${id}`).toEqual([
      { user_id: ben.id },
    ]);
  });
});
