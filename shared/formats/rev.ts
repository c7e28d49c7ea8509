import type { Block } from './page.ts';
import { isProper, looksLikeName, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded, type SpokenTurn } from './spoken.ts';
import { readTime, wholeTime } from './times.ts';
import { Gathering, isShielded, unknownSpeaker, unshielded, type Parsed, type Piece, type Turn } from './turns.ts';

// Rev and Temi, in three layouts that may be mixed: `Name:` above the text, `Name (00:06:19):` above the text and
// `(00:06:31):` above each further paragraph, or `Name: 00:02 text` on one line.

const clock = String.raw`(?:\d{1,2}:)?\d{1,2}:\d{2}`;
const standsAlone = /^([^:：]{1,60})[:：]$/;
/** Brackets that a name cannot be: a tag, or a time. */
const notNamed = /^\[[^[\]]*\]$|^\([\d:. ]*\)$/;
const stamp = new RegExp(String.raw`\((${clock})\)[:：][ \t]*`, 'g');
const inline = new RegExp(String.raw`^([^:：]{1,60})[:：]\s+(${clock})\s+(?=\S)`);
/** Speaker labels of TranscribeMe; a file with these is probably one of theirs. */
const numbered = /^S\d{1,3}$/;
const longestHead = 140;
const longestName = 100;

/** Lines around a transcript that are not part of it. */
const around =
  /^(?:Transcript by Rev\.com\b.{0,100}|Page \d{1,5} of \d{1,5}|This transcript was exported\b.{0,200}|Completed:.{0,100})$/i;
const completed = /^\(Completed [\d/.-]{4,12}\)$/i;
const longestLine = 400;

const isAround = (text: string): boolean => text.length <= longestLine && around.test(text);

/** Title in a line such as "Interview 4 (Completed 03/12/24)"; null in another. */
function completedTitle(text: string): string | null {
  const begins = text.length <= longestLine ? text.lastIndexOf('(') : -1;
  if (begins < 0 || !completed.test(text.slice(begins))) return null;
  const title = text.slice(0, begins).trimEnd();
  return title === '' || title.length > 300 ? null : title;
}

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
  const names = namesIn(lines);
  lines.forEach((line, i) => {
    const text = line.text.trim();
    if (isShielded(text)) {
      gathering.text(line);
      return;
    }
    if (isAround(text)) return;
    const end = gathering.heads === 0 ? completedTitle(text) : null;
    if (end !== null) {
      title = end;
      return;
    }
    const head = headIn(text, names) ?? styledHead(line) ?? (line.fresh ? bareHead(text, names, lines[i + 1]) : null);
    if (!head) {
      gathering.text(line);
      return;
    }
    if (numbered.test(head.name) && !line.styled) others += 1;
    const speaker = head.speaks ? head.name : gathering.speaker;
    gathering.head(line.number, speaker, head.from);
    gathering.text({ ...line, fresh: false }, text.slice(head.length));
  });
  if (gathering.heads === 0)
    throw new InvalidTranscript(
      lines[0]?.number ?? 1,
      'a line such as "Maria Lopez (00:00:02):" or "Maria:" before what she says',
    );
  let { before } = gathering;
  if (title === '' && before[0]) [title, before] = [unshielded(before[0].text.trim()), before.slice(1)];
  const parsed = gathering.parsed({ skipped: before.length, heads: gathering.heads - others });
  return { ...parsed, turns: parsed.turns.map(withAnchors), ...(title && { title }) };
}

/** Head with a time: on a line of its own, or before words. */
function timedHead(text: string): Head | null {
  const begin = text.slice(0, longestHead);
  const stamps = [...begin.matchAll(stamp)].flatMap((match): Head[] => {
    const from = readTime(match[1] ?? '');
    const before = begin.slice(0, match.index);
    const name = before.trimEnd();
    const length = match.index + match[0].length;
    // The name ends with a blank.
    const fits = from !== null && name.length <= longestName && (name === '' || name.length < before.length);
    return fits ? [{ name, speaks: name !== '', from, length }] : [];
  });
  // A name may have brackets, even with a time in them; but no colon.
  const alone = stamps.findLast(({ name, length }) => length === text.length && !/[:：]/.test(name));
  if (alone ?? stamps[0]) return alone ?? stamps[0] ?? null;
  const beside = inline.exec(begin);
  const at = readTime(beside?.[2] ?? '');
  return beside && at !== null && looksLikeName(beside[1] ?? '')
    ? { name: beside[1] ?? '', speaks: true, from: at, length: beside[0].length }
    : null;
}

/** "We said: 10:30 is fine" is speech: before words, names look like names, or occur again. */
function headIn(text: string, { timed, named }: NameRules): Head | null {
  const head = timedHead(text);
  if (!head?.speaks || head.length === text.length) return head;
  return timed.has(head.name, isProper(head.name)) || named.count(head.name) > 0 ? head : null;
}

interface NameRules {
  /** Names alone before a colon. */
  alone: Names;
  /** Names with a time. */
  timed: Names;
  /** Names with a time on a line of their own. */
  named: Names;
  /** Whether the file has times. */
  hasTimes: boolean;
  /** Whether a name alone before a colon may look like one hardly, because none does. */
  lenient: boolean;
}

const nameAlone = (text: string): string | null => {
  const name = text.length <= 62 ? (standsAlone.exec(text)?.[1] ?? null) : null;
  return name !== null && looksLikeName(name) && !notNamed.test(name.trim()) ? name : null;
};

const isShort = (name: string): boolean => name.trim().split(/\s+/).length <= 3;

function namesIn(lines: readonly Line[]): NameRules {
  const rules = { alone: new Names(), timed: new Names(), named: new Names(), hasTimes: false, lenient: false };
  const found: string[] = [];
  for (const line of lines) {
    const text = line.text.trim();
    if (isShielded(text)) continue;
    const head = timedHead(text);
    if (head?.speaks) {
      rules.timed.add(head.name);
      if (head.length === text.length) rules.named.add(head.name);
      rules.hasTimes ||= head.length === text.length || isProper(head.name);
    }
    const name = line.fresh && !head ? nameAlone(text) : null;
    if (name === null) continue;
    rules.alone.add(name);
    found.push(name);
  }
  rules.lenient = !found.some((name) => rules.alone.has(name, isShort(name) && isProper(name)));
  return rules;
}

/** A paragraph in our own style of heads needs no other proof. */
function styledHead({ styled, text }: Line): Head | null {
  const name = styled && text.length <= 62 ? standsAlone.exec(text.trim())?.[1] : undefined;
  return name === undefined ? null : { name, speaks: true, from: null, length: text.trim().length };
}

/**
 * Heads without a time. "Here is the list:" is no name: in a file with times, only names count that have a time
 * elsewhere, or that are followed by the next head, because a list would follow.
 */
function bareHead(text: string, rules: NameRules, below: Line | undefined): Head | null {
  const name = nameAlone(text);
  if (name === null) return null;
  const { alone, timed, named, hasTimes, lenient } = rules;
  const once = isShort(name) && (isProper(name) || (lenient && !hasTimes));
  const silent = () => !below || headIn(below.text.trim(), rules) !== null;
  const counts = hasTimes
    ? timed.has(name, false) || named.count(name) > 0 || (once && alone.has(name, true) && silent())
    : alone.has(name, once);
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
  timedHead(text) !== null || nameAlone(text) !== null || isAround(text) || completedTitle(text) !== null;

export function writeRev(
  title: string,
  turns: readonly SpokenTurn[],
  { times, speakers }: { times: boolean; speakers: boolean },
): Block[] {
  const blocks: Block[] = [{ kind: 'paragraph', style: 'title', text: shielded(title, isHead) }];
  let last: string | null = null;
  for (const { name, speaker, from, text } of turns) {
    const label = named(name, unknownSpeaker, times ? longestName : 60, /[:：]+/g);
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
