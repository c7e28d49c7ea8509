import { isProper, looksLikeName, Names } from './names.ts';
import { InvalidTranscript, type Line } from './source.ts';
import { readTime, time } from './times.ts';
import { collapse, isShielded, Joined, speakerKey, unshielded, type Parsed, type Turn } from './turns.ts';

// Cues, as WebVTT and SubRip have them: times on a line, what is said below it, and perhaps who says it.

/** How a kind of file writes its cues. */
interface Maker {
  markup: 'vtt' | 'srt';
  /** A cue without a name: nobody known, or the speaker before, because names are written where they change. */
  names: 'every' | 'changes';
  /** A line of times, for messages. */
  example: string;
}

interface Said {
  speaker: string;
  text: string;
}

const head = new RegExp(String.raw`^\s*(${time})\s*-->\s*(${time})(?:\s|$)`);
/** Times that were meant to be some. */
const brokenTime = /^\s*\d[\d:.,]*\s*-->/;
const isNumber = (line: Line | undefined): boolean => /^\d{1,9}$/.test(line?.text.trim() ?? '');
/** First line of blocks in other WebVTT files: comments and styles. */
const block = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
const header = /^\s*WEBVTT/;
const voice = /<v(?:\.[^\s<>]{0,40})?\s+(?=[^\s<>])([^<>]{1,100})>/;
const mark = /<\/?(?:v|c|b|i|u|ruby|rt|lang)(?:[.\s][^<>]{0,200})?>|<\d{1,3}:[\d:.]{4,12}>/g;
/** The name may stand alone: a speaker who says nothing. */
export const prefix = /^([^:：]{1,60})(?::(?:\s+|$)|：\s*)/;
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
  name: string;
  from: number;
  to: number;
}

const continues = ({ from, to }: Paragraph, cue: ReadCue): boolean =>
  cue.from >= from && cue.from - to < pause && cue.to - from < longestParagraph;

/** Times in the first line, or in the second below a number. */
export const beginsWithCue = ([first, second]: readonly Line[]): boolean =>
  [first, ...(isNumber(first) ? [second] : [])].some((line) => head.test(line?.text.slice(0, 400) ?? ''));

/** Segments of a file of cues; null if it has none. */
export function readCues(lines: readonly Line[], maker: Maker): Parsed | null {
  const { cues, skipped } = cuesIn(lines, maker);
  if (cues.length === 0) return null;
  const saidIn = nameRule(cues, maker);
  const turns: Turn[] = [];
  let open: Paragraph | null = null;
  for (const cue of cues) {
    const { speaker, text }: Said = maker.names === 'changes' ? following(saidIn(cue), open) : saidIn(cue);
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
      open = { key, name: speaker, from: cue.from, to: cue.to };
    }
  }
  return { turns, heads: cues.length, skipped };
}

/** The speaker of the cue before, where a cue names nobody. */
const following = (said: Said, before: Paragraph | null): Said =>
  said.speaker === '' && before ? { ...said, speaker: before.name } : said;

/** Lines of the cue before that are shown once more, as in captions that roll. */
const rolling = /<\d{1,3}:[\d:.]{4,12}>/;

function cuesIn(lines: readonly Line[], maker: Maker): { cues: ReadCue[]; skipped: number } {
  const rolls = maker.markup === 'vtt' && lines.some(({ text }) => rolling.test(text.slice(0, 400)));
  let shown = new Set<string>();
  let showing = new Set<string>();
  const cues: ReadCue[] = [];
  /** Cue that the next lines belong to; null within other blocks. */
  let open: ReadCue | null = null;
  /** Whether the next lines belong to the header of the file, or to another block. */
  let besides = false;
  let skipped = 0;
  const texts = new Map<ReadCue, Joined>();
  lines.forEach((line, i) => {
    const match = line.text.length < 400 ? head.exec(line.text) : null;
    const [from, to] = [readTime(match?.[1] ?? ''), readTime(match?.[2] ?? '')];
    if (from !== null && to !== null) {
      [shown, showing] = [showing, new Set()];
      cues.push((open = { line: line.number, from, to, text: '', voice: null }));
      return;
    }
    if (brokenTime.test(line.text.slice(0, 60)) && (line.fresh || isNumber(lines[i - 1])))
      throw new InvalidTranscript(line.number, `times such as "${maker.example}"`);
    const next = lines[i + 1];
    // Number of the next cue.
    if (line.fresh && next && !next.fresh && head.test(next.text.slice(0, 400))) {
      open = null;
      return;
    }
    if (line.fresh) besides = block.test(line.text) || (i === 0 && header.test(line.text));
    if (line.fresh && (block.test(line.text) || i === 0)) open = null;
    // Text after an empty line within a cue.
    else if (line.fresh && !open && !/^\d+$/.test(line.text.trim())) open = cues.at(-1) ?? null;
    if (!open) {
      if (!besides && !isNumber(line)) skipped += 1;
      return;
    }
    const text = texts.get(open) ?? new Joined();
    texts.set(open, text);
    if (text.length === 0) open.voice = voice.exec(line.text.slice(0, 400))?.[1] ?? null;
    const words = collapse(maker.markup === 'srt' ? plainSrt(line.text) : plain(line.text));
    showing.add(words);
    if (!rolls || !shown.has(words)) text.add(words);
  });
  for (const [cue, { whole }] of texts) cue.text = whole;
  return { cues, skipped };
}

/** Markup of subtitles, and the signs by which our own files keep words from being read as markup. */
const plainSrt = (text: string): string =>
  text.replace(/<\/?(?:b|i|u|s|font)(?:\s[^<>]{0,200})?>|\{\\[^{}]{0,100}\}/gi, '').replace(/(--|<|\{)\u2060/g, '$1');

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
function nameRule(cues: readonly ReadCue[], maker: Maker): (cue: ReadCue) => Said {
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
  const byChange = maker.names === 'changes' && first !== undefined && isProper(first);
  const mostly = byChange || (likely > 1 && likely >= mostlyNamed * cues.length);
  return (cue) => {
    if (cue.voice !== null) return { speaker: plain(cue.voice), text: cue.text };
    const name = found.get(cue);
    if (name === undefined || !names.has(name, all || isFirst(name) || (mostly && isProper(name))))
      return { speaker: '', text: unshielded(cue.text) };
    return { speaker: name, text: collapse(cue.text.replace(prefix, '')) };
  };
}
