// Two hundred made-up transcripts for each format, of lines that look like the marks of one: out and in again, equal.
import { expect, test } from 'vitest';
import { docxParts } from './docx.ts';
import { chosenOf, facets, vendorFormats, type FileType, type VendorFormat } from './formats.ts';
import { readDocx } from './read-docx.ts';
import { readTranscript } from './read.ts';
import { textSource } from './source.ts';
import type { SpokenDocument, SpokenTurn } from './spoken.ts';
import { writeTranscript } from './write.ts';

const count = 200;

/** Pseudo-random numbers: a seed always makes the same transcript. */
function chance(seed: number) {
  let state = seed * 2654435761 + 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  return { below, of: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}

const people = [
  'Maria Lopez',
  'Ann (she/her)',
  'Ben [guest]',
  '[Host] Eve',
  'Dr. Who',
  'A. B. Carter',
  'Łukasz O’Neil',
  '王伟',
  'Мария де ла Крус',
  'Jean-Luc van der Berg',
  'Speaker 1',
  'interviewer',
  'S2',
  'Q & A <b>',
  'Meet 5',
  'Konstantinopolskaja-Dimitroff, Maximiliana A. of the North',
  '',
];

const marks = [
  'Sam:',
  'Sam: Yes.',
  'Note: call back.',
  'Note:',
  'Question: who pays?',
  'NOTE nothing',
  'Вопрос: кто платит?',
  '注意：明天四点一刻。',
  'P.S.: see below',
  'Let us meet at 4:15',
  'Meet Ann 6:30',
  'At 5:30',
  '4:15',
  '[0:40]',
  'Ann 0:34',
  '**Ann** 0:25',
  'Tue, Mar 12 • 1:04:10',
  'SPEAKERS',
  'SUMMARY KEYWORDS',
  'Transcribed by https://otter.ai',
  '(0:00 - 0:15)',
  '[Ann] (0:00 - 0:15)',
  '[Ann [guest]] (0:00 - 0:15)',
  '[00:00:05] Ann: Yes.',
  '[00:00:05] Note: no.',
  '(Transcribed by TurboScribe.ai. Go Unlimited to remove this message.)',
  'S1: 00:00:01 Yes.',
  'S1 00:00:01.451 Yes.',
  'S1:',
  'OK: so be it',
  '[Speaker 1]: Yes.',
  '[silence]',
  '[laughter] {Ann}',
  'Date: 2024-03-12',
  'Title: none',
  'Transcript by Rev.com',
  'Page 1 of 2',
  'This transcript was exported on Mar 12, 2024',
  'Interview 4 (Completed 03/12/24)',
  'Completed: yes',
  'Maria Lopez (00:00:02):',
  'Ann (she/her) (00:00:02): Yes.',
  '(00:00:31):',
  'Tom: 00:40 Yes.',
  'We said: 10:30 is fine',
  'Here is the list:',
  '[inaudible 00:00:04] the goal',
  '[00:00:02.340 - 00:00:07.850] Ann:',
  '\\[00:00:02.340 - 00:00:07.850] Ann:',
  '# Speakers: Ann',
  '> Outcomes',
  'WEBVTT',
  '12',
  '00:00:01.000 --> 00:00:02.000',
  '<v Ann>Yes.</v>',
  'a &amp; b &#33;',
  '\u2060Ann',
];
const plain = ['Yes.', 'So it is, I think', 'Da war er.', '好的，谢谢。', 'The rest follows tomorrow', 'and so on …'];

function transcriptOf(seed: number): SpokenDocument {
  const { below, of } = chance(seed);
  const cast = Array.from({ length: 1 + below(4) }, () => of(people)).filter((name, i, all) => all.indexOf(name) === i);
  const turns = Array.from({ length: 1 + below(7) }, (_, i): SpokenTurn => {
    const text = Array.from({ length: 1 + below(3) }, () => of(below(3) === 0 ? plain : marks)).join(' ');
    const name = of(cast);
    const from = i * 20_000 + below(1000);
    const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }, k) => ({
      ...{ at: index, text: word, from: from + k * 300, to: from + k * 300 + 250 },
      ...{ estimated: false, confidence: null, flags: 0, source: null },
    }));
    const to = words.at(-1)?.to ?? from;
    return { id: `s${i}`, speaker: name && `p${cast.indexOf(name)}`, name, from, to, text, segment: { text, words } };
  });
  return {
    title: below(4) === 0 ? of(marks) : 'Weekly review',
    lang: 'en-US',
    tags: below(3) === 0 ? [of(marks)] : [],
    speakers: cast.flatMap((name, i) => (name === '' ? [] : [{ id: `p${i}`, name, color: 0, sortId: i }])),
    voices: cast.filter((name) => turns.some((turn) => turn.name === name) && name !== ''),
    date: '2024-03-12',
    lasts: 3_850_000,
    turns,
  };
}

/** Consecutive segments of one speaker are joined: some formats cannot separate them. */
function joined(turns: readonly (readonly [name: string, text: string])[], format: VendorFormat): string[] {
  const all: [string, string][] = [];
  for (const [name, text] of turns) {
    const last = all.at(-1);
    if (last?.[0] === name) last[1] += ` ${text}`;
    else all.push([name, text]);
  }
  // Zoom's cues of scripts without blanks have none between them.
  return all.map(([name, text]) => `${name} | ${format === 'ZOOM' ? text.replace(/\s+/g, '') : text}`);
}

interface Options {
  speakers: boolean;
  times: boolean;
}

function again(document: SpokenDocument, format: VendorFormat, fileType: FileType, options: Options) {
  const page = writeTranscript(format, document, chosenOf(format, { fileType, ...options }));
  const parts = page.kind === 'docx' ? docxParts(page) : null;
  const source =
    page.kind === 'text' ? textSource(page.text) : readDocx((name) => (parts?.get(name) as string | undefined) ?? null);
  const { seed } = readTranscript(source, format);
  const names = new Map(seed.speakers.map(({ id, name }) => [id, name]));
  const turns = seed.segments.map(({ speaker, text = '' }) => [names.get(speaker) ?? '', text] as const);
  return { title: seed.about?.title, turns: joined(turns, format) };
}

/** Names as a file has them: without names, TranscribeMe has numbers, and the others have nothing. */
function namesIn({ turns }: SpokenDocument, format: VendorFormat, { speakers }: Options): string[] {
  if (speakers) return turns.map(({ name }) => name);
  const order = [...new Set(turns.map(({ name }) => name).filter((name) => name !== ''))];
  return turns.map(({ name }) => (format === 'TRME' && name !== '' ? `S${order.indexOf(name) + 1}` : ''));
}

const withTitles: readonly string[] = ['REV docx', 'TRME docx', 'RAE txt', 'RAE docx', 'OTTERAI docx'];

test.each(
  vendorFormats.flatMap((format) =>
    facets[format].fileTypes.filter((type) => type !== 'pdf').map((type) => [format, type] as const),
  ),
)(`${count} transcripts as %s %s`, (format, fileType) => {
  for (let seed = 1; seed <= count; seed += 1) {
    const document = transcriptOf(seed);
    // A file of Rev without both is words alone.
    const options = { speakers: seed % 4 !== 1, times: seed % 4 !== 2 };
    const back = again(document, format, fileType, options);
    const hasNames = options.speakers || !facets[format].optional.includes('speakers');
    const names = namesIn(document, format, { ...options, speakers: hasNames });
    const expected = document.turns.map(({ text }, i) => [names[i] ?? '', text] as const);
    expect(back.turns, `transcript ${seed}`).toEqual(joined(expected, format));
    if (withTitles.includes(`${format} ${fileType}`)) expect(back.title, `title ${seed}`).toBe(document.title);
  }
});
