// Payer of questions and analyses (spec 1, section 9): nobody becomes it unasked.
import { expect, test } from 'vitest';
import type { CostOption } from '#shared/intake.ts';
import { payingWith } from './paying.ts';

const way = (groupId: string | null, more: Partial<CostOption> = {}) =>
  ({ groupId, cost: 1, isDelegated: groupId !== null, isEnough: true, isEnoughQuota: true, ...more }) as CostOption;
const [own, one, two] = [way(null), way('one'), way('two')];
const payer = { groupId: 'one', name: 'Team One' };

test.each([
  ['at first, the first one that can', [own, one], null, own],
  ['at first, another one where the first cannot', [way(null, { isEnough: false }), one], null, one],
  ['the one that was chosen', [own, two, one], payer, one],
  ['the one that was chosen, though it cannot pay now', [own, way('one', { isEnoughQuota: false })], payer, 'one'],
  ['what became free', [way(null, { cost: 0 })], payer, null],
  ['nothing that costs', [], payer, undefined],
])('%s', (_, costs, kept, expected) => {
  const { option, gone } = payingWith(costs, kept);
  expect(gone).toBeNull();
  const groupId = typeof expected === 'object' && expected !== null ? expected.groupId : expected;
  expect(option?.groupId).toBe(groupId);
});

test.each([
  ['a team', [own, two], payer],
  ['the person', [one], { groupId: null, name: null }],
])('%s that pays no more is replaced by nobody', (_, costs, kept) => {
  expect(payingWith(costs, kept)).toEqual({ option: null, gone: kept });
});
