import { describe, expect, it, test } from 'vitest';
import { isTooLong, longestMins, offeredModels, rulingOf, wrongWords, type Ruling } from './team-rules.ts';

const ruling = (fields: Partial<Ruling>): Ruling => ({
  ...{ id: 'a', name: 'A', type: 'team', models: [], sets: [], hideBuiltinModels: false },
  ...{ forceAccountType: null, forceOutcomeModel: null, ...fields },
});

const set = { id: `own_${'x'.repeat(22)}`, name: 'Service desk' } as const;

test.each([
  ['See you on Monday. Ann', null],
  ['Première réunion : lundi, 14.30', null],
  ['x'.repeat(200), null],
  ['x'.repeat(201), 'too_long'],
  ['Look at https://x', 'no_links'],
  ['Look at evil.example', 'no_links'],
  ['Look at evil。example', 'no_links'],
  ['ann@x', 'no_links'],
  ['www.x', 'no_links'],
  ['abc\u202edef', 'name'],
  ['a\u0000b', 'name'],
])('words %j: %s', (text, wrong) => expect(wrongWords(text)).toBe(wrong));

describe('the settings that apply', () => {
  it('are those of the team joined first, else of the first group with models', () => {
    const plain = ruling({ id: 'plain', type: 'group' });
    const models = ruling({ id: 'models', type: 'group', models: ['coaching'] });
    const [one, two] = [ruling({ id: 'one' }), ruling({ id: 'two' })];
    expect(rulingOf([plain, models, one, two])?.id).toBe('one');
    expect(rulingOf([plain, models])?.id).toBe('models');
    expect(rulingOf([plain])).toBe(null);
  });

  test.each<[string, Partial<Ruling>, string[]]>([
    ['nothing', {}, ['meeting']],
    ['more models', { models: ['coaching'] }, ['meeting', 'coaching']],
    ['others alone', { models: ['coaching'], hideBuiltinModels: true }, ['coaching']],
    ['none at all: the built-in ones stay', { hideBuiltinModels: true }, ['meeting']],
    ['a forced one', { forceOutcomeModel: 'coaching' }, ['coaching', 'meeting']],
    ['a forced one alone', { forceOutcomeModel: 'coaching', hideBuiltinModels: true }, ['coaching']],
    ['a plain group forces nothing', { type: 'group', forceOutcomeModel: 'coaching' }, ['meeting']],
    ['a set of the team', { models: [set.id], sets: [set] }, ['meeting', set.id]],
    ['a set of the team alone', { models: [set.id], sets: [set], hideBuiltinModels: true }, [set.id]],
    ['a forced set', { forceOutcomeModel: set.id, sets: [set] }, [set.id, 'meeting']],
    ['a set that is gone', { forceOutcomeModel: set.id, models: [set.id], hideBuiltinModels: true }, ['meeting']],
    ['a model that is gone', { forceOutcomeModel: 'gone', models: ['gone'] }, ['meeting']],
  ])('%s', (_, fields, models) => expect(offeredModels('individual', ruling(fields))).toEqual(models));
});

describe('the longest recording', () => {
  const teams = [
    { id: 'a', maxDurationMins: 90 },
    { id: 'b', maxDurationMins: 30 },
    { id: 'c', maxDurationMins: null },
  ];
  test.each([
    [null, { mins: 30, team: 'b' }],
    ['a', { mins: 90, team: 'a' }],
    ['c', null],
    ['left', { mins: 30, team: 'b' }],
  ])('in the scope %s', (scope, longest) => expect(longestMins(teams, scope)).toEqual(longest));

  test.each([
    [1800, 30, false],
    [1800.9, 30, false],
    [1801, 30, true],
    [null, 30, false],
    [9e9, null, false],
  ])('%s seconds of %s minutes', (seconds, mins, wrong) => expect(isTooLong(seconds, mins)).toBe(wrong));
});
