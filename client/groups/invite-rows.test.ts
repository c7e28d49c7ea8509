import { expect, test } from 'vitest';
import { rowsToSend, splitRow, wrongRows, type InviteRow } from './invite-rows.ts';

const row = (key: number, email: string, role: InviteRow['role'] = 'member'): InviteRow => ({ key, email, role });
const counter = () => {
  let last = 100;
  return () => (last += 1);
};

test('several addresses in one row become rows of their own in its place, with its role', () => {
  const rows = [row(1, 'ann@x.test'), row(2, 'ben@x.test; cem@x.test, ', 'admin'), row(3, '')];
  expect(splitRow(rows, 2, counter())).toEqual([
    row(1, 'ann@x.test'),
    row(2, 'ben@x.test', 'admin'),
    row(101, 'cem@x.test', 'admin'),
    row(3, ''),
  ]);
});

test('empty rows and repeated addresses are not sent; without any address one empty row remains', () => {
  const rows = [row(1, ''), row(2, 'ann@x.test,ANN@x.test', 'admin'), row(3, ' ben ')];
  const wanted = rowsToSend(rows, counter());
  expect(wanted).toEqual([row(2, 'ann@x.test', 'admin'), row(3, 'ben')]);
  expect([...wrongRows(wanted)]).toEqual([[3, 'noEmail']]);
  const nothing = rowsToSend([row(1, ' ; '), row(2, '')], counter());
  expect(nothing).toEqual([row(1, '')]);
  expect([...wrongRows(nothing)]).toEqual([[1, 'missing']]);
});
