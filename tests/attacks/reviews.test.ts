// Information flow in reviews: a secret word in the annotations, voice notes, files and grades of each reviewer, and what they
// show that they listened to, reaches, by any call and any
// socket, those whom the rules let read that reviewer's layer (shared/reviews/grants.ts), and nobody else. One in the
// comment that a reviewer gives with the assessment reaches those who learn how far reviewers are.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { keyOf, loadReview } from '#server/reviews/rows.ts';
import { attachmentPath } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import { verbs } from '#shared/roles.ts';
import { grantsOf } from '#shared/reviews/grants.ts';
import type { GrowthAnswer } from '#shared/reviews/growth.ts';
import { isBlind, isCounted, phaseOf, type Policy, type Review, type ReviewerRole } from '#shared/reviews/review.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '../support/editors.ts';
import { sendFile } from '../support/files.ts';
import { indexAll } from '../support/finding.ts';
import { openBeside, openHouse, type TestHouse } from '../support/house.ts';
import { share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';
import { suggestIn } from '../support/suggestions.ts';
import { sendVoice, spoken } from '../support/voice.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house.close());

const roleOf = {
  R: 'required',
  Q: 'required',
  O: 'optional',
  M: 'muted',
  W: 'watcher',
  S: 'supervisor',
} as const satisfies Record<string, ReviewerRole>;
type Name = keyof typeof roleOf | 'L' | 'T' | 'E' | 'X';
const at = { start: 10, end: 12 };

interface Scene {
  people: Record<Name, Person>;
  id: string;
  review: ReviewView;
  layers: readonly { id: string; kind: string; reviewer_id: string | null }[];
  /** Addresses of voice notes and files in layers. */
  attachments: string[];
}

/** L leads and owns, T is assessed, E edits the recording, X has no part in anything. */
async function scene(policy: Policy, more: { anonymous?: boolean } = {}): Promise<Scene> {
  const names: Name[] = ['L', 'T', 'E', 'X', 'R', 'Q', 'O', 'M', 'W', 'S'];
  const made = await Promise.all(names.map(async (name) => [name, await house.person(`Name${name}`)] as const));
  const people = Object.fromEntries(made) as Record<Name, Person>;
  const id = await makeRecording(house, people.L);
  await share(house, id, people.E, ['read', 'comment', 'write']);
  const roles = Object.entries(roleOf).map(([name, role]) => [people[name as Name], role] as const);
  const review = await askFor(people.L, id, { policy, roles, student: people.T, ...more });
  await suggestIn(house, review, { type: 'problems', text: machineSays });
  return { people, id, review, layers: [], attachments: [] };
}

const layersOf = (reviewId: string) =>
  house.database.sql<{ id: string; kind: string; reviewer_id: string | null }[]>`
    select id, kind, reviewer_id from layers where review_id = ${reviewId} and deleted_at is null order by id`;

/** Keys of reviewers and the student by name, as they are stored now. */
async function stored({ id, review }: Scene) {
  const found = await loadReview(house.database.orm, { meetingId: id, reviewId: review.id });
  if (!found) throw new Error('no review');
  return found;
}

/** Everything a person can ask for, as one text. */
async function allThatReaches(person: Person, { id, review, layers, attachments }: Scene): Promise<string> {
  const ofMeeting = ['', '/about', '/notes', '/attachments', '/versions', '/acl', '/reviews', '/original'];
  const paths = [
    '/api/meetings',
    '/api/growth',
    `/api/meetings/${id}/reviews/${review.id}`,
    `/api/meetings/${id}/reviews/${review.id}/agreement`,
    `/api/meetings/${id}/reviews/${review.id}/listened`,
    `/api/meetings/${id}/reviews/${review.id}/calibration`,
    `/api/meetings/${id}/reviews/${review.id}/report`,
    ...ofMeeting.map((path) => `/api/meetings/${id}${path}`),
    ...['meetings', 'finds', 'aggs'].map((list) => `/api/${list}?filters={}&query=${allSay}`),
    `/api/finds?filters=${encodeURIComponent('{"outcome":{"type":"trust"}}')}`,
    `/api/compare?ids=${layers
      .slice(0, 6)
      .map((layer) => layer.id)
      .join(',')}&rows=outcomes`,
    ...layers.flatMap((layer) => ['', '/notes', '/attachments'].map((path) => `/api/meetings/${layer.id}${path}`)),
    ...[id, ...layers.map((layer) => layer.id)].map((one) => `/api/meetings/${one}/outcomes/autodetect`),
    `/api/compare?ids=${layers.flatMap((layer) => (layer.kind === 'machine' ? layer.id : [])).join(',') || id}&rows=outcomes`,
  ];
  const texts: string[] = [];
  for (const url of attachments)
    for (const path of [url, attachmentPath(id, url.split('/').at(-1) ?? '')])
      texts.push(Buffer.from((await person.get(path)).bytes).toString('latin1'));
  for (const path of paths) texts.push((await person.get(path)).text);
  for (const one of [id, ...layers.map((layer) => layer.id)]) {
    texts.push(
      (await person.post(`/api/export/${one}`, { format: 'RAE', options: { comments: true, outcomes: true } })).text,
    );
    for (const part of ['layer', 'comments', 'outcomes', 'transcript', 'notes']) {
      const room = `${one}/${part}`;
      const { status, body } = await person.post('/api/sync/tickets', { room });
      if (status !== 200) continue;
      const editor = new Editor({ room, at: () => house.origin, ticket: body.ticket });
      await synced([editor]);
      for (const kind of ['comments', 'outcomes', 'grades'])
        texts.push(JSON.stringify(editor.doc.getMap(kind).toJSON()));
      editor.close();
    }
  }
  return texts.join('\n');
}

/** Compares who gets which layer, and which secret, with the rules. */
async function expectByTheRules(given: Scene, secrets: Record<string, string>): Promise<void> {
  await indexAll(house);
  const layers = await layersOf(given.review.id);
  const now = { ...given, layers };
  const { review, people: rows } = await stored(now);
  const grants = grantsOf(review);
  const opened = ['open', 'published'].includes(phaseOf(review));
  const reports = new Set<string>();
  for (const [name, person] of Object.entries(given.people)) {
    const keys = [person.id, keyOf({ kind: 'pending', principalId: person.email.toLowerCase() })];
    const granted = (layer: (typeof layers)[number]) =>
      grants.find(
        (one) => keys.includes(one.principal) && one.layer.kind === layer.kind && one.layer.of === layer.reviewer_id,
      )?.permission ?? null;
    for (const layer of layers) {
      const { status, body } = await person.get(`/api/meetings/${layer.id}`);
      const what = `${name} reads ${layer.kind} in ${phaseOf(review)}`;
      expect(status, what).toBe(granted(layer) === null ? 403 : 200);
      if (status === 200)
        expect(body.permissions.includes('comment'), `${what}, and annotates`).toBe(granted(layer) === 'comment');
      if (status === 200) {
        const words = grants.find((one) => keys.includes(one.principal) && one.layer.kind === 'words');
        const corrects = words?.permission === 'write';
        expect(body.permissions.includes('write'), `${what}, and corrects words`).toBe(corrects);
      }
      const added = await person.post(`/api/meetings/${layer.id}/comments`, { ...at, text: '' });
      expect([403, 422], what).toContain(added.status);
    }
    const all = await allThatReaches(person, now);
    const searched = (await person.get(`/api/finds?query=${allSay}`)).text;
    for (const [owner, secret] of Object.entries(secrets)) {
      const row = rows.find((one) => one.id === secret.split(' ')[1]);
      const own = layers.find(({ reviewer_id: of }) => of === row?.id) ?? layers.find(({ kind }) => kind === 'shared');
      const reads = own !== undefined && granted(own) !== null;
      const [word = ''] = secret.split(' ');
      expect(all.includes(word), `${name} learns what ${owner} said in ${phaseOf(review)}`).toBe(reads);
      expect(all.includes(soundOf(word)), `${name} hears what ${owner} said in ${phaseOf(review)}`).toBe(reads);
      expect(all.includes(fileOf(word)), `${name} opens the file of ${owner} in ${phaseOf(review)}`).toBe(reads);
      expect(all.includes(partOf(word)), `${name} learns what ${owner} listened to in ${phaseOf(review)}`).toBe(reads);
      expect(searched.includes(word), `${name} finds what ${owner} said in ${phaseOf(review)}`).toBe(reads);
      if (owner === 'T') continue;
      const remarked = all.includes(remarkOf(word));
      expect(remarked, `${name} reads the comment of ${owner} in ${phaseOf(review)}`).toBe(
        readsRemark(name, owner, review),
      );
    }
    // The machine's suggestions, their number, and that there are any, are for who reads its layer.
    const machine = layers.find(({ kind }) => kind === 'machine');
    const suggests = machine !== undefined && granted(machine) !== null;
    const inPhase = `in ${phaseOf(review)}`;
    expect(all.includes(machineSays), `${name} learns what the machine suggests ${inPhase}`).toBe(suggests);
    for (const layer of layers) {
      if (granted(layer) === null) continue;
      const answer = await person.get(`/api/meetings/${layer.id}/outcomes/autodetect`);
      const what = `${name} asks by ${layer.kind} for suggestions ${inPhase}`;
      expect(answer.status, what).toBe(suggests ? 200 : 403);
      const counted = await person.get(`/api/meetings/${layer.id}/eval`);
      expect(counted.text.includes('"machine":{"count":1'), `${what}, and counts them`).toBe(suggests);
    }
    // Other reviewers and their progress are for supervisors and the leader while the review is blind.
    const seen = await person.get(`/api/meetings/${given.id}/reviews/${given.review.id}`);
    if (seen.status === 200) {
      const told = name === 'L' || name === 'S' || opened || !isBlind(review);
      const others = (seen.body as { review: ReviewView }).review.reviewers.filter(({ isMe }) => !isMe);
      expect(others.length > 0, `${name} learns of others in ${phaseOf(review)}`).toBe(told);
      // Figures come from all assessments that count, or are absent.
      const agreement = await person.get(`/api/meetings/${given.id}/reviews/${given.review.id}/agreement`);
      const counted = review.reviewers.filter(
        (one) => isCounted(one) && (!opened || (review.blindRecord?.includes(one.id) ?? false)),
      );
      const readsAll = counted.every(({ id }) => {
        const layer = layers.find((one) => (isBlind(review) ? one.reviewer_id === id : one.kind === 'shared'));
        return layer !== undefined && granted(layer) !== null;
      });
      expect(agreement.body.agreement !== null, `${name} reads agreement in ${phaseOf(review)}`).toBe(readsAll);
    }
    // A report is for those who read all of it, and the same for each of them.
    const report = await person.get(`/api/meetings/${given.id}/reviews/${given.review.id}/report`);
    expect(report.status, `${name} asks for the report`).toBe(seen.status);
    const readsReport = opened && seen.status === 200 && (name !== 'T' || phaseOf(review) === 'published');
    if (seen.status === 200)
      expect(report.body.report !== null, `${name} reads the report in ${phaseOf(review)}`).toBe(readsReport);
    if (readsReport) reports.add(report.text);
    // Grades over time are those of the reports that a person reads; an address tells nobody else of its account.
    const growth = (await person.get('/api/growth')).body as GrowthAnswer;
    const isNamed = review.student !== null && (name === 'T' || !review.student.principal.startsWith('mail:'));
    expect(growth.people.length, `${name} reads grades over time in ${phaseOf(review)}`).toBe(
      readsReport && isNamed ? 1 : 0,
    );
    // A report has nothing of M, who practises, and of S, who oversees.
    for (const owner of ['M', 'S']) expect(report.text).not.toContain(secrets[owner]?.split(' ')[0] ?? 'canary none');
  }
  expect(reports.size, `reports in ${phaseOf(review)}`).toBe(opened ? 1 : 0);
}

/** A word in what the machine suggests. */
const machineSays = 'machinecanary';
/** A word in all annotations, by which they are searched. */
const allSay = 'canarybird';
const soundOf = (word: string): string => `sound${word.slice('canary'.length)}`;
const fileOf = (word: string): string => `file${word.slice('canary'.length)}`;
/** A part of the recording that nobody else listened to, as answers have it. */
const partOf = (word: string): string => JSON.stringify([partBegins(word), partBegins(word) + 7]);
const begins = new Map<string, number>();
const partBegins = (word: string): number => {
  const at = begins.get(word) ?? 1000 + 10 * begins.size;
  begins.set(word, at);
  return at;
};
const remarkOf = (word: string): string => `remark${word.slice('canary'.length)}`;

/** Whether a person reads the comment that somebody gives with their assessment. */
function readsRemark(name: string, owner: string, review: Review): boolean {
  if (name === owner) return true;
  // The person assessed reads them once they are published, but for those of supervisors.
  if (name === 'T') return phaseOf(review) === 'published' && owner !== 'S';
  if (name === 'L' || name === 'S') return true;
  return name in roleOf && (!isBlind(review) || ['open', 'published'].includes(phaseOf(review)));
}

/** Annotates, speaks, sends a file, grades, listens, and comments on the assessment: each with a secret word. */
const secretOf = async (person: Person, { review, attachments }: Scene): Promise<string> => {
  const { mine, cloneId } = await seenBy(person, review);
  const word = `canary${newId()}`;
  const text = `${allSay} ${word}`;
  const isSelf = mine?.role === 'student';
  const row = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
  const url = await sendVoice(person, cloneId ?? '', spoken(1, soundOf(word)), 'vnote');
  const comment = newId();
  for (const said of [
    await person.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { ...at, type: 'vNotes', text: '', url } }),
    await person.post(`/api/meetings/${cloneId}/comments`, { ...at, id: comment, text }),
    await person.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { ...at, type: 'trust', grade: 2, text } }),
    await person.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 3, words: text }),
    await person.put(`/api/meetings/${review.meetingId}/reviews/${review.id}/listened`, { shared: true }),
    await person.put(`/api/meetings/${cloneId}/listened`, { heard: [[partBegins(word), partBegins(word) + 7]] }),
    ...(isSelf ? [] : [await person.post(row, { comment: remarkOf(word) })]),
  ])
    expect(said.status, said.text).toBe(200);
  const file = await sendFile(person, cloneId ?? '', { content: fileOf(word), comment });
  attachments.push(url, file);
  return `${word} ${mine?.id}`;
};

test('C06 a comparison tells nothing of the notes and the private outcomes of others', async () => {
  const { people, id, review } = await scene('strict');
  const { L, R, Q } = people;
  const [own, other] = [(await seenBy(R, review)).cloneId, (await seenBy(Q, review)).cloneId];
  const secret = `canary${newId()}`;
  const note = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: secret }] }] };
  for (const [person, place] of [
    [Q, other],
    [L, id],
  ] as const) {
    const outcome = { ...at, type: 'notes', text: secret, private: true };
    for (const { status, text } of [
      await person.put(`/api/meetings/${place}/notes`, { text: JSON.stringify(note) }),
      await person.post(`/api/meetings/${place}/outcomes`, { outcome }),
    ])
      expect(status, text).toBe(200);
  }
  for (const rows of ['outcomes', 'highlights', 'overlaps'])
    for (const person of [R, people.E, people.S]) {
      const { status, text } = await person.get(`/api/compare?ids=${id},${own},${other}&rows=${rows}`);
      expect(status, text).toBe(200);
      expect(text).not.toContain('canary');
    }
});

describe('a secret word', () => {
  test('in a strict review: closed, open, taken back, published', async () => {
    const given = await scene('strict');
    const { people, review, id } = given;
    const secrets: Record<string, string> = {};
    for (const name of ['R', 'O', 'M', 'S'] as const) secrets[name] = await secretOf(people[name], given);
    await expectByTheRules(given, secrets);
    for (const name of ['R', 'Q', 'S'] as const) await setStatus(people[name], review, 'complete');
    expect((await seenBy(people.R, review)).phase).toBe('open');
    await expectByTheRules(given, secrets);
    await setStatus(people.R, review, 'in-progress');
    await expectByTheRules(given, secrets);
    await setStatus(people.R, review, 'complete');
    expect((await people.L.post(`/api/meetings/${id}/reviews/${review.id}/publish`)).status).toBe(200);
    await expectByTheRules(given, secrets);
  });

  test('in a student review: the student first, then mentors, then all', async () => {
    const given = await scene('student');
    const { people, review } = given;
    const secrets: Record<string, string> = { T: await secretOf(people.T, given) };
    await expectByTheRules(given, secrets);
    await setStatus(people.T, review, 'complete');
    secrets['R'] = await secretOf(people.R, given);
    await expectByTheRules(given, secrets);
    for (const name of ['R', 'Q', 'S'] as const) await setStatus(people[name], review, 'complete');
    await expectByTheRules(given, secrets);
  });

  test('in a relaxed review: all reviewers, and the student once it is published', async () => {
    const given = await scene('relaxed');
    const { people, review, id } = given;
    const secrets: Record<string, string> = {};
    for (const name of ['R', 'M', 'S'] as const) secrets[name] = await secretOf(people[name], given);
    await expectByTheRules(given, secrets);
    for (const name of ['R', 'Q', 'S'] as const) await setStatus(people[name], review, 'complete');
    expect((await seenBy(people.R, review)).phase).toBe('open');
    await expectByTheRules(given, secrets);
    expect((await people.L.post(`/api/meetings/${id}/reviews/${review.id}/publish`)).status).toBe(200);
    await expectByTheRules(given, secrets);
  });

  test('that reaches somebody by a planted permission is found', async () => {
    const given = await scene('strict');
    const { people, review, id } = given;
    const secrets = { R: await secretOf(people.R, given) };
    const { cloneId } = await seenBy(people.R, review);
    await house.database.sql`
      insert into layer_access (layer_id, meeting_id, kind, principal_id, permissions)
      values (${cloneId}, ${id}, 'user', ${people.X.id}, array['read'])`;
    await expect(expectByTheRules(given, secrets)).rejects.toThrow('X reads own in closed');
    await house.database.sql`delete from layer_access where principal_id = ${people.X.id}`;
    await house.database.sql`update ai_suggestions set layer_id = null where meeting_id = ${id}`;
    await expect(expectByTheRules(given, secrets)).rejects.toThrow('learns what the machine suggests in closed');
  });
});

test('in an anonymous review no call and no socket has a name, an account or an address of another reviewer', async () => {
  const given = await scene('relaxed', { anonymous: true });
  const { people, review, id } = given;
  for (const name of ['R', 'O', 'M', 'S'] as const) await secretOf(people[name], given);
  const discussion = (await seenBy(people.R, review)).layers.find(({ kind }) => kind === 'discussion');
  const talked = await people.R.post(`/api/meetings/${discussion?.id}/comments`, { ...at, text: 'agreed' });
  expect(talked.body.comment?.author, talked.text).toMatchObject({ kind: 'reviewer', name: '' });
  /** Names, accounts and addresses of reviewers that reach a person. */
  const learnt = async (name: Name): Promise<string[]> => {
    const all = await allThatReaches(people[name], { ...given, layers: await layersOf(review.id) });
    return Object.keys(roleOf).filter((of) => {
      const { id: account, email } = people[of as Name];
      return of !== name && [`Name${of}`, account, email].some((word) => all.includes(word));
    });
  };
  const everybody = Object.keys(roleOf);
  await indexAll(house);
  for (const name of ['R', 'E'] as const) expect(await learnt(name), name).toEqual([]);
  expect(await learnt('S')).toEqual(everybody.filter((name) => name !== 'S'));
  for (const name of ['R', 'Q', 'S'] as const) await setStatus(people[name], review, 'complete');
  expect((await people.L.post(`/api/meetings/${id}/reviews/${review.id}/publish`)).status).toBe(200);
  await indexAll(house);
  for (const name of ['W', 'T'] as const) expect(await learnt(name), name).toEqual([]);
  expect(await learnt('L')).toEqual(everybody);
  expect((await seenBy(people.W, review)).reviewers.map(({ name }) => name)).toEqual(
    everybody.map((_, nth) => `Reviewer ${nth + 1}`),
  );
  for (const name of ['O', 'T'] as const) {
    const mails = (await house.mails(people[name].email)).map(({ text, subject }) => `${subject} ${text}`).join();
    expect(everybody.filter((of) => of !== name && mails.includes(`Name${of}`))).toEqual([]);
  }
  await house.database.sql`update reviews set anonymous = false where id = ${review.id}`;
  expect((await learnt('T')).length).toBeGreaterThan(0);
});

test('by a layer’s id, each call answers as its row says, also to who may do everything there', async () => {
  const { people, review } = await scene('relaxed');
  const { cloneId } = await seenBy(people.R, review);
  const calls = Object.entries(verbs).filter(([name, { needs, layer }]) => needs && !layer && name.startsWith('GET'));
  for (const [name] of calls) {
    const path = name
      .slice('GET '.length)
      .replace(':id', cloneId ?? '')
      .replaceAll(/:\w+/g, '1');
    if (!path.includes('access-requests')) expect((await people.R.get(path)).problem?.code, name).toMatch('NO_ACCESS');
  }
});

test('A1 at two processes, opening, taking back and removing reach all sockets and end what is written late', async () => {
  const beside = await openBeside(house);
  try {
    const { people, review, id } = await scene('strict');
    const { L, R, Q, S, O } = people;
    const there = { at: () => `http://127.0.0.1:${beside.port}` };
    const joined = async (person: Person, room: string) => {
      const editor = new Editor({ room, ...there, ticket: await ticketFor(person, room) });
      await synced([editor]);
      return editor;
    };
    // Removed: the last words that were stored stay, and later ones are not stored.
    const { cloneId: own, mine } = await seenBy(O, review);
    const corrects = await joined(O, `${own}/transcript`);
    const kept = corrects.type();
    await until(() => corrects.provider.pending === 0);
    const { rev } = await seenBy(L, review);
    const removed = await L.post(`/api/meetings/${id}/reviews/${review.id}`, { rev, remove: [mine?.id] });
    expect(removed.status, removed.text).toBe(200);
    expect((await O.post(`/api/meetings/${own}/comments`, { ...at, text: 'late' })).status).toBe(403);
    await until(() => corrects.closes.includes(close.noAccess));
    const late = corrects.type();
    expect((await O.post('/api/sync/tickets', { room: `${own}/transcript` })).status).toBe(403);
    const words = JSON.stringify((await L.get(`/api/meetings/${id}`)).body.doc.transcript);
    expect([words.includes(kept), words.includes(late)]).toEqual([true, false]);

    // Opened: the answer to the last one who completes comes behind the rights of all. Taken back: they end.
    const room = `${(await seenBy(Q, review)).cloneId}/layer`;
    expect((await R.post('/api/sync/tickets', { room })).status).toBe(403);
    for (const person of [R, Q, S]) await setStatus(person, review, 'complete');
    const reads = await joined(R, room);
    await setStatus(Q, review, 'in-progress');
    await until(() => reads.closes.includes(close.noAccess));
    expect((await R.post('/api/sync/tickets', { room })).status).toBe(403);
  } finally {
    closeEditors();
    await beside.stop();
  }
});

test('A1 at two processes, who reads an opened review reads nothing once it is closed again', async () => {
  const beside = await openBeside(house);
  try {
    const { people, review } = await scene('strict');
    for (const name of ['R', 'Q', 'S'] as const) await setStatus(people[name], review, 'complete');
    const theirs = (await seenBy(people.R, review)).reviewers.find(({ role, isMe }) => role === 'required' && !isMe);
    const room = `${theirs?.cloneId}/layer`;
    const origin = `http://127.0.0.1:${beside.port}`;
    const editor = new Editor({ room, at: () => origin, ticket: await ticketFor(people.R, room) });
    await synced([editor]);
    await setStatus(people.Q, review, 'in-progress');
    await until(() => editor.closes.includes(close.noAccess));
  } finally {
    closeEditors();
    await beside.stop();
  }
});
