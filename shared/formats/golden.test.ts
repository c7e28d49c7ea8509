// Sample files of each known layout with their expected content: speaker, start, end and text. A line that begins with
// `=` is the title.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFormats, type ImportFormat } from './formats.ts';
import { readDocx } from './read-docx.ts';
import { readTranscript, recognise } from './read.ts';
import { decodeText, textSource, type Source } from './source.ts';
import type { Imported } from './spread.ts';

const folder = join(import.meta.dirname, 'golden');
const files = readdirSync(folder).filter((name) => !name.endsWith('.expected'));
const names: Record<string, ImportFormat> = {
  otter: 'OTTERAI',
  rae: 'RAE',
  rev: 'REV',
  transcribeme: 'TRME',
  turboscribe: 'TURBOSCRIBE',
  zoom: 'ZOOM',
  vtt: 'VTT',
  srt: 'SRT',
  text: 'TEXT',
};
const formatOf = (file: string): ImportFormat => names[/^[a-z]+/.exec(file)?.[0] ?? ''] ?? 'REV';

const sourceOf = (text: string, docx: boolean): Source =>
  docx ? readDocx((part) => (part === 'word/document.xml' ? text : null)) : textSource(text);

/** Times in hundredths of a second: spreading of words may change by less than anybody hears. */
function shown({ seed: { about, speakers, segments } }: Imported): string {
  const nameOf = new Map(speakers.map(({ id, name }) => [id, name]));
  const seconds = (time: number | undefined) => String(Math.round((time ?? -1) * 1000) / 1000);
  return [
    ...(about?.title ? [`= ${about.title}`] : []),
    ...segments.map(
      ({ speaker, words, text }) =>
        `${nameOf.get(speaker) ?? '-'} ${seconds(words[0]?.f)}-${seconds(words.at(-1)?.t)} ${text}`,
    ),
    '',
  ].join('\n');
}

describe.each(files)('%s', (file) => {
  const docx = file.endsWith('.xml');
  const written = readFileSync(join(folder, file), 'utf8');
  const expected = readFileSync(join(folder, file.replace(/(\.document)?\.\w+$/, '.expected')), 'utf8');

  test('has the expected content', () => {
    expect(shown(readTranscript(sourceOf(written, docx), formatOf(file)))).toBe(expected);
  });

  test('is recognised', () => {
    expect(recognise(sourceOf(written, docx))).toBe(formatOf(file));
    expect(shown(readTranscript(sourceOf(written, docx), 'AUTO'))).toBe(expected);
  });

  test('has words in the order of time, within the times of its heads', () => {
    const { seed } = readTranscript(sourceOf(written, docx), formatOf(file));
    for (const { words } of seed.segments) {
      let last = 0;
      for (const { f, t } of words) {
        expect(f).toBeGreaterThanOrEqual(last);
        expect(t).toBeGreaterThanOrEqual(f);
        last = t;
      }
    }
  });

  // Word documents have no line ends to vary.
  const rewritten: [string, (text: string) => string][] = docx
    ? []
    : [
        [
          'with a mark before it and the ends of lines of Windows',
          (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`,
        ],
        ['with the ends of lines of an old Macintosh', (text: string) => text.replaceAll('\n', '\r')],
        ['without a last line end, and with empty lines around it', (text: string) => `\n\n${text.trimEnd()}`],
      ];
  test.each(rewritten)('has the same content %s', (_, change) => {
    expect(shown(readTranscript(textSource(decodeText(Buffer.from(change(written)))), formatOf(file)))).toBe(expected);
  });
});

test('every format has files of several layouts', () => {
  const counts = importFormats.map((format) => files.filter((file) => formatOf(file) === format).length);
  expect(counts.every((count) => count >= 1)).toBe(true);
  expect(files.length).toBeGreaterThanOrEqual(18);
});
