import type { Block } from './page.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded, type SpokenTurn } from './spoken.ts';
import { readTime, wholeTime } from './times.ts';
import {
  collapse,
  Gathering,
  isShielded,
  looksLikeName,
  speakerKey,
  speakerName,
  unknownSpeaker,
  type Parsed,
  type Piece,
  type Turn,
} from './turns.ts';

// Rev and Temi, in three layouts that may be mixed: `Name:` above the text, `Name (00:06:19):` above the text and
// `(00:06:31):` above each further paragraph, or `Name: 00:02 text` on one line.

const clock = String.raw`(?:\d{1,2}:)?\d{1,2}:\d{2}`;
const standsAlone = /^([^:：()[\]]{1,60})[:：]$/;
const timed = new RegExp(String.raw`^(?:(.{1,60}?)[ \t]+)?\((${clock})\)[:：][ \t]*`);
const inline = new RegExp(String.raw`^([^:：]{1,60})[:：]\s+(${clock})\s+(?=\S)`);
/** Speaker labels of TranscribeMe; a file with these is probably one of theirs. */
const numbered = /^S\d{1,3}$/;
const longestHead = 140;

/** Lines around a transcript that are not part of it. */
const around =
  /^(?:Transcript by Rev\.com\b.{0,100}|Page \d{1,5} of \d{1,5}|This transcript was exported\b.{0,200}|Completed:.{0,100})$/i;
const completed = /^(.{1,300}?)\s*\(Completed [\d/.-]{4,12}\)$/i;
/** Tag with a time: an exact time within the text. */
const anchor = new RegExp(String.raw`\[[^[\]\d]{1,40}\s(${clock})\]`, 'g');

interface Head {
  name: string;
  /** False if the speaker before continues. */
  speaks: boolean;
  from: number | null;
  /** Length of the head within the line. */
  length: number;
}

export function readRev({ lines }: Source): Parsed {
  const gathering = new Gathering();
  let title = '';
  let others = 0;
  const rules = nameRules(lines);
  for (const line of lines) {
    const text = line.text.trim();
    if (isShielded(text)) {
      gathering.text(line);
      continue;
    }
    if (text.length <= 400 && around.test(text)) continue;
    const end = text.length <= 400 ? completed.exec(text) : null;
    if (end && gathering.heads === 0) {
      title = end[1] ?? '';
      continue;
    }
    const head = headOf(text) ?? (line.fresh ? bareHead(text, rules) : null);
    if (!head) {
      gathering.text(line);
      continue;
    }
    if (numbered.test(head.name)) others += 1;
    const speaker = head.speaks ? head.name : gathering.speaker;
    gathering.head(line.number, speaker, head.from);
    gathering.text({ ...line, fresh: false }, text.slice(head.length));
  }
  if (gathering.heads === 0)
    throw new InvalidTranscript(
      lines[0]?.number ?? 1,
      'a line such as "Maria Lopez (00:00:02):" or "Maria:" before what she says',
    );
  let { before } = gathering;
  if (title === '' && before[0]) [title, before] = [collapse(before[0].text), before.slice(1)];
  const parsed = gathering.parsed({ skipped: before.length, heads: gathering.heads - others });
  return { ...parsed, turns: parsed.turns.map(withAnchors), ...(title && { title }) };
}

function headOf(text: string): Head | null {
  const begin = text.slice(0, longestHead);
  const match = timed.exec(begin);
  const from = readTime(match?.[2] ?? '');
  if (match && from !== null)
    return { name: match[1] ?? '', speaks: match[1] !== undefined, from, length: match[0].length };
  const beside = inline.exec(begin);
  const at = readTime(beside?.[2] ?? '');
  if (beside && at !== null && looksLikeName(beside[1] ?? ''))
    return { name: beside[1] ?? '', speaks: true, from: at, length: beside[0].length };
  return null;
}

interface NameRules {
  /** Number of times a name is alone before a colon. */
  alone: Map<string, number>;
  /** Names that also have a head with a time. */
  timed: Set<string>;
}

const nameAlone = (text: string): string | null => {
  const name = text.length <= 62 ? (standsAlone.exec(text)?.[1] ?? null) : null;
  return name !== null && looksLikeName(name) ? name : null;
};

function nameRules(lines: readonly Line[]): NameRules {
  const rules: NameRules = { alone: new Map(), timed: new Set() };
  for (const { text, fresh } of lines) {
    if (isShielded(text)) continue;
    const head = headOf(text.trim());
    if (head?.speaks) rules.timed.add(speakerKey(speakerName(head.name)));
    const name = fresh && !head ? nameAlone(text.trim()) : null;
    if (name === null) continue;
    const key = speakerKey(speakerName(name));
    rules.alone.set(key, (rules.alone.get(key) ?? 0) + 1);
  }
  return rules;
}

/**
 * Heads without a time. "Here is the list:" is no name: in a file with times, only names count that have a time
 * elsewhere.
 */
function bareHead(text: string, { alone, timed: known }: NameRules): Head | null {
  const name = nameAlone(text);
  if (name === null) return null;
  const key = speakerKey(speakerName(name));
  const counts = known.size > 0 ? known.has(key) : (alone.get(key) ?? 0) > 1 || name.trim().split(/\s+/).length <= 3;
  return counts ? { name, speaks: true, from: null, length: text.length } : null;
}

/** Splits the text at tags with a time. */
function withAnchors(turn: Turn): Turn {
  const pieces = turn.pieces.flatMap((piece): Piece[] => {
    const cut: Piece[] = [];
    let [start, from, known] = [0, piece.from, piece.from ?? 0];
    for (const match of piece.text.matchAll(anchor)) {
      const at = readTime(match[1] ?? '');
      if (at === null || at < known) continue;
      if (match.index > start) cut.push({ text: piece.text.slice(start, match.index).trim(), from, to: null });
      [start, from, known] = [match.index, at, at];
    }
    return [...cut, { text: piece.text.slice(start).trim(), from, to: piece.to }];
  });
  return { ...turn, pieces };
}

// ---- Writing ------------------------------------------------------------------------------------

const isHead = (text: string): boolean =>
  headOf(text) !== null ||
  nameAlone(text) !== null ||
  (text.length <= 400 && (around.test(text) || completed.test(text)));

export function writeRev(
  title: string,
  turns: readonly SpokenTurn[],
  { times, speakers }: { times: boolean; speakers: boolean },
): Block[] {
  const blocks: Block[] = [{ kind: 'paragraph', style: 'title', text: title }];
  let last: string | null = null;
  for (const { name, speaker, from, text } of turns) {
    const label = named(name, unknownSpeaker, 60, /[:：()[\]]+/g);
    // Without times, a head is written only where the speaker changes.
    const head = times
      ? speakers
        ? `${label} (${wholeTime(from)}):`
        : `(${wholeTime(from)}):`
      : speakers && last !== speaker
        ? `${label}:`
        : null;
    if (head !== null) blocks.push({ kind: 'paragraph', style: 'head', text: head });
    blocks.push({ kind: 'paragraph', style: 'text', text: shielded(text, isHead) });
    last = speaker;
  }
  return blocks;
}
