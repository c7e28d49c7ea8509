import { cueText, glance, sentences, stretchesOf, type Cue, type CueLimits } from './cues.ts';
import { printable, type SpokenTurn } from './spoken.ts';
import { exactTime } from './times.ts';
import { collapse, type Parsed } from './turns.ts';
import { writeZoom } from './zoom.ts';
import { beginsWithCue, readCues } from './read-cues.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';

// Captions. Cues are in order of time, have a minimum duration, and none is left out.

const shortestCue = 1;

function cuesOf(turns: readonly SpokenTurn[], limits: CueLimits): Cue[] {
  const cues = turns.flatMap(({ name, segment }) =>
    stretchesOf(segment, limits).map((stretch): Cue => ({ ...stretch, text: printable(stretch.text), speaker: name })),
  );
  const ordered = cues.filter(({ text }) => text !== '').toSorted((one, other) => one.from - other.from);
  return ordered.map((cue, i) => {
    const next = ordered[i + 1];
    // Only cues of the same speaker are shortened: interruptions may overlap.
    const to = next?.speaker === cue.speaker ? Math.min(cue.to, Math.max(next.from, cue.from)) : cue.to;
    return { ...cue, to: Math.max(to, cue.from + shortestCue) };
  });
}

export const zoomFile = (turns: readonly SpokenTurn[], speakers: boolean): string =>
  writeZoom(cuesOf(turns, sentences), speakers);

export function vttFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // Removed from names: many readers drop these characters inside a tag.
    const name = speakers ? collapse(speaker.replace(/[<>&]+/g, ' ')) : '';
    const line = name === '' ? cueText(text) : `<v ${name}>${cueText(text)}</v>`;
    return `${i + 1}\n${exactTime(from)} --> ${exactTime(to)}\n${line}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** A zero-width character keeps players from reading these as markup, without changing the look. */
const unmarked = (text: string): string =>
  text
    .replaceAll('-->', '--\u2060>')
    .replace(/<(?=[a-z/!])/gi, '<\u2060')
    .replace(/\{(?=\\)/g, '{\u2060');

export function srtFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  let before = '';
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // Names only where the speaker changes, as usual in subtitles.
    const name = speakers && speaker !== before ? collapse(speaker) : '';
    before = speaker;
    const line = unmarked(name === '' ? text : `${name}: ${text}`);
    return `${i + 1}\n${exactTime(from, ',')} --> ${exactTime(to, ',')}\n${line}\n`;
  });
  return blocks.join('\n');
}

// ---- Reading ------------------------------------------------------------------------------------

const vttTimes = '00:00:02.720 --> 00:00:07.850';
const srtTimes = '00:00:02,720 --> 00:00:07,850';

/** WebVTT of any maker. */
export function readVtt({ kind, lines }: Source): Parsed {
  const parsed = kind === 'docx' ? null : readCues(lines, { markup: 'vtt', names: 'every', example: vttTimes });
  if (parsed) return parsed;
  throw new InvalidTranscript(lines[0]?.number ?? 1, `at least one line such as "${vttTimes}" with text below it`);
}

/** SubRip. */
export function readSrt({ kind, lines }: Source): Parsed {
  const parsed = kind === 'docx' ? null : readCues(lines, { markup: 'srt', names: 'changes', example: srtTimes });
  if (parsed) return parsed;
  throw new InvalidTranscript(lines[0]?.number ?? 1, `at least one line such as "${srtTimes}" with text below it`);
}

const captions = ['ZOOM', 'VTT', 'SRT'] as const;
export const isCaptions = (format: string): boolean => captions.some((one) => one === format);

const zoomsTimes = /^\d{2}:\d{2}:\d{2}\.\d{3} --> \d{2}:\d{2}:\d{2}\.\d{3}\s*$/;

/** Whether a file begins like captions, so that what cannot be read further down is a fault of the file. */
export const beginsLikeCaptions = (lines: readonly Line[]): boolean =>
  /^\s*WEBVTT/.test(lines[0]?.text ?? '') || beginsWithCue(lines);

/** Kind of captions: only WebVTT begins with its name, and Zoom numbers its cues and never uses tags. */
export function captionsOf(lines: readonly Line[]): (typeof captions)[number] {
  if (!/^\s*WEBVTT/.test(lines[0]?.text ?? '')) return 'SRT';
  const cues = lines.flatMap(({ text }, i) => (text.includes('-->') ? [{ text, number: lines[i - 1] }] : []));
  const numbered = cues.every(
    ({ text, number }) => zoomsTimes.test(text) && /^\s*\d{1,9}\s*$/.test(number?.text ?? ''),
  );
  const tagged = lines.some(
    ({ text, fresh }) => text.includes('<v') || (fresh && /^(?:NOTE|STYLE|REGION)\b/.test(text)),
  );
  return numbered && !tagged ? 'ZOOM' : 'VTT';
}
