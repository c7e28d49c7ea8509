import { expect, test } from 'vitest';
import { outcomeModelInput, type OutcomeModelView } from '#shared/outcome-models.ts';

import { addType, changeType, draftOf, emptyDraft, fileOf, inputOf, moveType, removeType } from './draft.ts';

const set: OutcomeModelView = {
  ...{ id: 'own_0123456789012345678901', name: 'Desk', language: 'en', group: null, rev: 1 },
  ...{ retired: false, mayChange: true, offeredIn: [] },
  types: [
    {
      ...{ id: 'own_0123456789012345678901_1', name: 'Greeting', about: 'Says who speaks.', color: 2, retired: false },
      grades: [
        { value: 3, name: 'Warm' },
        { value: 2, name: 'Lukewarm', retired: true },
      ],
      children: [
        { id: 'own_0123456789012345678901_2', name: 'Name', retired: false },
        { id: 'own_0123456789012345678901_3', name: 'Old', retired: true },
      ],
    },
    {
      ...{ id: 'own_0123456789012345678901_4', name: 'Gone', about: '', color: 0, retired: true },
      grades: [],
      children: [],
    },
  ],
};

test('a set comes back as it was, without what is no longer offered', () => {
  const { types } = inputOf(draftOf(set));
  expect(types).toEqual([
    {
      ...{ id: 'own_0123456789012345678901_1', name: 'Greeting', about: 'Says who speaks.', color: 2 },
      grades: [{ value: 3, name: 'Warm' }],
      children: [{ id: 'own_0123456789012345678901_2', name: 'Name' }],
    },
  ]);
});

test('an exported file is what an import takes, and names no ids', () => {
  const file = fileOf(set);
  expect(outcomeModelInput.parse(JSON.parse(file))).toMatchObject({ name: 'Desk', types: [{ name: 'Greeting' }] });
  expect(file).not.toContain('own_');
});

test('a new type has the grades of the last one, with keys of its own', () => {
  const draft = addType(draftOf(set));
  expect(draft.types[1]?.grades).toMatchObject([{ value: '3', name: 'Warm' }]);
  const keys = draft.types.flatMap((type) => [type, ...type.grades, ...type.children].map(({ key }) => key));
  expect(new Set(keys).size).toBe(keys.length);
});

test('types move by one place, and not over the ends', () => {
  let draft = addType(addType(emptyDraft('en')));
  draft.types.forEach(({ key }, i) => {
    draft = changeType(draft, key, { name: 'abc'[i] ?? '' });
  });
  const names = () => draft.types.map(({ name }) => name).join('');
  const keyOf = (name: string) => draft.types.find((type) => type.name === name)?.key ?? -1;
  draft = moveType(draft, keyOf('c'), -1);
  expect(names()).toBe('acb');
  draft = moveType(draft, keyOf('a'), -1);
  expect(names()).toBe('acb');
  draft = removeType(draft, keyOf('c'));
  expect(names()).toBe('ab');
});

test('a number that is none is refused by the schema, at its place', () => {
  const draft = draftOf(set);
  const [type] = draft.types;
  if (!type) throw new Error('no type');
  for (const value of ['', '1.5', 'four', '101']) {
    const wrong = changeType(draft, type.key, { grades: [{ key: 9, value, name: 'Odd' }] });
    const { error } = outcomeModelInput.safeParse(inputOf(wrong));
    expect(
      error?.issues.map(({ path }) => path.join('.')),
      value,
    ).toEqual(['types.0.grades.0.value']);
  }
});
