// An upgrade (docs/operations.md, "Upgrade") over houses as three older versions left them: before annotations moved with
// their words, before the books, and before the search. Each was used over its calls and sockets, and what these answered
// is beside its backup in `older/`: words and times, annotations, notes, rights, minutes.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { restore } from '#server/backup/restore.ts';
import { differencesIn } from '#server/billing/books.ts';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { diskStore } from '#server/outside/disk-store.ts';
import { start } from '#server/start.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import { emptyDatabase } from '#tests/support/database.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { indexAll } from '#tests/support/finding.ts';
import { ticketFor } from '#tests/support/meetings.ts';
import { Person } from '#tests/support/people.ts';

const root = new URL('../..', import.meta.url).pathname;
const older = join(root, 'tests/faults/older');
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  closeEditors();
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Answers of an older version. */
interface Told {
  talk: { id: string; versions: number; ann: Said; ben: Said };
  brought: { id: string; ann: Said };
  group: string;
  minutes: number;
}

interface Said {
  version: number;
  segments: [speaker: string, text: string][];
  /** SHA-256 of each word of the engine with its times. */
  times: string;
  comments: [author: string, text: string, quote: string, parent: string | null][];
  outcomes: [author: string, type: string, text: string, quote: string, isPrivate: boolean][];
}

const versions = (await readdir(older)).filter((name) => name.endsWith('.tar')).map((name) => name.slice(0, -4));

test.each(versions)(
  'a house as it was on %s is upgraded with all that was in it, and work in it continues',
  async (at) => {
    const told = JSON.parse(await readFile(join(older, `${at}.json`), 'utf8')) as Told;
    const { origin, house } = await upgraded(join(older, `${at}.tar`));
    const [ann, ben, chen] = await Promise.all(['ann', 'ben', 'chen'].map((name) => signedIn(origin, name)));
    if (!ann || !ben || !chen) throw new Error('nobody is there');
    const { talk, brought } = told;

    // Words, times, annotations, also what only Ben sees.
    expect(await saidTo(ann, talk.id)).toEqual(talk.ann);
    expect(await saidTo(ben, talk.id)).toEqual(talk.ben);
    expect(talk.ben.outcomes).toHaveLength(talk.ann.outcomes.length + 1);
    expect(await saidTo(ann, brought.id)).toEqual(brought.ann);
    const notes = await open(ben, origin, `${talk.id}/notes`);
    expect(notes.doc.getXmlFragment('notes').toJSON()).toContain('Ask for the figures');
    const { versions: kept } = (await ann.get(`/api/meetings/${talk.id}/versions`)).body as { versions: unknown[] };
    expect(kept).toHaveLength(talk.versions);
    const { media } = (await ann.get(`/api/meetings/${talk.id}`)).body as { media: { tag: string; src: string }[] };
    const sound = await ann.get(media.find(({ tag }) => tag === 'audio')?.src ?? '');
    expect([sound.status, sound.bytes.length]).toEqual([200, 8377]);

    // Rights: by name, by link, and for an address that had no account then.
    expect((await chen.get(`/api/meetings/${brought.id}`)).body.permissions).toContain('comment');
    expect((await chen.get(`/api/meetings/${talk.id}`)).status).toBe(403);
    expect((await new Person(origin).get(`/api/meetings/${brought.id}`)).status).toBe(200);
    expect((await new Person(origin).get(`/api/meetings/${talk.id}`)).status).toBe(403);
    const { acl } = (await ann.get(`/api/meetings/${brought.id}/acl`)).body as { acl: unknown };
    expect(JSON.stringify(acl)).toContain('dana@example.test');
    expect((await ann.whoami()).body.groups).toMatchObject([{ id: told.group, name: 'Coaches of the spring' }]);
    expect((await ann.get('/api/meetings?folder=/Spring')).body.hits).toMatchObject([{ id: brought.id }]);

    // Minutes of the trial, in books that are right.
    expect((await ann.whoami()).body.billing.totalMinutes).toBe(told.minutes);
    expect(await differencesIn(house.db.sql)).toEqual([]);

    // Later features work on it: words are found, typing is stored.
    await indexAll({ house });
    expect((await ann.get('/api/meetings?query=conversation')).body.hits).toMatchObject([{ id: talk.id }]);
    const text = await open(ann, origin, `${talk.id}/transcript`);
    text.text.insert(3, 'really ');
    await until(() => text.provider.pending === 0);
    expect((await saidTo(ben, talk.id)).segments[0]?.[1]).toContain('really ');
  },
);

/** A server of this version on what an older one left. */
async function upgraded(backup: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'colloquy-upgrade-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const { url, drop } = await emptyDatabase();
  ends.push(drop);
  const noKeys = { sign: () => Promise.reject(new Error('no')), verify: () => Promise.resolve(null) };
  const store = diskStore(join(dataDir, 'files'), noKeys);
  await restore({ url, store, migrations: join(root, 'db/migrations') }, backup);
  const running = await start(readConfig({ PORT: '0', DATABASE_URL: url, DATA_DIR: dataDir }, root), () => {}, {
    log: createLog('silent'),
    quickPasswords: true,
    client: null,
  });
  ends.push(() => running.stop());
  return { origin: `http://127.0.0.1:${running.port}`, house: running.house };
}

async function signedIn(origin: string, name: string): Promise<Person> {
  const person = Object.assign(new Person(origin), { email: `${name}@example.test` });
  const { status, text } = await person.login();
  expect(status, text).toBe(200);
  return person;
}

async function open(person: Person, origin: string, room: string): Promise<Editor> {
  const editor = new Editor({ room, at: () => origin, ticket: await ticketFor(person, room) });
  await until(() => editor.provider.synced);
  return editor;
}

interface MeetingAnswer {
  version: number;
  doc: {
    transcript: { segments: { speaker: string; text: string; words: { w: string; f: number; t: number }[] }[] };
    comments: { author: { name: string }; text: string; quote: string; parent: string | null }[];
    outcomes: { author: { name: string }; type: string; text: string; quote: string; private: boolean }[];
  };
}

/** Words that were typed, whose times are reckoned from those around them: not in every version alike. */
const typed = /certainly|每天|и/;

/** Facts told to a person of a recording, as written down of the older version. */
async function saidTo(person: Person, id: string): Promise<Said> {
  const { version, doc } = (await person.get(`/api/meetings/${id}`)).body as MeetingAnswer;
  const { segments } = doc.transcript;
  const times = segments.map(({ words }) => words.filter(({ w }) => !typed.test(w)).map(({ w, f, t }) => [w, f, t]));
  return {
    version,
    segments: segments.map(({ speaker, text }) => [speaker, text]),
    times: createHash('sha256').update(JSON.stringify(times)).digest('hex'),
    comments: doc.comments.map(({ author, text, quote, parent }) => [author.name, plainOf(text), quote, parent]),
    outcomes: doc.outcomes.map((one) => [one.author.name, one.type, one.text, one.quote, one.private]),
  };
}
