// Sets of outcome types that people make: who has them, where they can be used, and that their words stay readable.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readAnnotations, writeAnnotation } from '#shared/meetings/annotations.ts';
import { mostNamed, mostSets } from '#shared/meetings/own-types.ts';
import { ownModelLimits, type OutcomeModelView } from '#shared/outcome-models.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import { greeting, makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(closeEditors);
afterAll(() => house.close());

const setsOf = async (person: Person): Promise<OutcomeModelView[]> =>
  (await person.get('/api/outcome-models')).body.models;
const setsAt = async (person: Person, id: string) => {
  const { status, body } = await person.get(`/api/meetings/${id}/outcome-models`);
  return status === 200 ? body.models.map((one: OutcomeModelView) => one.id) : status;
};
const add = (person: Person, at: string, outcome: object) =>
  person.post(`/api/meetings/${at}/outcomes`, { outcome: { start: 0, end: 1, text: 'Here', ...outcome } });
const schemaFor = async (person: Person, id: string) =>
  (await person.get(`/api/meetings/${id}`)).body.doc.outcomesSchema as { id: string; label: string }[];
const openNotes = async (person: Person, id: string): Promise<Editor> => {
  const room = `${id}/notes`;
  const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(person, room) });
  await until(() => editor.provider.synced);
  return editor;
};
const prefer = async (person: Person, id: string, model: string) => {
  const { version } = (await person.get(`/api/meetings/${id}`)).body;
  return person.put(`/api/meetings/${id}`, { meeting: { 'doc.preferredOutcomesModel': model }, version });
};

it('is used in a recording that it was named for, by all who comment there', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id: set, types } = await makeSet(ann);
  const [type, plain] = types;
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, ['read', 'comment']);
  const given = { type: type?.id, grade: 3, children: [{ type: type?.children[0]?.id, grade: null }] };

  expect((await add(ann, id, given)).problem.info?.errors).toEqual([{ field: 'outcome.type', code: 'unknown' }]);
  expect((await prefer(ann, id, set)).status).toBe(200);
  expect(await setsAt(ben, id)).toEqual([set]);

  const made = await add(ben, id, given);
  expect(made.status, made.text).toBe(200);
  expect(made.body.outcome).toMatchObject({ ...given, color: 1, sortId: 1 });
  for (const [field, more] of [
    ['grade', { grade: 2 }],
    ['children', { children: [{ type: plain?.id, grade: null }] }],
    ['children', { children: [{ type: type?.children[0]?.id, grade: 2 }] }],
  ] as const)
    expect((await add(ben, id, { ...given, ...more })).problem.info?.errors).toMatchObject([
      { field: `outcome.${field}` },
    ]);

  const schema = await schemaFor(ben, id);
  expect(schema[0]).toEqual({
    ...{ id: type?.id, code: 1, color: 1, readOnly: false, label: 'Greeting', labelPlural: 'Greeting' },
    description: 'Says who speaks.',
    grades: [
      { value: 1, label: 'Not yet' },
      { value: 3, label: 'Warm' },
      { value: -1, label: expect.any(String) },
    ],
    children: type?.children.map((child) => ({ id: child.id, label: child.name })),
  });
  const path = `/api/meetings/${id}/outcomes/${made.body.outcome.id}/update`;
  expect((await ben.post(path, { outcome: { type: plain?.id, grade: null, children: [] } })).status).toBe(200);
});

it('tells nothing to who is not of it, by whatever door', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const { id: set, types } = await makeSet(ann);
  const id = await makeMeeting(house, ben);
  expect(await setsOf(ben)).toEqual([]);
  expect((await prefer(ben, id, set)).problem.info?.errors).toEqual([
    { field: 'meeting.preferredOutcomesModel', code: 'unknown' },
  ]);
  const asked = await ben.post(`/api/meetings/${id}/reviews`, {
    ...{ policy: 'relaxed', outcomeModel: set },
    reviewers: [{ principal: { email: ann.email }, role: 'required' }],
  });
  expect(asked.problem.info?.errors).toEqual([{ field: 'outcomeModel', code: 'unknown' }]);
  expect(await setsAt(ben, id)).toEqual([]);
  expect(JSON.stringify(await schemaFor(ben, id))).not.toContain('Greeting');

  const [type] = types;
  const review = await askFor(ben, id, { policy: 'strict', roles: [[cem, 'required']] });
  const layer = (await seenBy(cem, review)).cloneId ?? '';
  expect((await cem.put(`/api/meetings/${layer}/grades/${type?.id}`, { grade: 3 })).problem.info?.errors).toEqual([
    { field: 'type', code: 'unknown' },
  ]);
  expect((await add(cem, layer, { type: type?.id })).problem.info?.errors).toEqual([
    { field: 'outcome.type', code: 'unknown' },
  ]);
  // The request that was refused has begun no assessment.
  expect((await seenBy(cem, review)).mine?.status).toBe('new');
});

it('tells nothing to a page that writes a foreign type into its private room', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { types } = await makeSet(ann);
  const id = await makeMeeting(house, ben);
  const own = (await add(ben, id, { type: 'notes', private: true })).body.outcome;
  const notes = await openNotes(ben, id);
  await until(() => readAnnotations(notes.doc, 'outcome', 'private').length === 1);
  writeAnnotation(notes.doc, 'outcome', { ...own, id: 'wild', type: types[0]?.id ?? '' }, 'private', 'forger');
  writeAnnotation(notes.doc, 'outcome', { ...own, id: 'later' }, 'private', 'forger');
  const seen = async () =>
    (await ben.get(`/api/meetings/${id}`)).body.doc.outcomes.map((one: { id: string }) => one.id);
  await until(async () => (await seen()).includes('later'));
  expect(await seen()).not.toContain('wild');
  expect((await ben.get(`/api/meetings/${id}`)).text).not.toContain('Greeting');
  const shown = await ben.post(`/api/meetings/${id}/outcomes/wild/reveal/outcome`);
  expect(shown.problem.info?.errors).toEqual([{ field: 'outcome.type', code: 'unknown' }]);
});

it('is told to those alone who take part in a review that asks for it', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const { id: set, types } = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  await share(house, id, cem, ['read', 'comment']);
  const review = await askFor(ann, id, { policy: 'strict', roles: [[ben, 'required']], outcomeModel: set });
  expect(review.outcomeModel).toBe(set);
  const { cloneId } = await seenBy(ben, review);
  const layer = cloneId ?? '';

  expect(await setsAt(ben, layer)).toEqual([set]);
  expect(await setsAt(cem, id)).toEqual([]);
  expect(await setsAt(cem, layer)).toBe(403);
  expect((await schemaFor(ben, layer)).slice(0, 2).map(({ label }) => label)).toEqual(['Greeting', 'Follow-up']);

  const [type] = types;
  expect((await add(ben, layer, { type: type?.id, grade: 1 })).status).toBe(200);
  const graded = await ben.put(`/api/meetings/${layer}/grades/${type?.id}`, { grade: 3 });
  expect(graded.status, graded.text).toBe(200);
  expect((await add(ann, id, { type: type?.id })).status).toBe(422);
  await setStatus(ben, review, 'complete');
  const { report } = (await ann.get(`/api/meetings/${id}/reviews/${review.id}/report`)).body;
  expect(report.competencies).toMatchObject([{ type: type?.id, median: 3, passages: [{ grade: 1 }] }]);
  const file = await ann.get(`/api/meetings/${id}/reviews/${review.id}/report/file?type=docx`);
  expect(file.status, file.text).toBe(200);
  const { rows } = (await ann.get(`/api/compare?ids=${layer}`)).body;
  expect(rows).toMatchObject([{ type: type?.id, cells: [{ grade: 3, count: 1 }] }]);
});

it('goes along with the agreement of a review, for those who read it', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const { id: set, name, types } = await makeSet(ann);
  const [type] = types;
  const id = await makeMeeting(house, ann);
  const roles = [ben, cem].map((one) => [one, 'required'] as const);
  const review = await askFor(ann, id, { policy: 'strict', roles, outcomeModel: set });
  const agreementFor = async (person: Person) => {
    const { status, body, text } = await person.get(`/api/meetings/${id}/reviews/${review.id}/agreement`);
    expect(status, text).toBe(200);
    return body.agreement;
  };
  for (const [person, grade] of [
    [ben, 1],
    [cem, 3],
  ] as const) {
    const { cloneId } = await seenBy(person, review);
    const graded = await person.put(`/api/meetings/${cloneId}/grades/${type?.id}`, { grade });
    expect(graded.status, graded.text).toBe(200);
    expect(await agreementFor(ben)).toBeNull();
    await setStatus(person, review, 'complete');
  }
  for (const person of [ann, ben]) {
    const { competencies, sets } = await agreementFor(person);
    expect(competencies[0]).toMatchObject({ type: type?.id, spread: { lowest: 1, highest: 3 } });
    expect(sets).toEqual([{ id: set, name, language: 'en', types }]);
  }
});

it('asks for the same types in a review once somebody has begun, whatever becomes of the set', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const { id: set, types, rev } = await makeSet(ann);
  const [type] = types;
  const id = await makeMeeting(house, ann);
  const roles = [ben, cem].map((one) => [one, 'required'] as const);
  const review = await askFor(ann, id, { policy: 'strict', roles, outcomeModel: set });
  const grade = async (by: Person) => {
    const { cloneId } = await seenBy(by, review);
    expect((await by.put(`/api/meetings/${cloneId}/grades/${type?.id}`, { grade: 3 })).status).toBe(200);
  };
  const addedType = (name: string) => ({ name, grades: [{ value: 1, name: 'Some' }] });
  const change = async (since: number, names: string[]) =>
    (await ann.put(`/api/outcome-models/${set}`, { ...greeting, types: names.map(addedType), rev: since })).status;

  // Nobody has begun: the review asks for what the set has then.
  const kept = [{ ...greeting.types[0], id: type?.id, children: [] }, addedType('Added')];
  const before = await ann.put(`/api/outcome-models/${set}`, { ...greeting, types: kept, rev });
  expect(before.status, before.text).toBe(200);
  const asked = before.body.model.types
    .filter((one: { retired: boolean }) => !one.retired)
    .map((one: { id: string }) => one.id);
  await grade(ben);
  expect(await change(rev + 1, ['Later'])).toBe(200);
  await grade(cem);
  // Reviewers do not learn from it that somebody has begun.
  expect((await seenBy(cem, review)).askedTypes).toBeNull();
  expect((await seenBy(ann, review)).askedTypes).toBeNull();
  await setStatus(ben, review, 'complete');
  await setStatus(cem, review, 'complete');
  for (const one of [ann, ben, cem]) expect((await seenBy(one, review)).askedTypes).toEqual(asked);

  const path = `/api/meetings/${id}/reviews/${review.id}`;
  const typesIn = async () => {
    const { report } = (await ann.get(`${path}/report`)).body;
    const { agreement } = (await ann.get(`${path}/agreement`)).body;
    return [report.competencies, agreement.competencies].map((all) => all.map((one: { type: string }) => one.type));
  };
  expect(await typesIn()).toEqual([asked, asked]);
  expect((await ann.post(`${path}/publish`)).status).toBe(200);
  expect(await change(rev + 2, ['Later still'])).toBe(200);
  expect(await typesIn()).toEqual([asked, asked]);
});

it('belongs to a team: its members use it, its admins change it', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const groupId = await makeTeam(ann, [ben]);
  const made = await makeSet(ann, { groupId });
  expect(made).toMatchObject({ group: { id: groupId }, mayChange: true });
  expect((await ben.post('/api/outcome-models', { ...greeting, groupId })).status).toBe(422);
  expect(await setsOf(ben)).toMatchObject([{ id: made.id, mayChange: false }]);
  expect(await setsOf(cem)).toEqual([]);

  const change = { ...greeting, name: 'Another', rev: made.rev };
  expect((await ben.put(`/api/outcome-models/${made.id}`, change)).problem.code).toBe('NO_PERM');
  expect((await cem.put(`/api/outcome-models/${made.id}`, change)).problem.code).toBe('NO_ACCESS');
  const id = await makeMeeting(house, ben);
  expect((await prefer(ben, id, made.id)).status).toBe(200);
  await ann.post(`/api/groups/${groupId}/deactivate`);
  expect(await setsOf(ben)).toEqual([]);
});

it('keeps the words of types that are no longer offered, and takes new ones', async () => {
  const [ann] = (await house.people(1)) as [Person];
  const made = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  await prefer(ann, id, made.id);
  const [type, plain] = made.types;
  expect((await add(ann, id, { type: type?.id, grade: 3 })).status).toBe(200);
  const before = (await ann.get(`/api/meetings/${id}`)).headers.get('etag');

  const types = [{ id: plain?.id, name: 'Later' }];
  const changed = await ann.put(`/api/outcome-models/${made.id}`, { ...greeting, types, rev: made.rev });
  expect(changed.body.model.types.map((one: { id: string }) => one.id)).toEqual([plain?.id, type?.id]);
  const after = await ann.get(`/api/meetings/${id}`);
  expect(after.headers.get('etag')).not.toBe(before);
  expect((await schemaFor(ann, id)).map(({ label }) => label)).toEqual(expect.arrayContaining(['Later', 'Greeting']));

  // Coming back, the type is the same as before.
  const again = [...types, { id: type?.id, name: 'Greeting' }];
  const back = await ann.put(`/api/outcome-models/${made.id}`, { ...greeting, types: again, rev: made.rev + 1 });
  expect(back.body.model.types).toMatchObject([{ id: plain?.id }, { id: type?.id, retired: false }]);
});

it('keeps numbers and words of grades that are no longer offered', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const made = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  await prefer(ann, id, made.id);
  const [type] = made.types;
  const child = { type: type?.children[0]?.id, grade: 3 };
  const { outcome } = (await add(ann, id, { type: type?.id, grade: 3, children: [child] })).body;
  const review = await askFor(ann, id, { policy: 'strict', roles: [[ben, 'required']], outcomeModel: made.id });
  const sheet = `/api/meetings/${(await seenBy(ben, review)).cloneId}/grades/${type?.id}`;
  expect((await ben.put(sheet, { grade: 3 })).status).toBe(200);

  // 3 becomes 4; the details stay as they are.
  const grades = [
    { value: 1, name: 'Not yet' },
    { value: 4, name: 'Warm indeed' },
  ];
  const types = [
    { ...greeting.types[0], id: type?.id, children: type?.children.map(({ id, name }) => ({ id, name })), grades },
  ];
  const changed = await ann.put(`/api/outcome-models/${made.id}`, { ...greeting, types, rev: made.rev });
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body.model.types[0].grades).toEqual([...grades, { value: 3, name: 'Warm', retired: true }]);
  const [schema] = (await schemaFor(ann, id)) as { grades?: object[] }[];
  expect(schema?.grades).toEqual([
    { value: 1, label: 'Not yet' },
    { value: 4, label: 'Warm indeed' },
    { value: 3, label: 'Warm' },
    { value: -1, label: expect.any(String) },
  ]);

  const change = (fields: object) => ann.post(`/api/meetings/${id}/outcomes/${outcome.id}/update`, { outcome: fields });
  const marked = await change({ mark: { type: type?.children[1]?.id, grade: null, on: true } });
  expect(marked.status, marked.text).toBe(200);
  expect(marked.body.outcome).toMatchObject({ grade: 3, children: [child, { grade: null }] });
  expect((await change({ grade: 2 })).problem.info?.errors).toMatchObject([{ field: 'outcome.grade' }]);
  expect((await ben.put(sheet, { grade: 3, words: 'Still so.' })).status).toBe(200);
  await setStatus(ben, review, 'complete');
  const { report } = (await ann.get(`/api/meetings/${id}/reviews/${review.id}/report`)).body;
  expect(report.competencies).toMatchObject([{ type: type?.id, median: 3 }]);

  // Grades that are all left out stay in the report.
  const bare = [{ ...types[0], grades: [] }];
  expect(
    (await ann.put(`/api/outcome-models/${made.id}`, { ...greeting, types: bare, rev: made.rev + 1 })).status,
  ).toBe(200);
  const after = (await ann.get(`/api/meetings/${id}/reviews/${review.id}/report`)).body.report;
  expect(after.competencies).toMatchObject([{ type: type?.id, median: 3 }]);
  expect(after.sets[0].types[0].grades).toEqual(expect.arrayContaining([{ value: 3, name: 'Warm', retired: true }]));
});

it('is sent to a page that opens where its words are needed at once, and to choose from elsewhere', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeMeeting(house, ann);
  await share(house, id, ben, ['read', 'comment']);
  const [used, chosen, noted, idle] = await Promise.all(
    ['Used', 'Chosen', 'Noted', 'Idle'].map((name) => makeSet(ann, { name })),
  );
  for (const set of [used, noted, idle])
    expect((await ann.post(`/api/meetings/${id}/outcome-models`, { id: set?.id })).status).toBe(200);
  expect((await prefer(ann, id, chosen?.id ?? '')).status).toBe(200);
  const shownTo = async (person: Person): Promise<string[]> =>
    (await person.get(`/api/meetings/${id}/about`)).body.outcomeSets.map((one: OutcomeModelView) => one.name);
  expect(await shownTo(ann)).toEqual(['Chosen']);

  expect((await add(ben, id, { type: used?.types[1]?.id })).status).toBe(200);
  expect((await add(ben, id, { type: noted?.types[1]?.id, private: true })).status).toBe(200);
  expect(await shownTo(ann)).toEqual(['Chosen', 'Used']);
  expect(await shownTo(ben)).toEqual(['Chosen', 'Noted', 'Used']);
  expect(await setsAt(ann, id)).toHaveLength(4);

  const remove = async (set: OutcomeModelView | undefined) =>
    (await ann.delete(`/api/meetings/${id}/outcome-models/${set?.id}`)).status;
  expect([await remove(used), await remove(chosen), await remove(noted), await remove(idle)]).toEqual([
    409, 409, 409, 204,
  ]);
  expect((await add(ben, id, { type: idle?.types[1]?.id })).status).toBe(422);
});

it('is named for a recording ten times, and not once more by requests at once', async () => {
  const [ann] = (await house.people(1)) as [Person];
  const id = await makeMeeting(house, ann);
  const sets = await Promise.all(Array.from({ length: mostNamed + 2 }, () => makeSet(ann)));
  const all = await Promise.all(sets.map((set) => ann.post(`/api/meetings/${id}/outcome-models`, { id: set.id })));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(mostNamed);
  expect(all.filter(({ status }) => status === 422)).toHaveLength(2);
});

it('holds no more than its bound, with types that are no longer offered', async () => {
  const [ann] = (await house.people(1)) as [Person];
  const about = 'a'.repeat(ownModelLimits.about);
  const filled = (round: number) => ({
    ...greeting,
    types: Array.from({ length: 190 }, (_, n) => ({ name: `Type ${round} ${n}`, about })),
  });
  let { rev, id } = await makeSet(ann, filled(0));
  const change = (round: number) => ann.put(`/api/outcome-models/${id}`, { ...filled(round), rev });
  for (let round = 1; ; round += 1) {
    const answer = await change(round);
    if (answer.status !== 200) {
      expect(answer.problem.info?.errors).toEqual([{ field: 'types', code: 'too_many' }]);
      expect(round).toBeGreaterThan(1);
      return;
    }
    expect(JSON.stringify(answer.body.model.types).length).toBeLessThanOrEqual(ownModelLimits.stored);
    ({ rev, id } = answer.body.model);
  }
});

it('goes along with a copy of the recording', async () => {
  const [ann] = (await house.people(1)) as [Person];
  const made = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  await prefer(ann, id, made.id);
  const copy = await ann.post(`/api/meetings/${id}/clone`, {});
  expect(copy.status, copy.text).toBe(200);
  expect(await setsAt(ann, copy.body.id)).toEqual([made.id]);
});

it('is offered 50 times, and not once more; those that are no longer offered do not count', async () => {
  const [ann] = (await house.people(1)) as [Person];
  // All but one in small batches; of the last two at once, one is over.
  const made = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => ann.post('/api/outcome-models', greeting)));
  const all = [];
  for (let left = mostSets - 1; left > 0; left -= 7) all.push(...(await made(7)));
  all.push(...(await made(2)));
  const good = all.filter(({ status }) => status === 200);
  expect(good).toHaveLength(mostSets);
  const errors = [{ field: '', code: 'too_many' }];
  expect(all.find(({ status }) => status !== 200)?.problem.info?.errors).toEqual(errors);

  const { id } = good[0]?.body.model ?? {};
  const offer = (rev: number, retired: boolean) => ann.put(`/api/outcome-models/${id}`, { ...greeting, rev, retired });
  expect((await offer(1, true)).status).toBe(200);
  expect((await ann.post('/api/outcome-models', greeting)).status).toBe(200);
  expect((await offer(2, false)).problem.info?.errors).toEqual(errors);
  expect((await ann.delete(`/api/outcome-models/${good[1]?.body.model.id}`)).status).toBe(204);
  expect((await offer(2, false)).status).toBe(200);
});

it('is deleted with its owner or its team, and stays where its words are read', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const groupId = await makeTeam(ann, [ben]);
  const id = await makeMeeting(house, ben);
  await share(house, id, ann, ['read', 'comment', 'write']);
  const sets = await Promise.all([makeSet(ann), makeSet(ann), makeSet(ann, { groupId }), makeSet(ann, { groupId })]);
  const [read, idle, readOfTeam, idleOfTeam] = sets.map((set) => set.id);
  for (const set of [read, readOfTeam])
    expect((await ann.post(`/api/meetings/${id}/outcome-models`, { id: set })).status).toBe(200);
  expect((await ann.delete(`/api/outcome-models/${read}`)).problem.code).toBe('CONFLICT');
  expect((await ben.delete(`/api/outcome-models/${idleOfTeam}`)).problem.code).toBe('NO_PERM');
  expect((await cem.delete(`/api/outcome-models/${idleOfTeam}`)).problem.code).toBe('NO_ACCESS');

  const left = async () =>
    (
      await house.database.sql<
        { id: string }[]
      >`select id from outcome_models where id = any(${sets.map((set) => set.id)})`
    )
      .map((row) => row.id)
      .toSorted();
  expect((await ann.delete(`/api/groups/${groupId}`)).status).toBe(204);
  expect(await left()).toEqual([read, idle, readOfTeam].toSorted());
  const gone = await ann.post('/api/principals/me/delete', { password: ann.password, reason: 'tooSlow' });
  expect(gone.status, gone.text).toBeLessThan(300);
  expect(await left()).toEqual([read, readOfTeam].toSorted());
  expect((await setsAt(ben, id)).toSorted()).toEqual([read, readOfTeam].toSorted());
});

it('can be deleted once the review that asked for it is', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id: set } = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  const review = await askFor(ann, id, { policy: 'strict', roles: [[ben, 'required']], outcomeModel: set });
  expect((await ann.delete(`/api/outcome-models/${set}`)).problem.code).toBe('CONFLICT');
  expect((await ann.delete(`/api/meetings/${id}/reviews/${review.id}`)).status).toBe(204);
  expect((await ann.delete(`/api/outcome-models/${set}`)).status).toBe(204);
  expect(await setsOf(ann)).toEqual([]);
});
