import * as Y from 'yjs';
import { expect, it } from 'vitest';
import { anchorAt, placesOf, saidIn } from './anchors.ts';
import { quoteNow } from './quoted.ts';
import { replaceRanges } from './transcript.ts';
import { readWords } from './words.ts';

/** The quote of an annotation on some words, after a part of them was replaced. */
function afterChange(text: string, on: string, was: string, now: string) {
  const doc = new Y.Doc();
  replaceRanges(doc, [{ at: 0, remove: 0, insert: [{ s: 's', p: 'p' }, text] }], 'test');
  const from = 1 + text.indexOf(on);
  const item = { anchor: anchorAt(doc, 1, from, from + on.length), ...saidIn(readWords(doc), from, from + on.length) };
  replaceRanges(doc, [{ at: 1 + text.indexOf(was), remove: was.length, insert: now === '' ? [] : [now] }], 'test');
  const reading = readWords(doc);
  return quoteNow(() => reading, item, placesOf(doc, reading, 1, [item])[0]);
}

const text = 'we planned it tree times and never did it';

it('a corrected word is in the quote, and nothing is said of it', () => {
  expect(afterChange(text, 'planned it tree times', 'ree', 'hree')).toEqual({
    quote: 'planned it three times',
    before: null,
  });
  expect(afterChange(text, 'planned it tree times', 'tree', '“Tree”,')).toMatchObject({ before: null });
});

it.each([
  ['今天我们讨论了三个问题', '讨论了三个问题', '三', '四'],
  ['きょうは三つの話をしました', '三つの話をしました', '話', '話題'],
  ['วันนี้เราคุยกันเรื่องงาน', 'เราคุยกันเรื่องงาน', 'งาน', 'เงิน'],
])('a corrected letter of %s is a part of it, as there are no blanks between words', (whole, on, was, now) => {
  expect(afterChange(whole, on, was, now)).toEqual({ quote: on.replace(was, now), before: null });
});

it('where hardly a letter of a sentence without blanks is left, the quote names it as it was', () => {
  expect(afterChange('今天我们讨论了三个问题', '讨论了三个问题', '论了三个问', '好')).toMatchObject({
    before: '讨论了三个问题',
  });
});

it('where hardly a word is left, the quote names the words it was made on', () => {
  expect(afterChange(text, 'planned it tree times', 'lanned it tree time', 'romised ourselve')).toEqual({
    quote: 'promised ourselves',
    before: 'planned it tree times',
  });
});

it('of words that are gone the quote stays as it was made', () => {
  expect(afterChange(text, 'tree times', ' tree times', '')).toEqual({ quote: 'tree times', before: null });
});
