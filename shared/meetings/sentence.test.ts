import { describe, expect, it } from 'vitest';
import {
  capitalize,
  collapse,
  continueSentence,
  decapitalize,
  endSentence,
  splitSentence,
  timeOfTagAt,
  writeTag,
} from './sentence.ts';

describe('the end of a sentence', () => {
  it.each([
    ['that is it', 'that is it.'],
    ['that is it ', 'that is it. '],
    ['is it?', 'is it?'],
    ['well,', 'well,'],
    ['and then…', 'and then…'],
    ['he said "no"', 'he said "no"'],
    ['he said “yes.”', 'he said “yes.”'],
    ["the players'", "the players'."],
    ['a price of 5', 'a price of 5.'],
    ['[laughter]', '[laughter]'],
    ['она пришла', 'она пришла.'],
    ['¿vienes?', '¿vienes?'],
    ['就是这样', '就是这样。'],
    ['就是这样。', '就是这样。'],
    ['是吗？', '是吗？'],
    ['यह है', 'यह है।'],
    ['สวัสดี', 'สวัสดี'],
    ['', ''],
    ['   ', '   '],
  ])('of %j is %j', (text, ended) => expect(endSentence(text)).toBe(ended));
});

describe('the first letter', () => {
  it.each([
    ['hello', undefined, 'Hello'],
    ['  “hello', undefined, '  “Hello'],
    ['¿vienes?', 'es-ES', '¿Vienes?'],
    ['ещё раз', 'ru-RU', 'Ещё раз'],
    ['istanbul', 'tr-TR', 'İstanbul'],
    ['istanbul', 'en-US', 'Istanbul'],
    ['你好', 'zh-CN', '你好'],
    ['3 of them', undefined, '3 of them'],
    ['[laughter] hello', undefined, '[laughter] hello'],
    ['élan', 'not a language!', 'Élan'],
    ['𐐨𐐩', undefined, '𐐀𐐩'],
    ['', undefined, ''],
  ])('of %j in %s is a capital: %j', (text, lang, made) => expect(capitalize(text, lang)).toBe(made));

  it.each([
    ['And then', undefined, 'and then'],
    ['Ещё раз', 'ru-RU', 'ещё раз'],
    ['I think', undefined, 'I think'],
    ["I'm here", undefined, "I'm here"],
    ['In time', undefined, 'in time'],
    ['A plan', undefined, 'a plan'],
    ['NATO says', undefined, 'NATO says'],
    ['McKay says', undefined, 'McKay says'],
    ['U.S. law', undefined, 'U.S. law'],
    ['Haus und Hof', 'de-DE', 'Haus und Hof'],
    ['Isparta', 'tr-TR', 'ısparta'],
    ['你好', 'zh-CN', '你好'],
  ])('of %j in %s is small in mid-sentence: %j', (text, lang, made) => expect(decapitalize(text, lang)).toBe(made));
});

describe('splitting and merging', () => {
  it.each<[string, string, object, [string, string]]>([
    ['we begin ', 'then we go on', {}, ['we begin.', 'Then we go on']],
    ['we begin', ' then', { disableAutoCapitalize: true }, ['we begin.', 'then']],
    ['we begin', ' then', { disableAutoPeriod: true }, ['we begin', 'Then']],
    ['shall we?', ' yes', {}, ['shall we?', 'Yes']],
    ['we begin ', '  ', {}, ['we begin', '']],
    ['', 'so', {}, ['', 'So']],
  ])('%j and %j with %j', (left, right, preferences, both) =>
    expect(splitSentence(left, right, preferences)).toEqual(both),
  );

  it.each([
    ['we begin', 'Then we go on', {}, 'then we go on'],
    ['we begin,', 'Then we go on', {}, 'then we go on'],
    ['we begin.', 'Then we go on', {}, 'Then we go on'],
    ['“we begin.”', 'Then', {}, 'Then'],
    ['we begin', 'Then', { disableAutoDecapitalize: true }, 'Then'],
    ['[laughter]', 'Then', {}, 'Then'],
    ['', 'Then', {}, 'Then'],
    ['我们开始。', 'Then', {}, 'Then'],
  ])('%j goes on with %j, %j', (left, right, preferences, made) =>
    expect(continueSentence(left, right, preferences)).toBe(made),
  );
});

describe('tags', () => {
  it.each([
    [null, '[inaudible]'],
    [0, '[inaudible 00:00:00]'],
    [62_900, '[inaudible 00:01:02]'],
    [3_723_000, '[inaudible 01:02:03]'],
    [360_000_000, '[inaudible 100:00:00]'],
  ])('at %j ms are written %s', (ms, text) => expect(writeTag('inaudible', ms)).toBe(text));

  it.each([
    ['so [inaudible 00:01:02] then', 3, 62_000],
    ['so [inaudible 00:01:02] then', 23, 62_000],
    ['so [inaudible 00:01:02] then', 2, null],
    ['so [inaudible 00:01:02] then', 24, null],
    ['[crosstalk 1:02:03]', 5, 3_723_000],
    ['[?? 12:34] and [laughter]', 20, null],
    ['[?? 12:34] and [laughter]', 1, 754_000],
    ['at 12:34 we met', 4, null],
  ])('%j at %i leads to %j', (text, at, ms) => expect(timeOfTagAt(text, at)).toBe(ms));
});

it.each([
  [' one\r\n\r\n\ttwo\u00A0 three\u200B\u3000four ', ' one two three four '],
  ['\n one\ntwo \n', 'one two'],
  ['\n \n', ''],
  ['  ', ' '],
])('pasted text %j is on one line, with single blanks: %j', (text, line) => expect(collapse(text)).toBe(line));
