import { expect, test } from 'vitest';
import { initialsOf } from './initials.ts';

test.each([
  ['Ann Test', 'AT'],
  ['ann', 'A'],
  ['  Ann   Marie  Test ', 'AM'],
  ['李 小龙', '李小'],
  ['👩 Test', '👩T'],
  ['ann@example.test (Reviewer 1)', 'A'],
  ['Ann Test（评审者 1）', 'AT'],
  ['(unnamed)', ''],
  ['', ''],
])('the initials of %j are %j', (name, letters) => expect(initialsOf(name)).toBe(letters));
