// Sets of outcome types that people make: who has them, where they can be used, and that their words stay readable.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownModelLimits, type OutcomeModelView } from '#shared/outcome-models.ts';
import { makeTeam } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { greeting, makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
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
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { id: set } = await makeSet(ann);
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

it('goes along with a copy of the recording', async () => {
  const [ann] = (await house.people(1)) as [Person];
  const made = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  await prefer(ann, id, made.id);
  const copy = await ann.post(`/api/meetings/${id}/clone`, {});
  expect(copy.status, copy.text).toBe(200);
  expect(await setsAt(ann, copy.body.id)).toEqual([made.id]);
});

it('can be made 50 times, and not once more', async () => {
  const [ann] = (await house.people(1)) as [Person];
  // All but one in small batches; of the last two at once, one is over.
  const made = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => ann.post('/api/outcome-models', greeting)));
  const all = [];
  for (let left = ownModelLimits.sets - 1; left > 0; left -= 7) all.push(...(await made(7)));
  all.push(...(await made(2)));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(ownModelLimits.sets);
  const [over] = all.filter(({ status }) => status !== 200);
  expect(over?.problem.info?.errors).toEqual([{ field: '', code: 'too_many' }]);
});
