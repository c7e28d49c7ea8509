// N1 to N10: the progress of a recording is sent to those who may know it, in every process; so are mentions in comments,
// changes of a person's lists, and what a review and its assessments show.
import { once } from 'node:events';
import { and, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { intakes } from '#db/schema/intake.ts';
import { meetingAccess } from '#db/schema/meetings.ts';
import type { Progress } from '#shared/intake.ts';
import type { CommentNews, PageNews } from '#shared/page-news.ts';
import { limits } from '#sync/protocol.ts';
import { giveCredits, useQuota } from '../support/billing.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { beginProcessing, createMeeting, external } from '../support/intake.ts';
import { giveFolder, makeFolders } from '../support/folders.ts';
import { inviteTo, makeGroup, makeTeam } from '../support/groups.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { endProcesses, openProcess } from '../support/processes.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';
import { suggestIn } from '../support/suggestions.ts';

let house: TestHouse;
beforeAll(async () => {
  // No jobs run here: all news come from what the test did.
  house = await openHouse({ env: { ROLE: 'api' } });
});
const opened: Reader[] = [];
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.terminate();
});
afterAll(async () => {
  endProcesses();
  await house?.close();
});

class Reader {
  readonly socket: WebSocket;
  readonly heard: PageNews[] = [];
  code: number | null = null;
  status: number | null = null;
  #wake = (): void => {};

  constructor(person: Person | null, port: number, origin: string, path = '') {
    const cookies = [...(person?.cookies ?? [])].map(([name, value]) => `${name}=${value}`);
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/sync/news${path}`, {
      headers: { Origin: origin, ...(cookies.length > 0 && { Cookie: cookies.join('; ') }) },
    });
    this.socket.on('message', (data: Buffer) => {
      this.heard.push(JSON.parse(data.toString()) as PageNews);
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.socket.on('unexpected-response', (_request, answer) => {
      this.status = answer.statusCode ?? 0;
      this.#wake();
    });
    this.socket.on('close', (code) => {
      this.code = code;
      this.#wake();
    });
    opened.push(this);
  }

  async until<T>(look: () => T | undefined | null | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found) return found;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  readonly in = () => this.until(() => this.heard.length > 0 || this.status !== null);
  readonly of = (meeting: string): Progress[] =>
    this.heard.flatMap((news) => (news.kind === 'progress' && news.meeting === meeting ? [news.progress] : []));
}

const mentions = ({ heard }: Reader): CommentNews[] =>
  heard.filter((news): news is CommentNews => news.kind === 'mention');

let sync: Awaited<ReturnType<typeof openProcess>>;
let other: typeof sync;
beforeAll(async () => {
  const env = { DATABASE_URL: house.url, LOG_LEVEL: 'warn', ROLE: 'sync' };
  [sync, other] = await Promise.all([openProcess(env), openProcess(env)]);
}, 120_000);

async function reader(person: Person | null, path = '', at = sync): Promise<Reader> {
  const one = new Reader(person, at.port, at.origin, path);
  await one.in();
  return one;
}

async function begun(owner: Person): Promise<string> {
  const { id } = await createMeeting(owner);
  expect((await beginProcessing(owner, id)).status).toBe(200);
  return id;
}
const move = (meetingId: string, fields: Partial<typeof intakes.$inferInsert>) =>
  house.database.orm.update(intakes).set(fields).where(eq(intakes.meetingId, meetingId));

test('N1 each step reaches its owner and those it is shared with, in every process, and nobody else', async () => {
  const [ann, ben, chen] = (await house.people(3)) as [Person, Person, Person];
  const id = await begun(ann);
  const chens = await begun(chen);
  await share(house, id, ben, ['read', 'discover']);
  const [annHere, benThere, chenHere] = await Promise.all([reader(ann), reader(ben, '', other), reader(chen)]);
  await move(id, { percentage: 40 });
  await move(id, { state: 'failed', failure: 'unsupported' });
  await move(chens, { percentage: 7 });
  for (const one of [annHere, benThere]) {
    await one.until(() => one.of(id).some(({ failures_present }) => failures_present));
    expect(one.of(id).at(-1)).toMatchObject({ percentage: 40, failure: 'unsupported' });
    expect(one.of(chens)).toEqual([]);
  }
  // News of Ann's recording came first: had they been sent to Chen, they would be here.
  await chenHere.until(() => chenHere.of(chens).length > 0);
  expect(chenHere.of(id)).toEqual([]);
});

test('N2 a permission that ends ends the news at once, also for a person with the link', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await begun(ann);
  await share(house, id, ben, ['read']);
  await share(house, id, 'anonymous', ['read']);
  const [annHere, benHere, guest] = await Promise.all([
    reader(ann),
    reader(ben, `?meeting=${id}`),
    reader(null, `?meeting=${id}`),
  ]);
  await move(id, { percentage: 11 });
  for (const one of [annHere, benHere, guest]) await one.until(() => one.of(id).length > 0);
  await house.database.orm.delete(meetingAccess).where(eq(meetingAccess.meetingId, id));
  await move(id, { percentage: 22 });
  await annHere.until(() => annHere.of(id).some(({ percentage }) => percentage === 22));
  // Given the permission again, they get the next step.
  await share(house, id, ben, ['read']);
  await share(house, id, 'anonymous', ['read']);
  await move(id, { percentage: 33 });
  for (const one of [benHere, guest]) {
    await one.until(() => one.of(id).length > 1);
    expect(one.of(id).map(({ percentage }) => percentage)).toEqual([11, 33]);
  }
});

test('N3 the door: no session, no right, no such meeting, another site, too many', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await begun(ann);
  const untold = await makeMeeting(house, ann);
  const refused = async (person: Person | null, path: string) => (await reader(person, path)).status;
  expect(await refused(null, '')).toBe(401);
  expect(await refused(ben, `?meeting=${id}`)).toBe(403);
  expect(await refused(null, `?meeting=${untold}`)).toBe(403);
  expect(await refused(ben, '?meeting=nothing')).toBe(403);
  const foreign = new Reader(ann, sync.port, 'http://elsewhere.test');
  await foreign.in();
  expect(foreign.status).toBe(403);
  for (let n = 0; n < limits.socketsPerUser; n += 1) expect(await refused(ben, '')).toBeNull();
  expect(await refused(ben, '')).toBe(429);
  expect(await refused(ann, '')).toBeNull();
});

test('N4 a client that signs out or sends something is closed; a draft is sent to nobody', async () => {
  const ann = await house.person();
  const draft = (await createMeeting(ann, external())).id;
  const id = await begun(ann);
  const [here, talker] = await Promise.all([reader(ann), reader(ann)]);
  await move(draft, { percentage: 5 });
  await move(id, { percentage: 6 });
  await here.until(() => here.of(id).length > 0);
  expect(here.of(draft)).toEqual([]);
  talker.socket.send('hello?');
  await once(talker.socket, 'close');
  expect(talker.code).toBe(4400);
  expect((await ann.post('/api/logout', {})).status).toBeLessThan(400);
  await here.until(() => here.code !== null);
  expect(here.code).toBe(4401);
});

test('N5 a running job sends its progress, to the end', async () => {
  const ann = await house.person();
  const here = await reader(ann);
  const { id } = await createMeeting(ann, external());
  await beginProcessing(ann, id);
  await openProcess({ DATABASE_URL: house.url, LOG_LEVEL: 'warn', ROLE: 'jobs' });
  await here.until(() => here.of(id).some(({ percentage }) => percentage === 100));
});

test('N6 a mention is sent to the person in every process, where they may read the comment', async () => {
  const [ann, ben, cleo] = (await house.people(3)) as [Person, Person, Person];
  const [id, elsewhere] = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
  for (const meeting of [id, elsewhere]) await share(house, meeting, ben, ['read']);
  const people = await Promise.all([ann, ben, cleo].map(async (one) => (await one.whoami()).body.principal));
  const [own, here, there, stranger] = await Promise.all([
    reader(ann),
    reader(ben),
    reader(ben, '', other),
    reader(cleo),
  ]);
  const ofOne = await reader(ben, `?meeting=${id}`);
  const speak = async (meeting: string, secret: string, own = false): Promise<string> => {
    const spoken = people.map(({ id: who }) => ({ type: 'mention', attrs: { id: who, label: 'You' } }));
    const words = [{ type: 'text', text: secret }, ...spoken];
    const text = JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: words }] });
    const answer = await ann.post(`/api/meetings/${meeting}/comments`, { start: 0, end: 1, text, private: own });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.comment.id;
  };
  await speak(id, 'to myself', true);
  const first = await speak(id, 'a secret');
  await here.until(() => mentions(here).length > 0);
  await there.until(() => mentions(there).length > 0);
  const { first_name: given, last_name: family } = people[0] ?? {};
  expect(mentions(here)).toEqual([
    { kind: 'mention', meeting: id, comment: first, author: `${given} ${family}`.trim(), title: '' },
  ]);
  expect(JSON.stringify(here.heard)).not.toContain('secret');
  // A later message has arrived, so an earlier one would have, too.
  await house.database.orm
    .delete(meetingAccess)
    .where(and(eq(meetingAccess.meetingId, id), eq(meetingAccess.kind, 'user')));
  await speak(id, 'nobody else reads it now');
  const last = await speak(elsewhere, 'another');
  await here.until(() => mentions(here).some(({ comment }) => comment === last));
  expect(mentions(here).map(({ comment }) => comment)).toEqual([first, last]);
  for (const one of [own, stranger, ofOne]) expect(mentions(one)).toEqual([]);
});

test('N6 an answer is told to those who wrote in its thread, and a comment to the owner of the recording', async () => {
  const [ann, ben, cleo] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeMeeting(house, ann);
  for (const one of [ben, cleo]) await share(house, id, one, ['read', 'comment']);
  const [owner, there, third] = [await reader(ann), await reader(ben, '', other), await reader(cleo)];
  const say = async (by: Person, more: object = {}): Promise<string> => {
    const answer = await by.post(`/api/meetings/${id}/comments`, { start: 0, end: 1, text: 'a secret', ...more });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.comment.id;
  };
  const told = ({ heard }: Reader) =>
    heard.flatMap((news) => (news.kind === 'reply' || news.kind === 'comment' ? [`${news.kind} ${news.comment}`] : []));
  const began = await say(ben);
  await say(ben);
  const answers = [await say(ann, { parent: began }), await say(cleo, { parent: began })];
  const last = await say(ben, { parent: began });
  await third.until(() => told(third).includes(`reply ${last}`));
  await there.until(() => told(there).length === 2);
  await owner.until(() => told(owner).length === 3);
  expect(told(third)).toEqual([`reply ${last}`]);
  expect(told(there)).toEqual(answers.map((one) => `reply ${one}`));
  expect(told(owner)).toEqual([`comment ${began}`, `reply ${answers[1]}`, `reply ${last}`]);
  expect(JSON.stringify([owner.heard, there.heard, third.heard])).not.toContain('secret');
});

/** Tells which of the people, of whom Ben listens in both processes, hear of a deed. */
async function hearers(
  kind: 'library' | 'groups',
  { ann, ben, cleo }: Record<'ann' | 'ben' | 'cleo', Person>,
  last: Person,
): Promise<(deed: Promise<unknown>) => Promise<string[]>> {
  const everybody = {
    ann: await reader(ann),
    ben: await reader(ben),
    'ben, elsewhere': await reader(ben, '', other),
    cleo: await reader(cleo),
  };
  const lasts = [await reader(last), await reader(last, '', other)];
  const count = ({ heard }: Reader) => heard.filter((news) => news.kind === kind).length;
  /** One person gets the last message, so all others have arrived. */
  const allIsTold = async () => {
    const before = lasts.map(count);
    await house.database.orm.execute(sql`select pg_notify(${`colloquy_${kind}`}, ${last.id})`);
    for (const [nth, one] of lasts.entries()) await one.until(() => count(one) > (before[nth] ?? 0));
  };
  await allIsTold();
  return async (deed) => {
    const before = Object.values(everybody).map(count);
    await deed;
    await allIsTold();
    return Object.entries(everybody).flatMap(([who, one], nth) => (count(one) > (before[nth] ?? 0) ? who : []));
  };
}

test('N7 a change of lists is sent to the people whose lists they are, in every process, and to nobody else', async () => {
  const [ann, ben, cleo, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  const id = await makeMeeting(house, ann);
  const [folder] = (await makeFolders(ann, '/Plans')) as [string];
  const team = await makeGroup(cleo, [ben]);
  const { orm } = house.database;
  const hearOf = await hearers('library', { ann, ben, cleo }, dan);
  const bens = ['ben', 'ben, elsewhere'];
  const his = and(eq(meetingAccess.meetingId, id), eq(meetingAccess.kind, 'user'));
  expect(await hearOf(share(house, id, ben, ['read']))).toEqual(bens);
  expect(await hearOf(orm.delete(meetingAccess).where(his))).toEqual(bens);
  expect(await hearOf(giveFolder(house, folder, ben, ['read']))).toEqual(bens);
  for (const [path, body] of [
    ['/api/meetings/move', { ids: [id], path: '/Plans' }],
    ['/api/folders/rename', { path: '/Plans', name: 'Talks' }],
    ['/api/folders/delete', { path: '/Talks' }],
    ['/api/folders/restore', { id: folder }],
    ['/api/meetings/move', { ids: [id], path: '/' }],
  ] as const)
    expect(await hearOf(ann.post(path, body)), path).toEqual(['ann', ...bens]);
  const ofTeam = { meetingId: id, kind: 'group', principalId: team, permissions: ['read'] };
  expect(await hearOf(orm.insert(meetingAccess).values(ofTeam))).toEqual([...bens, 'cleo']);
  expect(await hearOf(cleo.delete(`/api/groups/${team}/members/${ben.id}`))).toEqual(bens);
  expect(await hearOf(ann.delete(`/api/meetings/${id}`))).toEqual(['ann', 'cleo']);
});

test('N9 a change of a team is sent to its members, in every process, and of its invitations to its admins alone', async () => {
  const [ann, ben, cleo, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  const team = await makeTeam(ann, [ben]);
  const path = `/api/groups/${team}`;
  const hearOf = await hearers('groups', { ann, ben, cleo }, dan);
  const bens = ['ben', 'ben, elsewhere'];
  expect(await hearOf(inviteTo(ann, team, cleo.email))).toEqual(['ann']);
  expect(await hearOf(cleo.post(`${path}/accept`))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.put(`${path}/members/${ben.id}`, { role: 'admin' }))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.put(path, { payer: ben.id }))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.put(path, { name: 'Talks of the summer' }))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.put(path, { name: 'Talks of the summer' }))).toEqual([]);
  expect(await hearOf(ann.delete(`${path}/members/${cleo.id}`))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.post(`${path}/deactivate`))).toEqual(['ann', ...bens]);
  expect(await hearOf(ann.delete(path))).toEqual(['ann', ...bens]);
});

test('N9 the balance of a payer is news to the admins of the team, and a quota to its member too', async () => {
  const [ann, ben, cleo, dan] = (await house.people(4)) as [Person, Person, Person, Person];
  const team = await makeTeam(ann, [ben, [cleo, 'admin']], { defaultQuota: 3 });
  const hearOf = await hearers('groups', { ann, ben, cleo }, dan);
  const bens = ['ben', 'ben, elsewhere'];
  expect(await hearOf(giveCredits(house, ann, '5'))).toEqual(['ann', 'cleo']);
  expect(await hearOf(useQuota(house, ben, team, 1))).toEqual(['ann', ...bens, 'cleo']);
  expect(await hearOf(ann.put(`/api/groups/${team}/members/${ben.id}`, { quota: 4 }))).toEqual([
    'ann',
    ...bens,
    'cleo',
  ]);
  expect(await hearOf(giveCredits(house, ben, '5'))).toEqual([]);
});

test('N8 a change of a review is sent to those whom it shows something else, in every process, and to nobody else', async () => {
  const [ann, ben, chen, sue] = (await house.people(4)) as [Person, Person, Person, Person];
  const id = await makeMeeting(house, ann);
  const everybody = {
    ann: await reader(ann),
    ben: await reader(ben),
    'ben, elsewhere': await reader(ben, '', other),
    chen: await reader(chen),
    sue: await reader(sue),
  };
  const count = ({ heard }: Reader) => heard.filter(({ kind }) => kind === 'review').length;
  let nth = 0;
  const hearOf = async (deed: Promise<unknown>) => {
    const before = Object.values(everybody).map(count);
    await deed;
    // Arrives behind everything that came of the deed.
    const end = { meeting: id, review: `end ${(nth += 1)}` };
    for (const { id: user } of [ann, ben, chen, sue])
      await house.database.orm.execute(sql`select pg_notify('colloquy_review', ${JSON.stringify({ ...end, user })})`);
    for (const one of Object.values(everybody))
      await one.until(() => one.heard.some((news) => news.kind === 'review' && news.review === end.review));
    return Object.entries(everybody).flatMap(([who, one], i) => (count(one) > (before[i] ?? 0) + 1 ? who : []));
  };
  const bens = ['ben', 'ben, elsewhere'];
  const roles = [[ben, 'required'] as const, [chen, 'required'] as const, [sue, 'supervisor'] as const];
  const asked = askFor(ann, id, { roles });
  expect(await hearOf(asked)).toEqual(['ann', ...bens, 'chen', 'sue']);
  const review = await asked;
  // States of a closed review are for supervisors, the leader, and each of the reviewers their own.
  expect(await hearOf(setStatus(ben, review, 'in-progress'))).toEqual(['ann', ...bens, 'sue']);
  expect(await hearOf(setStatus(chen, review, 'complete'))).toEqual(['ann', 'chen', 'sue']);
  expect(await hearOf(setStatus(ben, review, 'complete'))).toEqual(['ann', ...bens, 'sue']);
  expect(await hearOf(setStatus(sue, review, 'complete'))).toEqual(['ann', ...bens, 'chen', 'sue']);
  const path = `/api/meetings/${id}/reviews/${review.id}`;
  expect(await hearOf(ann.delete(path))).toEqual(['ann', ...bens, 'chen', 'sue']);
});

test('N10 a change of an assessment, and a suggestion there, is sent to who reads it, in every process, and to nobody else', async () => {
  const [ann, ben, chen, sue] = (await house.people(4)) as [Person, Person, Person, Person];
  const id = await makeMeeting(house, ann);
  const roles = [[ben, 'required'] as const, [chen, 'required'] as const];
  const strict = await askFor(ann, id, { roles: [...roles, [sue, 'supervisor']] });
  const relaxed = await askFor(ann, id, { policy: 'relaxed', roles: [...roles, [sue, 'required']] });
  const everybody = {
    ben: await reader(ben),
    'ben, elsewhere': await reader(ben, '', other),
    chen: await reader(chen),
    sue: await reader(sue),
    'sue, elsewhere': await reader(sue, '', other),
  };
  const times = ({ heard }: Reader, review: string) =>
    heard.filter((news) => news.kind === 'assessment' && news.review === review).length;
  const hears = (one: Reader, review: string) => times(one, review) > 0;
  const grade = async (review: typeof strict) => {
    const { cloneId } = await seenBy(ben, review);
    const { status, text } = await ben.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 2 });
    expect(status, text).toBe(200);
  };
  await grade(strict);
  for (const one of [everybody.sue, everybody['sue, elsewhere']]) await one.until(() => hears(one, strict.id));
  // All annotate the other one together, and hear of it behind the news of the first.
  await grade(relaxed);
  for (const one of Object.values(everybody)) await one.until(() => hears(one, relaxed.id));
  const told = Object.entries(everybody).flatMap(([who, one]) => (hears(one, strict.id) ? who : []));
  expect(told).toEqual(['sue', 'sue, elsewhere']);

  const before = Object.values(everybody).map((one) => [one, times(one, strict.id), times(one, relaxed.id)] as const);
  await suggestIn(house, strict);
  for (const [one, ofStrict] of before.slice(-2)) await one.until(() => times(one, strict.id) > ofStrict);
  await suggestIn(house, relaxed);
  for (const [one, , ofRelaxed] of before) await one.until(() => times(one, relaxed.id) > ofRelaxed);
  expect(before.map(([one, ofStrict]) => times(one, strict.id) > ofStrict)).toEqual([false, false, false, true, true]);
});
