import { expect, test } from 'vitest';
import { chosenOf, contentTypes, exportFormats, facets, fileName } from './formats.ts';

test.each([
  ['Interview 4', 'Interview 4.docx'],
  ['a/b\\c: "d" <e> | f? *', 'a b c d e f.docx'],
  ['../../etc/passwd', 'etc passwd.docx'],
  ['...hidden', 'hidden.docx'],
  ['ends with dots... ', 'ends with dots.docx'],
  ['CON', 'Transcript.docx'],
  ['com1', 'Transcript.docx'],
  ['', 'Transcript.docx'],
  ['\u202E\u0000\r\n', 'Transcript.docx'],
  ['Интервью 四 🙂', 'Интервью 四 🙂.docx'],
  ['\uD800half', 'half.docx'],
  ['🙂'.repeat(200), `${'🙂'.repeat(50)}.docx`],
  ['长'.repeat(200), `${'长'.repeat(66)}.docx`],
])('a recording called %j becomes %j', (title, name) => {
  expect(fileName(title, 'docx')).toBe(name);
  // Limit of all known file systems.
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
});

test('every format has a file, and every file a type', () => {
  for (const format of exportFormats) {
    expect(facets[format].fileTypes.length, format).toBeGreaterThan(0);
    for (const fileType of facets[format].fileTypes)
      expect(contentTypes[fileType], format).toMatch(/^[a-z]+\/[a-z.+-]+/);
  }
});

test('required options are on, and an unsupported file type becomes the default', () => {
  expect(chosenOf('ZOOM', { fileType: 'docx', times: false, speakers: false })).toEqual({
    fileType: 'vtt',
    times: true,
    speakers: false,
    summary: false,
    contents: false,
    private: false,
    redacted: false,
    outcomes: false,
    comments: false,
  });
  expect(chosenOf('REV')).toEqual({
    fileType: 'docx',
    times: true,
    speakers: true,
    summary: false,
    contents: false,
    private: false,
    redacted: false,
    outcomes: false,
    comments: false,
  });
  expect(chosenOf('OTTERAI', { fileType: 'docx' }).fileType).toBe('docx');
  expect(chosenOf('RAE', { speakers: false }).speakers).toBe(true);
});
