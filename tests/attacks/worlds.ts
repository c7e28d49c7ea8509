import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { beginSecondPasses } from '#server/reviews/second-pass.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import type { Policy, ReviewerRole } from '#shared/reviews/review.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { roles } from '#shared/roles.ts';
import { newId } from '#shared/ids.ts';
import { readFrame } from '#sync/protocol.ts';
import { Editor, synced, until } from '../support/editors.ts';
import { indexAll } from '../support/finding.ts';
import { makeTeam } from '../support/groups.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { share } from '../support/meetings.ts';
import type { Answer, Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';
import { apiRoutes } from './routes.ts';

// A world is a house with one review, in which some people act and others write down all that reaches them. Two worlds
// that differ in nothing but the actors' deeds must look the same to the others.

const reviewerRoles = {
  R: 'required',
  Q: 'required',
  O: 'optional',
  M: 'muted',
  W: 'watcher',
  S: 'supervisor',
} as const satisfies Record<string, ReviewerRole>;
/**
 * L leads and owns, K owns too, E edits, T is assessed, P is the expert of a key, X has no part in anything. Z is in L's team
 * for second passes.
 */
const names = ['L', 'K', 'E', 'T', 'P', 'Z', 'X', 'R', 'Q', 'O', 'M', 'W', 'S'] as const;
export type Name = (typeof names)[number];

export interface Deeds {
  /** Annotations of each actor. */
  times: number;
  /** The last act of each actor: none (`open`), completing, or completing and taking that back. */
  ends: 'open' | 'complete' | 'taken-back';
  /** Corrects words, by a page and by REST: all learn that, and nobody but supervisors by whom. */
  corrects?: Name;
  /** A second pass begins, in which Z assesses and completes. */
  secondPass?: boolean;
}

export interface Plan {
  policy: Policy;
  /** Whether the person assessed has completed before. */
  selfDone: boolean;
  /** Whether the review is compared with a key, the open assessment of an expert. */
  keyed?: boolean;
  /** Whether all have completed, and the review is open. */
  opened?: boolean;
  /** Account of the reviewer Q in an anonymous review, which is published: who it is must not matter. */
  anonymous?: 'Q' | 'Z';
  actors: readonly Name[];
  observers: readonly Name[];
  deeds: Deeds;
  /** Faults in the database, before the deeds: statements that are given the ids of people and the recording. */
  faults?: (ids: Record<Name, string>, meetingId: string) => readonly string[];
}

/** Text reaching an observer, by its cause. */
export type Heard = Map<string, string>;

interface Scene {
  house: TestHouse;
  people: Record<Name, Person>;
  id: string;
  review: ReviewView;
  /** Review that it is compared with; null: none. */
  key: ReviewView | null;
  /** Ids of layers by the person, and names of all ids. */
  layers: ReadonlyMap<string, string>;
  known: ReadonlyMap<string, string>;
}

/** A moment that all worlds begin at. */
const beginning = Math.ceil(Date.now() / 60_000) * 60_000;
const place = { start: 10, end: 12 };
/** A word in all annotations of actors, which observers search for. */
const secret = 'canarybird';

/** Lives through a world and returns what reached its observers. */
export async function live(plan: Plan): Promise<Heard> {
  const house = await openHouse();
  const editors: Editor[] = [];
  const sockets: WebSocket[] = [];
  try {
    house.clock.stop(beginning);
    const scene = await begin(house, plan);
    const { people, id } = scene;
    const ids = Object.fromEntries(names.map((name) => [name, people[name].id])) as Record<Name, string>;
    const heard: Heard = new Map();
    const marks = new Map<Name, Map<string, string>>();
    for (const name of plan.observers) marks.set(name, await marksFor(scene, name));
    // News of what was done before is sent by then.
    await sleep(1300);
    const listening = [];
    for (const name of plan.observers) listening.push(await listen(scene, name, editors, sockets));
    for (const fault of plan.faults?.(ids, id) ?? []) await house.database.sql.unsafe(fault);

    house.clock.forward(10);
    for (const name of plan.actors) {
      house.clock.forward(1);
      await act(scene, name, plan.deeds, editors);
    }
    if (plan.deeds.corrects) await correct(scene, plan.deeds.corrects, editors);
    if (plan.anonymous) await discuss(scene);
    if (plan.opened) await passAgain(scene, plan.deeds.secondPass ?? false, editors);
    house.clock.forward(10);
    await indexAll(house);
    // News is gathered for a moment before it is sent, that of assessments for a second.
    await sleep(1300);
    // Comments for all arrive behind everything that came before.
    const seen = await people.L.post(`/api/meetings/${id}/comments`, { ...place, text: 'for all', id: newId() });
    if (seen.status !== 200) throw new Error(seen.text);
    for (const { name, end } of listening) for (const [what, text] of await end()) heard.set(`${name} ${what}`, text);
    // Lists tell how far search lags behind that comment, and show the words of a moment ago.
    await indexAll(house);
    await updateProjection(house.house, id);
    for (const name of plan.observers)
      for (const [what, text] of await ask(scene, name, marks.get(name) ?? new Map()))
        heard.set(`${name} ${what}`, text);
    // The leader is refused nothing.
    for (const name of plan.observers.filter((one) => one !== 'L'))
      for (const [what, text] of await attempt(scene, name)) heard.set(`${name} ${what}`, text);
    return heard;
  } finally {
    for (const editor of editors) editor.close();
    for (const socket of sockets) socket.terminate();
    await house.close();
  }
}

async function begin(
  house: TestHouse,
  { policy, selfDone, keyed = false, opened = false, anonymous }: Plan,
): Promise<Scene> {
  const made: [Name, Person][] = [];
  // One after the other, so that lists by time have one order in all worlds.
  for (const name of names) {
    const given = { id: `${name}${'0'.repeat(21)}`, email: `${name.toLowerCase()}@example.test` };
    made.push([name, await house.person(`Name${name}`, given)]);
    house.clock.forward(1);
  }
  const accounts = Object.fromEntries(made) as Record<Name, Person>;
  const people = anonymous === 'Z' ? { ...accounts, Q: accounts.Z, Z: accounts.Q } : accounts;
  const id = await makeRecording(house, people.L);
  // Media that are stored at one moment have no order.
  await house.database.sql`update media set created_at = created_at + interval '1 second' where tag = 'histogram'`;
  await share(house, id, people.E, ['read', 'comment', 'write']);
  await share(house, id, people.K, roles.canEditShare);
  const [first, ...more] = Object.entries(reviewerRoles) as [Name, ReviewerRole][];
  if (!first) throw new Error('no reviewers');
  const key = keyed ? await makeKey(people, id) : null;
  house.clock.forward(1);
  const asked = { policy, student: people.T, ...(key && { keyOf: key.id }), ...(anonymous && { anonymous: true }) };
  let review = await askFor(people.L, id, { ...asked, roles: [[people[first[0]], first[1]]] });
  for (const [name, role] of more) {
    house.clock.forward(1);
    const add = [{ principal: { email: people[name].email }, role }];
    const answer = await people.L.post(`/api/meetings/${id}/reviews/${review.id}`, { rev: review.rev, add });
    if (answer.status !== 200) throw new Error(answer.text);
    review = answer.body.review;
  }
  const scene = { house, people, id, review, key, layers: new Map(), known: new Map() };
  const nameOf = nameBy(people);
  if (anonymous) await fixOrder(scene, nameOf);
  if (policy === 'student' && selfDone) {
    await annotate(scene, 'T', 1);
    await setStatus(people.T, review, 'complete');
  }
  // Observers who assess have begun in all worlds; where all is read by all, O would say something at the places of R.
  const begun = opened ? (['R'] as const) : (['R', 'O'] as const);
  if (policy === 'strict' || selfDone) for (const name of begun) await annotate(scene, name, 2);
  if (anonymous) await annotate(scene, 'Q', 2);
  if (opened) {
    await makeTeam(people.L, [people.Z]);
    for (const name of ['R', 'Q', 'O', 'M', 'S'] as const) await complete(people[name], review);
  }
  if (anonymous) {
    const published = await people.L.post(`/api/meetings/${id}/reviews/${review.id}/publish`);
    if (published.status !== 200) throw new Error(published.text);
  }
  await indexAll(house);

  const rows = await house.database.sql<{ id: string; kind: string; of: string | null; person: string | null }[]>`
    select l.id, l.kind, l.reviewer_id as of, p.principal_id as person
    from layers l left join reviewers p on p.id = l.reviewer_id where l.review_id = ${review.id}`;
  const known = new Map<string, string>(names.map((name) => [accounts[name].id, `person ${name}`]));
  known.set(id, 'recording').set(review.id, 'review');
  if (key) known.set(key.id, 'key');
  const layers = new Map<string, string>();
  for (const row of rows) {
    const owner = row.person === null ? null : `person ${nameOf(row.person)}`;
    known.set(row.id, `layer ${row.kind} ${owner}`);
    if (row.of !== null) known.set(row.of, `row of ${owner}`);
    if (owner) layers.set(owner, row.id);
    else if (anonymous && row.kind === 'discussion') layers.set(row.kind, row.id);
  }
  return { ...scene, layers, known };
}

/** An open review of the recording, in which P has graded. */
async function makeKey({ L, P }: Record<Name, Person>, id: string): Promise<ReviewView> {
  const key = await askFor(L, id, { roles: [[P, 'required']] });
  const { cloneId } = await seenBy(P, key);
  const answer = await P.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 4 });
  if (answer.status !== 200) throw new Error(`P: ${answer.text}`);
  return setStatus(P, key, 'complete');
}

/** Opening reads all assessments, for which a busy server asks to try again. */
async function complete(person: Person, review: ReviewView): Promise<void> {
  const { mine } = await seenBy(person, review);
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
  for (;;) {
    const { status, text } = await person.post(path, { status: 'complete' });
    if (status === 200) return;
    if (status !== 503) throw new Error(text);
  }
}

/** Part of a person in the world, by their account or address. */
const nameBy = (people: Record<Name, Person>) => (key: string) =>
  names.find((name) => [people[name].id, people[name].email].includes(key));

/** Rows of reviewers get ids that sort alike in all worlds: an anonymous review numbers people by them. */
async function fixOrder({ house, review }: Scene, nameOf: (key: string) => string | undefined): Promise<void> {
  const { sql } = house.database;
  const rows = await sql<{ id: string; person: string }[]>`
    select id, principal_id as person from reviewers where review_id = ${review.id}`;
  for (const { id, person } of rows) {
    const fixed = `row${nameOf(person)}`.padEnd(22, '0');
    await sql`update reviewers set id = ${fixed} where id = ${id}`;
    await sql`update layers set reviewer_id = ${fixed} where reviewer_id = ${id}`;
  }
}

/** Writes in the discussion of the open review, on a page that shows who is there. */
async function discuss({ people, layers }: Scene): Promise<void> {
  const talk = layers.get('discussion');
  const answer = await people.Q.post(`/api/meetings/${talk}/comments`, { ...place, text: secret });
  const graded = await people.Q.put(`/api/meetings/${talk}/grades/trust`, { grade: 3 });
  if (answer.status !== 200 || graded.status !== 200) throw new Error(`Q: ${answer.text} ${graded.text}`);
}

/** Annotates a person's own layer, as a page does. */
async function annotate({ people, review }: Scene, name: Name, times: number): Promise<void> {
  const person = people[name];
  const { cloneId } = await seenBy(person, review);
  for (let nth = 0; nth < times; nth += 1) {
    const text = `${name === 'R' || name === 'O' ? 'of an observer' : secret} ${nth}`;
    // Words of two people at one place come in the order of their layers' random ids.
    const start = (name === 'Q' ? 20 : 10) + nth;
    const at = { start, end: start + 2 };
    const answer =
      nth % 2 === 0
        ? await person.post(`/api/meetings/${cloneId}/outcomes`, {
            outcome: { ...at, type: 'presence', grade: 2, text, children: [{ type: 'presenceSilence' }] },
          })
        : await person.post(`/api/meetings/${cloneId}/comments`, { ...at, text });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
  }
}

/** An actor with an open page annotates, grades, takes notes, shows what they listen to, and comes to an end; without deeds, nobody is there. */
async function act(scene: Scene, name: Name, { times, ends }: Deeds, editors: Editor[]): Promise<void> {
  const { people, review } = scene;
  const person = people[name];
  if (times === 0) return;
  const { cloneId, mine } = await seenBy(person, review);
  const page = [];
  for (const part of ['transcript', 'layer', 'notes']) {
    const editor = await openRoom(scene, person, `${cloneId}/${part}`);
    if (editor) page.push(editor);
  }
  editors.push(...page);
  await synced(page);
  for (const { provider } of page) provider.awareness.setLocalState({ cursor: 5, user: { name: 'somebody' } });
  await annotate(scene, name, times);
  const note = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: secret }] }] };
  for (const answer of [
    await person.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 3, words: secret }),
    await person.put(`/api/meetings/${cloneId}/notes`, { text: JSON.stringify(note) }),
    await person.put(`/api/meetings/${review.meetingId}/reviews/${review.id}/listened`, { shared: true }),
    await person.put(`/api/meetings/${cloneId}/listened`, { heard: [[0, 1000]] }),
    await person.post(`/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`, {
      comment: secret,
    }),
  ])
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
  if (ends !== 'open') await setStatus(person, review, 'complete');
  if (ends === 'taken-back') await setStatus(person, review, 'in-progress');
}

/** The round for second passes; in one that begins, Z annotates on an open page and completes, so that it opens as well. */
async function passAgain({ house, people, ...scene }: Scene, begins: boolean, editors: Editor[]): Promise<void> {
  const { body: teams } = await people.L.get('/api/groups');
  const options = { secondPass: begins ? 100 : 0, secondReaders: [people.Z.id] };
  const set = await people.L.put(`/api/groups/${teams.groups[0].id}`, options);
  if (set.status !== 200) throw new Error(set.text);
  await beginSecondPasses(house.house);
  house.clock.forward(1);
  const { body } = await people.Z.get(`/api/meetings/${scene.id}/reviews`);
  const review: ReviewView | undefined = begins ? body.reviews[0] : undefined;
  if (!begins) return;
  if (!review) throw new Error('no second pass');
  await act({ house, people, ...scene, review }, 'Z', { times: 6, ends: 'complete' }, editors);
  const page = await openRoom({ house, people, ...scene, review }, people.Z, `${review.cloneId}/transcript`);
  if (!page) throw new Error('Z opens no transcript');
  editors.push(page);
  await synced([page]);
  page.provider.awareness.setLocalState({ cursor: 6, user: { name: 'somebody' } });
}

/** Corrects a word on an open page, and a paragraph by REST. */
async function correct(scene: Scene, name: Name, editors: Editor[]): Promise<void> {
  const person = scene.people[name];
  const { cloneId } = await seenBy(person, scene.review);
  const page = await openRoom(scene, person, `${cloneId}/transcript`);
  if (!page) throw new Error(`${name} opens no transcript`);
  editors.push(page);
  await synced([page]);
  if (!page.provider.canWrite) throw new Error(`${name} may not correct`);
  page.provider.awareness.setLocalState({ cursor: 5, user: { name: 'somebody' } });
  page.text.insert(3, 'corrected ');
  await until(() => page.provider.pending === 0);
  // News of both corrections would be sent together, or not.
  await sleep(1300);
  scene.house.clock.forward(1);
  const { body } = await person.get(`/api/meetings/${cloneId}`);
  const { id: pos, text: old } = body.doc.transcript.segments[1];
  const edit = { pos, old, new: `${old} Corrected.`, version: body.version };
  const answer = await person.post(`/api/meetings/${cloneId}/edit`, edit);
  if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
}

/** A socket to a room; null where there is no permission. */
async function openRoom({ house }: Scene, person: Person, room: string): Promise<Editor | null> {
  const { status, body } = await person.post('/api/sync/tickets', { room });
  return status === 200 ? new Editor({ room, at: () => house.origin, ticket: body.ticket }) : null;
}

/** Rooms whose sockets an observer tries: of the recording, of the own layer, of one of an actor. */
function roomsOf({ id, layers }: Scene, mine: string | null): string[] {
  const parts = ['transcript', 'outcomes', 'comments', 'notes', 'layer'];
  const places = [id, mine, layers.get('person Q'), layers.get('person T'), layers.get('discussion')];
  return places.flatMap((one) => (one ? parts.map((part) => `${one}/${part}`) : []));
}

/** Content of an update, and how much of it: the random numbers of those who wrote it make its bytes more or fewer. */
const contentOf = (update: Uint8Array): string =>
  Y.decodeUpdate(update)
    .structs.map((one) => ('content' in one ? JSON.stringify(one.content.getContent()) : `gap ${one.length}`))
    .toSorted()
    .join(' ');

async function cloneIdOf({ people, id, review }: Scene, name: Name): Promise<string | null> {
  const { status, body } = await people[name].get(`/api/meetings/${id}/reviews/${review.id}`);
  return status === 200 ? (body as { review: ReviewView }).review.cloneId : null;
}

/** Listens with all sockets an observer can open; `end` returns what came, by room. */
async function listen(scene: Scene, name: Name, editors: Editor[], sockets: WebSocket[]) {
  const person = scene.people[name];
  const heard: Heard = new Map();
  const note = (what: string, text: string) => heard.set(what, `${heard.get(what) ?? ''}${text}\n`);
  const rooms: { room: string; editor: Editor; present: Set<string> }[] = [];
  for (const room of roomsOf(scene, await cloneIdOf(scene, name))) {
    const editor = await openRoom(scene, person, room);
    if (editor) rooms.push({ room, editor, present: new Set() });
    else note(`joins ${rename(scene, room)}`, 'refused');
  }
  editors.push(...rooms.map(({ editor }) => editor));
  await synced(rooms.map(({ editor }) => editor));
  for (const { room, editor, present } of rooms) {
    editor.provider.awareness.on('change', () => {
      for (const state of editor.provider.awareness.getStates().values()) present.add(JSON.stringify(state['user']));
    });
    editor.socket?.on('message', (bytes: Buffer) => {
      const frame = readFrame(bytes);
      // Presence is sent again from time to time, so that only its content is compared.
      if (frame.kind === 'presence') return;
      note(`hears ${rename(scene, room)}`, 'update' in frame ? `${frame.kind} ${contentOf(frame.update)}` : frame.kind);
    });
    editor.socket?.on('close', (code) => note(`hears ${rename(scene, room)}`, `closed ${code}`));
  }
  for (const of of ['', `?meeting=${scene.id}`]) {
    const headers = { Cookie: [...person.cookies].map(([key, value]) => `${key}=${value}`).join('; ') };
    const origin = scene.house.origin.replace('http', 'ws');
    const ws = new WebSocket(`${origin}/sync/news${of}`, { headers: { ...headers, Origin: scene.house.origin } });
    sockets.push(ws);
    const opened = await new Promise<boolean>((resolve) =>
      ws.once('open', () => resolve(true)).once('error', () => resolve(false)),
    );
    note(`news${rename(scene, of)}`, String(opened));
    // Sent every 15 seconds, whatever happens.
    ws.on('message', (bytes: Buffer) => {
      if (!bytes.toString().includes('"here"')) note(`news${rename(scene, of)}`, bytes.toString());
    });
  }
  const end = async (): Promise<Heard> => {
    const comments = rooms.find(({ room }) => room === `${scene.id}/comments`);
    if (comments) await until(() => comments.editor.doc.getMap('comments').size > 0);
    for (const { room, editor, present } of rooms) {
      const named = rename(scene, room);
      heard.set(`presence in ${named}`, [...present].toSorted().join('\n'));
      const maps = ['outcomes', 'comments', 'grades'].map((root) => editor.doc.getMap(root).toJSON());
      const inOrder = maps.map((map) => Object.values(map).map((value) => JSON.stringify(value)));
      heard.set(`document ${named}`, JSON.stringify([...inOrder, editor.text.toString()]));
    }
    return new Map([...heard].map(([what, text]) => [what, rename(scene, text)]));
  };
  return { name, end };
}

/** Calls without a use here: of signing in, of other services, and with something random in each answer. */
const left =
  /^\/api\/(docs|openapi|log|register|reset|confirm|zoom|webex|stripe|outbox|bot-check|sign-in|feedback|principals\/billing|shop|languages|engines|transcribe-info|transactions|credits)/;

const filters = (given: object) => `filters=${encodeURIComponent(JSON.stringify(given))}`;

/** All GET calls of the app, with the recording, the own layer and one of an actor in the place of `:id`. */
async function pathsFor(scene: Scene, name: Name): Promise<string[]> {
  const { id, review, key, layers, house } = scene;
  const mine = await cloneIdOf(scene, name);
  const [theirs, student] = [layers.get('person Q'), layers.get('person T')];
  const ids = [...new Set([id, mine, theirs, student, layers.get('discussion')])].filter(
    (one) => one !== null && one !== undefined,
  );
  const routes = apiRoutes({ house } as Parameters<typeof apiRoutes>[0]);
  const plain = routes.flatMap(({ method, pattern }) => {
    if (method !== 'GET' || left.test(pattern)) return [];
    const ofReviews = key && pattern.includes(':reviewId') ? [review.id, key.id] : [review.id];
    return ofReviews.flatMap((reviewId) => {
      const path = pattern.replace(':reviewId', reviewId).replace(':version', '1');
      if (!pattern.startsWith('/api/meetings/:id')) return [path.replaceAll(/:\w+/g, 'nothing')];
      return ids.map((one) => path.replace(':id', one).replaceAll(/:\w+/g, 'nothing'));
    });
  });
  return [
    ...plain,
    ...['meetings', 'aggs', 'finds'].flatMap((list) => [
      `/api/${list}?${filters({})}&query=${secret}`,
      `/api/${list}?${filters({ outcomeType: ['presence'] })}`,
      `/api/${list}?${filters({ outcome: { type: 'presence' } })}`,
    ]),
    // Authors of corrections, to who may see earlier versions.
    `/api/meetings/${id}/versions?by=step`,
    ...[2, 3].map((version) => `/api/meetings/${id}/versions/${version}/changes?since=1`),
    `/api/aggs?${filters({})}`,
    `/api/meetings?${filters({ review: ['button', 'pending', 'completed'] })}`,
    ...['outcomes', 'overlaps'].map((rows) => `/api/compare?ids=${ids.join(',')}&rows=${rows}`),
  ];
}

/** ETags of the recording and of layers before the deeds. */
async function marksFor(scene: Scene, name: Name): Promise<Map<string, string>> {
  const marks = new Map<string, string>();
  for (const one of [scene.id, await cloneIdOf(scene, name)]) {
    const etag = one && (await scene.people[name].get(`/api/meetings/${one}`)).headers.get('etag');
    if (one && etag) marks.set(one, etag);
  }
  return marks;
}

/** Asks for everything there is, and for mails. */
async function ask(scene: Scene, name: Name, marks: ReadonlyMap<string, string>): Promise<Heard> {
  const person = scene.people[name];
  const heard: Heard = new Map();
  const note = (what: string, text: string) => heard.set(rename(scene, what), rename(scene, text));
  // A report plays its sound by any layer of it, by the order of ids, and so do grades over time.
  const anyLayer = (text: string) =>
    rename(scene, text).replaceAll(/"src":"\/api\/meetings\/layer own [^/]+/g, '"src":"a layer');
  for (const path of await pathsFor(scene, name)) {
    const text = told(await person.get(path));
    note(`GET ${path}`, path.endsWith('/report') || path === '/api/growth' ? anyLayer(text) : text);
  }
  const places = [
    ...[scene.id, await cloneIdOf(scene, name), scene.layers.get('person Q'), scene.layers.get('person T')],
    scene.layers.get('discussion'),
  ];
  for (const one of new Set(places)) {
    if (!one) continue;
    const options = { comments: true, outcomes: true, summary: true, contents: true };
    for (const format of ['RAE', 'MARKDOWN'])
      note(`export ${one} ${format}`, told(await person.post(`/api/export/${one}`, { format, options })));
    // A text without words is refused, after the permission was looked at.
    note(`annotate ${one}`, told(await person.post(`/api/meetings/${one}/comments`, { ...place, text: '' })));
  }
  for (const [one, etag] of marks) {
    const { status } = await person.get(`/api/meetings/${one}`, { headers: { 'If-None-Match': etag } });
    note(`unchanged ${one}`, String(status));
  }
  const mails = await scene.house.mails(person.email);
  heard.set(
    'mails',
    // Those of one moment come in any order.
    rename(
      scene,
      mails
        .map(({ subject, text, html }) => `${subject}\n${text}\n${html}`)
        .toSorted()
        .join('\n\n'),
    ),
  );
  return heard;
}

/** Tries to write. Nearly all of it is refused, and what is not is the same in all worlds. */
async function attempt(scene: Scene, name: Name): Promise<Heard> {
  const { people, id, review, key, layers, known } = scene;
  const person = people[name];
  const heard: Heard = new Map();
  const note = (what: string, answer: Answer) => heard.set(rename(scene, what), rename(scene, told(answer)));
  const mine = await cloneIdOf(scene, name);
  for (const place of new Set([id, mine, layers.get('person Q'), layers.get('person T')])) {
    if (!place) continue;
    // On one's own assessment there is no such grade.
    const grade = place === mine ? 9 : 1;
    note(`grades ${place}`, await person.put(`/api/meetings/${place}/grades/trust`, { grade }));
    note(`listens in ${place}`, await person.put(`/api/meetings/${place}/listened`, { heard: [[0, 1]] }));
  }
  const rowOf = (of: string) => [...known].find(([, what]) => what === `row of ${of}`)?.[0] ?? 'nothing';
  const asked = (of: Name, role: string) => ({ add: [{ principal: { email: people[of].email }, role }] });
  const changes: Record<string, Record<string, unknown>> = {
    'the due day': { due: '2090-01-01' },
    'the end': { end: true },
    'a role': { roles: [{ id: rowOf('person Q'), role: 'muted' }] },
    'a removal': { remove: [rowOf('person Q')] },
    'a reviewer again': asked('Q', 'optional'),
    'the person assessed': asked('T', 'optional'),
    ...(key && { 'the expert': asked('P', 'optional') }),
  };
  for (const one of key ? [review, key] : [review]) {
    const path = `/api/meetings/${id}/reviews/${one.id}`;
    const seen = await person.get(path);
    const rev: number = (seen.status === 200 ? (seen.body as { review: ReviewView }).review.rev : null) ?? 0;
    const about = one === key ? 'key' : 'review';
    if (one === review) {
      for (const [what, change] of Object.entries(changes))
        note(`changes ${what} of the ${about}`, await person.post(path, { rev, ...change }));
      const row = `${path}/reviewers/${rowOf('person Q')}`;
      note('comments for another', await person.post(row, { comment: 'no' }));
    } else
      for (const who of ['S', 'R', 'Q', 'M', 'W'] as const)
        note(`adds ${who} to the ${about}`, await person.post(path, { rev, ...asked(who, 'optional') }));
    note(`changes the ${about} late`, await person.post(path, { rev: rev + 1, due: '2090-01-01' }));
    if (one === review) note('shows what they listen to', await person.put(`${path}/listened`, { shared: true }));
    for (const verb of ['publish', 'reopen']) note(`${verb} the ${about}`, await person.post(`${path}/${verb}`));
    for (const input of [{ role: 'watcher' }, {}])
      note(`joins the ${about} as ${input.role ?? 'it is'}`, await person.post(`${path}/join`, input));
  }
  return heard;
}

/** Headers that are random, or follow from what is: the length is that of the text, whose ids are equally long. */
const random = ['date', 'x-request-id', 'etag', 'content-length'];

function told({ status, headers, text }: Answer): string {
  const kept = [...headers].filter(([name]) => !random.includes(name));
  return [status, ...kept.map(([name, value]) => `${name}: ${value}`), '', text].join('\n');
}

/** The text with names in the place of ids, and without what is random. */
function rename({ known, house }: Scene, text: string): string {
  let unknown = 0;
  const found = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = known.get(id) ?? found.get(id) ?? `id ${(unknown += 1)}`;
    if (!known.has(id)) found.set(id, name);
    return name;
  };
  return (
    text
      .replaceAll(house.origin, 'origin')
      .replaceAll(/localhost:\d+/g, 'host')
      .replaceAll(/(?<![\w-])[0-9A-Za-z]{22}(?![\w-])/g, nameOf)
      // Characters are named by the random number of the document that wrote them.
      .replaceAll(/\[\d{4,},(\d+)\]/g, '[client,$1]')
      .replaceAll(/"seed":\d+/g, '"seed":0')
      // Digests of ids, which are random.
      .replaceAll(/"digest":"[0-9a-f]{64}"/g, '"digest":"of ids"')
  );
}

/** Differences of two worlds, in short. */
export function differences(one: Heard, other: Heard): { what: string; one: string; other: string }[] {
  const all = [...new Set([...one.keys(), ...other.keys()])];
  return all.flatMap((what) => {
    const [before, after] = [one.get(what) ?? 'nothing', other.get(what) ?? 'nothing'];
    if (before === after) return [];
    let at = 0;
    while (before[at] === after[at]) at += 1;
    const near = (text: string) => text.slice(Math.max(0, at - 80), at + 80);
    return [{ what, one: near(before), other: near(after) }];
  });
}
