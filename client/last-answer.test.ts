import { expect, it } from 'vitest';

import { AnswersInOrder } from './last-answer.ts';

it('an answer may be used unless that of a later request was', () => {
  const answers = new AnswersInOrder();
  const [first, second, third] = [answers.ask(), answers.ask(), answers.ask()];
  expect([second(), first(), third(), second(), third()]).toEqual([true, false, true, false, true]);
});
