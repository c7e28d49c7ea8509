import { expect, test } from 'vitest';
import { rowsToSend, splitRow, wrongRows, type InviteRow } from './invite-rows.ts';

const row = (key: number, email: string, role: InviteRow['role'] = 'member'): InviteRow => ({ key, email, role });
const counter = () => {
  let last = 100;
  return () => (last += 1);
};

test('what stands in one line becomes a line each, with its role, where it stood', () => {
  const rows = [row(1, 'ann@x.test'), row(2, 'ben@x.test; cem@x.test, ', 'admin'), row(3, '')];
  expect(splitRow(rows, 2, counter())).toEqual([
    row(1, 'ann@x.test'),
    row(2, 'ben@x.test', 'admin'),
    row(101, 'cem@x.test', 'admin'),
    row(3, ''),
  ]);
});

test('sent is nobody twice and nothing empty, and of nothing one empty line is left to be marked', () => {
  const rows = [row(1, ''), row(2, 'ann@x.test,ANN@x.test', 'admin'), row(3, ' ben ')];
  const wanted = rowsToSend(rows, counter());
  expect(wanted).toEqual([row(2, 'ann@x.test', 'admin'), row(3, 'ben')]);
  expect([...wrongRows(wanted)]).toEqual([[3, 'noEmail']]);
  const nothing = rowsToSend([row(1, ' ; '), row(2, '')], counter());
  expect(nothing).toEqual([row(1, '')]);
  expect([...wrongRows(nothing)]).toEqual([[1, 'missing']]);
});
