// Exported files, read by independent programs: documents by a reader of Word documents, subtitles by ffmpeg.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mammoth from 'mammoth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { packed } from '#server/export/export.ts';
import { writePdf } from '#server/export/pdf.ts';
import { chosenOf, exportFormats, facets, type ExportFormat, type FileType } from '#shared/formats/formats.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { seedState } from '#shared/meetings/seed.ts';

// H07 and H11 of the catalogue of attacks: text that its reader could take for markup or commands.
const hostile = [
  'Plain words, and a line of more words.',
  ']]> <w:p/> <!-- & &#x0; &amp; "quoted"',
  'control \u0000\u0007\u001B characters \uD800 and halves \uFFFE',
  '<script>alert(1)</script> --> <v Nobody>{\\an8} STYLE',
  '=1+1 @SUM(A1) -2 +3',
  '1\n00:00:00.000 --> 00:00:09.000\nNOTE',
  '# no heading\n* [no](javascript:alert(1)) <img src=x onerror=alert(1)>',
  '好的，我们开始吧。 Да. 🙂',
];
const names = ['Ann <b> & "Ben"', 'Мария', '李 --> 四'];

function talk(): Y.Doc {
  const doc = new Y.Doc();
  Y.applyUpdate(
    doc,
    seedState({
      about: { title: 'A "title" & <more> ]]>', lang: 'en-US' },
      speakers: names.map((name, i) => ({ id: `p${i}`, name, color: i, sortId: i })),
      segments: hostile.map((text, i) => ({
        id: `s${i}`,
        speaker: `p${i % 3}`,
        text,
        words: [...text.matchAll(/\S+/g)].map(([w], k) => ({ w, f: i * 10 + k / 5, t: i * 10 + k / 5 + 0.2 })),
      })),
    }),
  );
  return doc;
}

const fileOf = (format: ExportFormat, fileType: FileType) => {
  const page = writeTranscript(format, spokenDocument(talk()), chosenOf(format, { fileType }));
  return page.kind === 'pdf' ? writePdf(page) : packed(page);
};

const docx = exportFormats.filter((format) => facets[format].fileTypes.includes('docx'));

describe.each(docx)('%s as a document', (format) => {
  test('is read in full by an independent reader of such documents', async () => {
    const buffer = await fileOf(format, 'docx');
    const { value, messages } = await mammoth.extractRawText({ buffer });
    expect(messages.filter(({ type }) => type === 'error')).toEqual([]);
    for (const said of [
      'Plain words, and a line of more words.',
      ']]> <w:p/> <!-- & &#x0; &amp; "quoted"',
      '<script>alert(1)</script> --> <v Nobody>{\\an8} STYLE',
      '=1+1 @SUM(A1) -2 +3',
      '好的，我们开始吧。 Да. 🙂',
    ])
      expect(value).toContain(said);
    expect(value).toContain('Мария');
  });

  test('shows spoken text as text, never as markup', async () => {
    const { value } = await mammoth.convertToHtml({ buffer: await fileOf(format, 'docx') });
    expect(value).not.toMatch(/<script|<img|<a /);
    expect(value).toContain('&lt;script&gt;');
  });
});

describe('our zip files', () => {
  test.skipIf(!there('unzip'))('is whole to unzip', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'colloquy-export-'));
    for (const format of docx) {
      const file = join(folder, `${format}.docx`);
      await writeFile(file, await fileOf(format, 'docx'));
      expect(execFileSync('unzip', ['-t', file]).toString()).toContain('No errors detected');
    }
    await rm(folder, { recursive: true });
  });
});

describe.skipIf(!there('ffmpeg') || !there('ffprobe'))('subtitles', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'colloquy-export-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const run = promisify(execFile);

  test.each<[ExportFormat, string]>([
    ['SRT', 'srt'],
    ['VTT', 'vtt'],
    ['ZOOM', 'vtt'],
  ])('%s: ffmpeg finds every cue at its time, with the words that were said', async (format, extension) => {
    const file = join(folder, `${format}.${extension}`);
    await writeFile(file, await fileOf(format, extension as FileType));
    const probed = await run('ffprobe', ['-v', 'error', '-show_packets', '-of', 'json', file]);
    expect(probed.stderr).toBe('');
    const { packets } = JSON.parse(probed.stdout) as { packets: { pts_time: string; duration_time: string }[] };
    expect(packets.length).toBeGreaterThanOrEqual(hostile.length);
    const starts = packets.map(({ pts_time: at }) => Number(at));
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(hostile.every((_, i) => starts.includes(i * 10))).toBe(true);

    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'srt', '-']);
    const read = stdout.replaceAll('\u2060', '').replaceAll(/\s+/g, ' ');
    for (const said of [
      'Plain words, and a line of more words.',
      '=1+1 @SUM(A1) -2 +3',
      '好的，我们开始吧。',
      'alert(1)',
    ])
      expect(read).toContain(said);
    // Spoken text that looks like a cue is no cue.
    expect(starts.length).toBeLessThan(30);
  });
});

test('JSON is valid, whatever was said', async () => {
  const read = JSON.parse((await fileOf('JSON', 'json')).toString()) as {
    transcript: { segments: { text: string }[] };
  };
  expect(read.transcript.segments).toHaveLength(hostile.length);
  expect(read.transcript.segments[3]?.text).toBe(hostile[3]);
});

test('Markdown has only our own markup', async () => {
  const text = (await fileOf('MARKDOWN', 'md')).toString();
  const unmarked = text.replaceAll(/\\[\\`*_{}[\]<>#|~!&.)+=:-]/g, '');
  expect(unmarked).not.toMatch(/[[\]<>`|~{}]/);
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(1);
});

/** Whether this machine has a program; a missing one is reported once. */
function there(program: string): boolean {
  try {
    execFileSync(program, ['-version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // A program that complains about the option exists all the same.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return true;
    console.warn(`skipped: ${program} is not on this machine`);
    return false;
  }
}
