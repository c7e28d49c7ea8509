import { cueText, type Cue } from './cues.ts';
import { isProper, looksLikeName, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded } from './spoken.ts';
import { exactTime, readTime, time } from './times.ts';
import {
  collapse,
  isShielded,
  Joined,
  speakerKey,
  unknownSpeaker,
  unshielded,
  type Parsed,
  type Turn,
} from './turns.ts';

// WebVTT as Zoom writes it: a number, times with hours, and `Name: text` on one line.

const head = new RegExp(String.raw`^\s*(${time})\s*-->\s*(${time})(?:\s|$)`);
/** First line of blocks in other WebVTT files: comments and styles. */
const block = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
const voice = /<v(?:\.[^\s<>]{0,40})?\s+(?=[^\s<>])([^<>]{1,100})>/;
const mark = /<\/?(?:v|c|b|i|u|ruby|rt|lang)(?:[.\s][^<>]{0,200})?>|<\d{1,3}:[\d:.]{4,12}>/g;
/** The name may stand alone: a speaker who says nothing. */
const prefix = /^([^:：]{1,60})(?::(?:\s+|$)|：\s*)/;
const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  lrm: '',
  rlm: '',
  quot: '"',
  apos: "'",
};

/** Limits of a paragraph: a longer silence or a longer paragraph begins a new one. */
const pause = 2000;
const longestParagraph = 60_000;

interface ReadCue {
  line: number;
  from: number;
  to: number;
  text: string;
  /** Speaker from a tag instead of a prefix. */
  voice: string | null;
}

interface Paragraph {
  key: string;
  from: number;
  to: number;
}

const continues = ({ from, to }: Paragraph, cue: ReadCue): boolean =>
  cue.from >= from && cue.from - to < pause && cue.to - from < longestParagraph;

export function readZoom({ kind, lines }: Source): Parsed {
  if (kind === 'docx') throw new InvalidTranscript(1, 'a .vtt file as Zoom writes it, beginning with WEBVTT');
  const cues = cuesIn(lines);
  if (cues.length === 0)
    throw new InvalidTranscript(
      lines[0]?.number ?? 1,
      /^WEBVTT/.test(lines[0]?.text ?? '')
        ? 'at least one line such as "00:00:02.720 --> 00:00:07.850" with text below it'
        : 'WEBVTT in the first line, and times such as "00:00:02.720 --> 00:00:07.850"',
    );
  const saidIn = nameRule(cues);
  const turns: Turn[] = [];
  let open: Paragraph | null = null;
  for (const cue of cues) {
    const { speaker, text } = saidIn(cue);
    const key = speakerKey(speaker);
    if (text === '') {
      // Somebody else has the floor, even in silence.
      if (open?.key !== key) open = null;
      continue;
    }
    const piece = { text, from: cue.from, to: Math.max(cue.from, cue.to) };
    const before: Paragraph | null = open?.key === key ? open : null;
    if (before && continues(before, cue)) {
      turns.at(-1)?.pieces.push(piece);
      before.to = cue.to;
    } else {
      turns.push({ line: cue.line, speaker, pieces: [piece] });
      open = { key, from: cue.from, to: cue.to };
    }
  }
  return { turns, heads: cues.length, skipped: 0 };
}

function cuesIn(lines: readonly Line[]): ReadCue[] {
  const cues: ReadCue[] = [];
  /** Cue that the next lines belong to; null within other blocks. */
  let open: ReadCue | null = null;
  const texts = new Map<ReadCue, Joined>();
  lines.forEach((line, i) => {
    const match = line.text.length < 400 ? head.exec(line.text) : null;
    const [from, to] = [readTime(match?.[1] ?? ''), readTime(match?.[2] ?? '')];
    if (from !== null && to !== null) {
      cues.push((open = { line: line.number, from, to, text: '', voice: null }));
      return;
    }
    const next = lines[i + 1];
    // Number of the next cue.
    if (line.fresh && next && !next.fresh && head.test(next.text.slice(0, 400))) {
      open = null;
      return;
    }
    if (line.fresh && (block.test(line.text) || i === 0)) open = null;
    // Text after an empty line within a cue.
    else if (line.fresh && !open && !/^\d+$/.test(line.text.trim())) open = cues.at(-1) ?? null;
    if (!open) return;
    const text = texts.get(open) ?? new Joined();
    texts.set(open, text);
    if (text.length === 0) open.voice = voice.exec(line.text.slice(0, 400))?.[1] ?? null;
    text.add(collapse(plain(line.text)));
  });
  for (const [cue, { whole }] of texts) cue.text = whole;
  return cues;
}

const plain = (text: string): string =>
  text
    .replace(mark, '')
    .replace(/&(?:#(\d{1,7})|(\w{2,4}));/g, (whole, code: string | undefined, name: string | undefined) =>
      code === undefined ? (entities[name ?? ''] ?? whole) : character(Number(code), whole),
    );

const character = (code: number, otherwise: string): string =>
  code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : otherwise;

/** Share of cues with what looks like a name from which a name may occur once: Zoom names the speaker of every cue. */
const mostlyNamed = 2 / 3;

/** Decides which prefixes are names: "Note: call back" has none. */
function nameRule(cues: readonly ReadCue[]): (cue: ReadCue) => { speaker: string; text: string } {
  const nameOf = ({ text }: ReadCue): string | null => {
    const name = isShielded(text) ? null : (prefix.exec(text)?.[1] ?? null);
    return name !== null && looksLikeName(name) ? name : null;
  };
  const names = new Names();
  const found = new Map<ReadCue, string>();
  for (const cue of cues) {
    const name = cue.voice === null ? nameOf(cue) : null;
    if (name === null) continue;
    found.set(cue, name);
    names.add(name);
  }
  const first = cues[0] && found.get(cues[0]);
  const isFirst = (name: string) => first !== undefined && speakerKey(name) === speakerKey(first);
  // If every cue has a prefix, all of them are names, even those that occur once.
  const all = found.size === cues.length && found.size > 1;
  const likely = [...found.values()].filter((name) => names.has(name, isProper(name))).length;
  const mostly = likely > 1 && likely >= mostlyNamed * cues.length;
  return (cue) => {
    if (cue.voice !== null) return { speaker: plain(cue.voice), text: cue.text };
    const name = found.get(cue);
    if (name === undefined || !names.has(name, all || isFirst(name) || (mostly && isProper(name))))
      return { speaker: '', text: unshielded(cue.text) };
    return { speaker: name, text: collapse(cue.text.replace(prefix, '')) };
  };
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
