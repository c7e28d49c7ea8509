import type { Block } from './page.ts';
import { isProper, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded, type SpokenTurn } from './spoken.ts';
import { readTime, shortTime } from './times.ts';
import { Gathering, isShielded, unknownSpeaker, type Parsed } from './turns.ts';

// TurboScribe: `[Speaker 1] (0:00 - 0:15)` or the times alone, then the text; or plain paragraphs.

const clock = String.raw`(?:\d{1,3}:)?\d{1,2}:\d{2}`;
const times = new RegExp(String.raw`^\((${clock})[ \t]*[-–—][ \t]*(${clock})\)$`);
/** Layout without a known sample, accepted because a program expects it. */
const inline = /^\s*\[(\d{1,3}:\d{2}:\d{2})\][ \t]+(?=[^ \t])([^:：]{1,60})[:：][ \t]*/;
const longestHead = 180;
const longestName = 100;
const longestBanner = 450;

function isBanner({ text }: Pick<Line, 'text'>): boolean {
  if (text.length >= longestBanner) return false;
  const trimmed = text.trim();
  return /^\([^()]*\)$/.test(trimmed) && /TurboScribe/i.test(trimmed);
}

interface Head {
  name: string;
  from: number;
  to: number;
}

/** Read from its end, so that a name may have brackets. */
function headIn(line: string): Head | null {
  if (line.length > longestHead) return null;
  const text = line.trim();
  const begins = text.lastIndexOf('(');
  const match = begins < 0 ? null : times.exec(text.slice(begins));
  const [from, to] = [readTime(match?.[1] ?? ''), readTime(match?.[2] ?? '')];
  if (from === null || to === null) return null;
  const before = text.slice(0, begins).trimEnd();
  const named = before.startsWith('[') && before.endsWith(']') && before.length > 2;
  if (before !== '' && (!named || before.length > longestName + 2)) return null;
  return { name: before.slice(1, -1), from, to: Math.max(from, to) };
}

/** Head with the words on the same line. */
function inlineIn(text: string): { name: string; from: number; length: number } | null {
  const match = inline.exec(text.slice(0, longestHead));
  const from = readTime(match?.[1] ?? '');
  return match && from !== null ? { name: match[2] ?? '', from, length: match[0].length } : null;
}

export function readTurboscribe({ lines }: Source): Parsed {
  const gathering = new Gathering();
  const names = new Names();
  for (const { text } of lines) {
    const found = isShielded(text) ? null : inlineIn(text);
    if (found) names.add(found.name);
  }
  let banners = 0;
  for (const line of lines) {
    if (isShielded(line.text)) {
      gathering.text(line);
      continue;
    }
    if (isBanner(line)) {
      banners += 1;
      continue;
    }
    const head = headIn(line.text);
    if (head) {
      gathering.head(line.number, head.name, head.from, head.to);
      continue;
    }
    const beside = inlineIn(line.text);
    if (beside) {
      // "[00:00:05] Note: call back" names nobody.
      const named = names.has(beside.name, isProper(beside.name));
      const said = line.text.slice(named ? beside.length : line.text.indexOf(']') + 1);
      gathering.head(line.number, named ? beside.name : '', beside.from);
      gathering.text({ ...line, fresh: false }, said);
    } else gathering.text(line);
  }
  if (gathering.heads > 0) return gathering.parsed();
  // Plain text: each paragraph becomes a segment.
  const plain = new Gathering();
  let first = true;
  for (const line of lines) {
    if (isBanner(line)) continue;
    if (line.fresh || first) plain.begin(line.number, '', null);
    first = false;
    plain.text({ ...line, fresh: false });
  }
  const parsed = plain.parsed({ skipped: 0, heads: banners });
  if (parsed.turns.length === 0)
    throw new InvalidTranscript(
      lines[0]?.number ?? 1,
      'a line such as "[Speaker 1] (0:00 - 0:15)" before what is said',
    );
  return parsed;
}

// ---- Writing ------------------------------------------------------------------------------------

const isHead = (text: string): boolean => headIn(text) !== null || inlineIn(text) !== null || isBanner({ text });

function headOf({ name, from, to }: SpokenTurn, speakers: boolean): string {
  const span = `(${shortTime(from)} - ${shortTime(Math.max(from, to))})`;
  return speakers ? `[${named(name, unknownSpeaker, longestName)}] ${span}` : span;
}

export function writeTurboscribe(turns: readonly SpokenTurn[], speakers: boolean): string {
  const blocks = turns.map((turn) => `${headOf(turn, speakers)}\n${shielded(turn.text, isHead)}\n`);
  return blocks.join('\n');
}

export function writeTurboscribeDocx(turns: readonly SpokenTurn[], speakers: boolean): Block[] {
  return turns.flatMap((turn): Block[] => [
    { kind: 'paragraph', style: 'head', text: headOf(turn, speakers) },
    { kind: 'paragraph', style: 'text', text: shielded(turn.text, isHead) },
  ]);
}
