// Status lines of several sentences are joined as each language writes them.
import { expect, it } from 'vitest';

import { joinSentences, spaceAfter } from './sentences.ts';

it.each([
  ['English', ['3 new points.', 'Nothing was paid.'], '3 new points. Nothing was paid.'],
  ['Chinese', ['3 条新内容。', '未收取费用。'], '3 条新内容。未收取费用。'],
  ['an empty sentence', ['', 'Done.', '', 'Nothing was paid.'], 'Done. Nothing was paid.'],
  ['nothing', [], ''],
])('joins %s', (_name, sentences, joined) => expect(joinSentences(...sentences)).toBe(joined));

it.each([
  ['Done.', ' '],
  ['完成。', ''],
  ['', ''],
])('after “%s” comes “%s”', (sentence, space) => expect(spaceAfter(sentence)).toBe(space));
