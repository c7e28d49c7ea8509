// What stands in braces is in no part of a file that was asked for without it.
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { seedState } from '../meetings/seed.ts';
import { docxParts } from './docx.ts';
import { chosenOf, exportFormats, facets } from './formats.ts';
import { redact, redactText } from './redact.ts';
import { spokenDocument, type SpokenDocument } from './spoken.ts';
import { writeTranscript } from './write.ts';

function documentOf(text: string): SpokenDocument {
  const doc = new Y.Doc();
  const words = [...text.matchAll(/\S+/g)].map(([w], i) => ({ w, f: i, t: i + 0.5, confidence: 0.9 }));
  const speakers = [{ id: 'a', name: 'Ann {Secret}', color: 0, sortId: 0 }];
  const about = { title: 'About {Secret}', lang: 'en-US' };
  Y.applyUpdate(doc, seedState({ about, speakers, segments: [{ id: 's', speaker: 'a', text, words }] }));
  return spokenDocument(doc);
}
const turnOf = (text: string) => redact(documentOf(text)).turns[0];

test.each([
  ['My name is {Maria Lopez}.', 'My name is [redacted]'],
  ['{Maria} and {Tom} came', '[redacted] and [redacted] came'],
  ['{Maria}{Tom} came', '[redacted] came'],
  ['the {inner {most} name} stays away', 'the [redacted] stays away'],
  ['it is {never closed', 'it is [redacted]'],
  ['closed} and never opened', 'closed} and never opened'],
  ["{Maria}'s goal", '[redacted] goal'],
  ['nothing at all', 'nothing at all'],
])('%s', (text, left) => {
  const turn = turnOf(text);
  expect(turn?.segment.text).toBe(left);
  // Each word is where it is said to be, and none is told of twice.
  expect(turn?.segment.words.map((word) => left.slice(word.at, word.at + word.text.length))).toEqual(left.split(' '));
  expect(turn?.segment.words.map((word) => word.text)).toEqual(left.split(' '));
});

test('the word in its place has the times of what it stands for', () => {
  const [, , hidden, last] = turnOf('It was {Maria Lopez} who came')?.segment.words ?? [];
  expect(hidden).toMatchObject({ text: '[redacted]', from: 2000, to: 3500, confidence: null });
  expect(last).toMatchObject({ text: 'who', from: 4000 });
});

test('what nobody marked is the same', () => {
  expect(turnOf('nothing at all')?.segment.words[0]).toMatchObject({ confidence: 0.9 });
  expect(redactText('a } b')).toBe('a } b');
});

const ways = exportFormats.flatMap((format) => facets[format].fileTypes.map((fileType) => ({ format, fileType })));
describe.each(ways)('$format as $fileType', ({ format, fileType }) => {
  const document = documentOf('Here {Secret} and {Another Secret} are.');
  const all = (redacted: boolean): string => {
    const page = writeTranscript(format, document, chosenOf(format, { fileType, redacted }));
    return page.kind === 'text' ? page.text : [...docxParts(page).values()].map(String).join('');
  };

  test('holds nothing of it, and all of it where nobody asks', () => {
    expect(all(true)).not.toContain('Secret');
    expect(all(true)).toContain('redacted');
    expect(all(false)).toContain('Secret');
  });
});
