import { describe, expect, it } from 'vitest';
import { capitalize, collapse, continueSentence, decapitalize, endSentence, splitSentence } from './sentence.ts';

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

it.each([
  [' one\r\n\r\n\ttwo\u00A0 three\u200B\u3000four ', ' one two three four '],
  ['\n one\ntwo \n', 'one two'],
  ['\n \n', ''],
  ['  ', ' '],
])('pasted text %j is on one line, with single blanks: %j', (text, line) => expect(collapse(text)).toBe(line));
