import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';

const code = (source: string): string => {
  try {
    parseJson(source);
  } catch (error) {
    return (error as { errors?: { code: string }[] }).errors?.[0]?.code ?? String(error);
  }
  return 'taken';
};

describe('refused JSON', () => {
  test.each([
    ['no JSON', '{a:1}', 'json'],
    ['nothing', '', 'json'],
    ['a byte order mark', '\uFEFF{}', 'json'],
    ['something after the end', '{} {}', 'json'],
    ['a comment', '{} // why', 'json'],
    ['a key given twice', '{"a":1,"a":2}', 'duplicate_key'],
    ['a key given twice, written differently', '{"a":1,"\\u0061":2}', 'duplicate_key'],
    ['a key given twice further in', '[{"b":{"a":1,"c":[1,2],"a":2}}]', 'duplicate_key'],
    ['__proto__', '{"__proto__":{"admin":true}}', 'key'],
    ['__proto__, written differently', '{"\\u005f_proto__":1}', 'key'],
    ['constructor.prototype', '{"constructor":{"prototype":{}}}', 'key'],
    ['half a character in a key', '{"a\\ud800":1}', 'key'],
    ['depth', `${'['.repeat(65)}${']'.repeat(65)}`, 'depth'],
    ['great depth', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'depth'],
    ['a million values', `[${'0,'.repeat(999_999)}0]`, 'too_many'],
    ['a number beyond all bounds', '1e999', 'number'],
    ['minus nothing', '{"amount":-0}', 'number'],
    ['a number that is changed by being read', '9007199254740993', 'number'],
    ['U+0000 in a text', '{"a":"b\\u0000c"}', 'character'],
    ['U+0000 in a key', '{"a\\u0000":1}', 'character'],
  ])('%s', (_, source, expected) => {
    expect(code(source)).toBe(expected);
  });
});

test('accepts 64 levels, text that mentions U+0000, and equal keys in different objects', () => {
  expect(code(`${'['.repeat(64)}${']'.repeat(64)}`)).toBe('taken');
  expect(parseJson('["\\\\u0000","{\\"a\\":1,\\"a\\":2}"]')).toEqual(['\\u0000', '{"a":1,"a":2}']);
  expect(parseJson('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }]);
});

test('replaces half a character by U+FFFD', () => {
  expect(parseJson('{"a":["x\\ud83d","\\ude00y","\\ud83d\\ude00"]}')).toEqual({ a: ['x\uFFFD', '\uFFFDy', '😀'] });
});

const ordinary = fc.string({ unit: 'grapheme' }).filter((text) => !/\0|^(__proto__|constructor|prototype)$/.test(text));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0.5, 1e21, -1.25e-7),
    fc.maxSafeInteger(),
    ordinary,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(ordinary, tie('value'), { maxKeys: 5 }),
  ),
})).value;

test('reads everything else like JSON.parse', () => {
  fc.assert(
    fc.property(json, fc.boolean(), (value, spaced) => {
      const source = JSON.stringify(value, null, spaced ? 2 : 0).replaceAll(/[^\0-\x7f]/g, (unit) =>
        spaced ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit,
      );
      expect(parseJson(source)).toEqual(JSON.parse(source));
    }),
    { numRuns: 500 },
  );
});
