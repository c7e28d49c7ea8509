import { cueText, type Cue } from './cues.ts';
import { looksLikeName } from './names.ts';
import { prefix, readCues } from './read-cues.ts';
import { InvalidTranscript, type Source } from './source.ts';
import { named, shielded } from './spoken.ts';
import { exactTime } from './times.ts';
import { unknownSpeaker, type Parsed } from './turns.ts';

// WebVTT as Zoom writes it: a number, times with hours, and `Name: text` on one line.

const example = '00:00:02.720 --> 00:00:07.850';

export function readZoom({ kind, lines }: Source): Parsed {
  if (kind === 'docx') throw new InvalidTranscript(1, 'a .vtt file as Zoom writes it, beginning with WEBVTT');
  const parsed = readCues(lines, { markup: 'vtt', names: 'every', example });
  if (parsed) return parsed;
  throw new InvalidTranscript(
    lines[0]?.number ?? 1,
    /^WEBVTT/.test(lines[0]?.text ?? '')
      ? `at least one line such as "${example}" with text below it`
      : `WEBVTT in the first line, and times such as "${example}"`,
  );
}

// ---- Writing ------------------------------------------------------------------------------------

/** A colon would end the name, and a longer one, or one with sentences in it, would be read as speech. */
function cueName(name: string): string {
  const plain = named(name.replace(/[:：]+/g, ' '), '', 60)
    .split(' ')
    .slice(0, 6)
    .join(' ');
  return looksLikeName(plain) ? plain : plain.replace(/[.?!]+(?=\s)/g, '');
}

/** Without names above it, text that would be read as a name and its words. */
const isHead = (text: string): boolean => prefix.test(text);

export function writeZoom(cues: readonly Cue[], speakers: boolean): string {
  const blocks = cues.map(({ from, to, text, speaker }, i) => {
    const name = speakers ? cueName(speaker) || unknownSpeaker : '';
    const line = name === '' ? shielded(text, isHead) : `${name}: ${text}`;
    return `${i + 1}\n${exactTime(from)} --> ${exactTime(to)}\n${cueText(line)}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}
