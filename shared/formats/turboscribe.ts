import type { Block } from './page.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded, type SpokenTurn } from './spoken.ts';
import { readTime, shortTime } from './times.ts';
import { Gathering, isShielded, unknownSpeaker, type Parsed } from './turns.ts';

// TurboScribe: `[Speaker 1] (0:00 - 0:15)` or the times alone, then the text; or plain paragraphs.

const head =
  /^\s*(?:\[(.{1,80}?)\][ \t]*)?\(((?:\d{1,3}:)?\d{1,2}:\d{2})[ \t]*[-–—][ \t]*((?:\d{1,3}:)?\d{1,2}:\d{2})\)\s*$/;
/** Layout without a known sample, accepted because a program expects it. */
const inline = /^\s*\[(\d{1,3}:\d{2}:\d{2})\][ \t]+([^:：]{1,60})[:：][ \t]*/;
const banner = /^\s*\([^()]{0,200}TurboScribe[^()]{0,200}\)\s*$/i;
const longestHead = 140;

const isBanner = ({ text }: Pick<Line, 'text'>): boolean => text.length < 450 && banner.test(text);

export function readTurboscribe({ lines }: Source): Parsed {
  const gathering = new Gathering();
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
    const match = line.text.length <= longestHead ? head.exec(line.text) : null;
    const [from, to] = [readTime(match?.[2] ?? ''), readTime(match?.[3] ?? '')];
    if (match && from !== null && to !== null) {
      gathering.head(line.number, match[1] ?? '', from, Math.max(from, to));
      continue;
    }
    const inlineHead = inline.exec(line.text.slice(0, longestHead));
    const at = readTime(inlineHead?.[1] ?? '');
    if (inlineHead && at !== null) {
      gathering.head(line.number, inlineHead[2] ?? '', at);
      gathering.text({ ...line, fresh: false }, line.text.slice(inlineHead[0].length));
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

const isHead = (text: string): boolean =>
  text.length <= 450 && (head.test(text) || inline.test(text.slice(0, longestHead)) || banner.test(text));

function headOf({ name, from, to }: SpokenTurn, speakers: boolean): string {
  const times = `(${shortTime(from)} - ${shortTime(Math.max(from, to))})`;
  return speakers ? `[${named(name, unknownSpeaker, 80, /[[\]]+/g)}] ${times}` : times;
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
