import { cueText, glance, sentences, stretchesOf, type Cue, type CueLimits } from './cues.ts';
import { printable, type SpokenTurn } from './spoken.ts';
import { exactTime } from './times.ts';
import { collapse } from './turns.ts';
import { writeZoom } from './zoom.ts';

// What is shown under a picture. Cues stand in the order of time, each for a moment at least, and none is left out.

const shortestCue = 1;

function cuesOf(turns: readonly SpokenTurn[], limits: CueLimits): Cue[] {
  const cues = turns.flatMap(({ name, segment }) =>
    stretchesOf(segment, limits).map((stretch): Cue => ({ ...stretch, text: printable(stretch.text), speaker: name })),
  );
  const ordered = cues.filter(({ text }) => text !== '').toSorted((one, other) => one.from - other.from);
  return ordered.map((cue, i) => {
    const next = ordered[i + 1];
    // Only of one person: whoever interrupts is shown beside the other.
    const to = next?.speaker === cue.speaker ? Math.min(cue.to, Math.max(next.from, cue.from)) : cue.to;
    return { ...cue, to: Math.max(to, cue.from + shortestCue) };
  });
}

export const zoomFile = (turns: readonly SpokenTurn[], speakers: boolean): string =>
  writeZoom(cuesOf(turns, sentences), speakers);

export function vttFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // Within a mark, many readers know no other way to write these than to leave them out.
    const name = speakers ? collapse(speaker.replace(/[<>&]+/g, ' ')) : '';
    const said = name === '' ? cueText(text) : `<v ${name}>${cueText(text)}</v>`;
    return `${i + 1}\n${exactTime(from)} --> ${exactTime(to)}\n${said}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** Players take these for marks of their own; a sign of no width between leaves the text as it is read. */
const unmarked = (text: string): string =>
  text
    .replaceAll('-->', '--\u2060>')
    .replace(/<(?=[a-z/!])/gi, '<\u2060')
    .replace(/\{(?=\\)/g, '{\u2060');

export function srtFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  let before = '';
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // A name where somebody else begins, as subtitles have it.
    const name = speakers && speaker !== before ? collapse(speaker) : '';
    before = speaker;
    const said = unmarked(name === '' ? text : `${name}: ${text}`);
    return `${i + 1}\n${exactTime(from, ',')} --> ${exactTime(to, ',')}\n${said}\n`;
  });
  return blocks.join('\n');
}
