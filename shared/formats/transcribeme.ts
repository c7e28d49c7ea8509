import type { Block } from './page.ts';
import { isProper, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { named, shielded, type SpokenDocument } from './spoken.ts';
import { longDay, readTime, time, wholeTime } from './times.ts';
import { collapse, Gathering, isShielded, shield, speakerKey, speakerName, type Parsed, type Turn } from './turns.ts';

// TranscribeMe: a table of facts, then tables with a row a segment, `S1: 00:00:01` beside the words; or the same as
// lines. Curly braces mark personal data; they stay, so that a person can check them.

/** Cell beside the words; a name instead of `S1` if names were filled in. */
const cellHead = new RegExp(String.raw`^(.{1,60}?)\s*[:：]?\s*(${time})$`);
const cellSpeaker = /^(S\d{1,3}|\?\?)\s*[:：]?$/;
const lineHead = new RegExp(
  String.raw`^(S\d{1,3}|\p{Lu}{2}(?=\s*[:：]|\s+\d))(?:\s*[:：]\s*|\s+)(?:(${time})(?=\s|$))?`,
  'u',
);
const bracketed = /^\[([^[\]]{1,60})\][:：](?=\s|$)/;
/** Line of tags such as [silence], without a speaker. */
const tagOnly = /^(?:\[[^[\]]{1,60}\]\s*)+$/;
const longestHead = 100;
const numbered = /^(?:S\d{1,3}|\?\?)$/;
/** So often counts a head with a time: any two letters before it are a name. */
const enough = 3;

export function readTranscribeme({ lines }: Source): Parsed {
  const gathering = new Gathering();
  const facts: Facts = { title: '', names: new Map() };
  const initials = initialsIn(lines);
  const spoken = rowNames(lines);
  for (const line of lines) {
    if (line.cells) readRow(gathering, line, facts, spoken);
    // Lines without a head continue the segment, even after an empty line.
    else if (!readLine(gathering, line, initials)) gathering.text({ ...line, fresh: false });
  }
  if (gathering.heads === 0)
    throw new InvalidTranscript(lines[0]?.number ?? 1, 'turns such as "S1: 00:00:01" with the words beside them');
  const { title, names } = facts;
  const parsed = gathering.parsed();
  const turns = parsed.turns.map((turn): Turn => ({
    ...turn,
    speaker: names.get(speakerKey(turn.speaker)) ?? turn.speaker,
  }));
  // The table of facts describes the order, so it does not count as skipped text.
  const skipped = gathering.before.filter(({ cells }) => !cells).length;
  return { ...parsed, skipped, turns, ...(title && { title }) };
}

/** Facts of the first table. */
interface Facts {
  title: string;
  names: Map<string, string>;
}

interface Row {
  /** The first cell, and the words of all others. */
  beside: string;
  words: string;
  /** Whether it is a cell alone. */
  single: boolean;
  head: { name: string; from: number } | null;
}

function rowOf({ cells = [] }: Line): Row {
  const [beside = '', ...rest] = cells.map(collapse);
  const match = beside.length <= longestHead ? cellHead.exec(beside) : null;
  const from = readTime(match?.[2] ?? '');
  return {
    beside,
    words: rest.filter((cell) => cell !== '').join(' '),
    single: rest.length === 0,
    head: match && from !== null ? { name: (match[1] ?? '').replace(/[:：]\s*$/, ''), from } : null,
  };
}

/** Names with words beside them. */
function rowNames(lines: readonly Line[]): Names {
  const names = new Names();
  for (const line of lines) {
    const { head, words } = rowOf(line);
    if (head && words !== '') names.add(head.name);
  }
  return names;
}

function readRow(gathering: Gathering, line: Line, facts: Facts, names: Names): void {
  const { beside, words, single, head } = rowOf(line);
  const text = { ...line, fresh: false };
  // "Let us meet at 4:15" in a cell of its own is speech.
  const known = (name: string) => numbered.test(name) || names.count(name) > 0 || (!single && isProper(name));
  if (head && (words !== '' || known(head.name))) {
    gathering.head(line.number, head.name, head.from);
    gathering.text(text, words);
    return;
  }
  const speaker = cellSpeaker.exec(beside)?.[1];
  // Before the first segment, this row of the facts names a speaker.
  if (speaker !== undefined && gathering.heads === 0 && !beside.includes(':')) {
    facts.names.set(speakerKey(speaker), words);
    return;
  }
  if (speaker !== undefined) {
    gathering.head(line.number, speaker, null);
    gathering.text(text, words);
    return;
  }
  if (gathering.heads === 0) {
    // A single cell may hold head and text.
    if (single && readLine(gathering, { ...line, text: beside }, new Names())) return;
    if (/^title\s*:?$/i.test(beside)) facts.title = words;
    gathering.before.push(line);
    return;
  }
  const rowText = collapse([beside, words].join(' '));
  if (single && readLine(gathering, { ...line, text: beside }, new Names())) return;
  if (tagOnly.test(rowText)) {
    const open = gathering.speaker;
    gathering.begin(line.number, '', null);
    gathering.text(text, rowText);
    // The speaker before the tag continues after it.
    gathering.begin(line.number, open, null);
  } else gathering.text(text, rowText);
}

function readLine(gathering: Gathering, line: Line, initials: Names): boolean {
  if (isShielded(line.text)) return false;
  const begin = line.text.trimStart().slice(0, longestHead);
  const tagged = bracketed.exec(begin);
  const match = tagged ?? lineHead.exec(begin);
  if (!match) return false;
  const speaker = match[1] ?? '';
  const from = tagged ? null : readTime(match[2] ?? '');
  const sure = tagged
    ? /\d|speaker/i.test(speaker) && !/\d:\d/.test(speaker)
    : /^S\d/.test(speaker) || initials.has(speaker, false);
  // "OK 12 of them" is speech.
  if (!sure || (!tagged && from === null && !/^\S+(?:\s*[:：]|\t)/.test(begin))) return false;
  gathering.head(line.number, speaker, from);
  gathering.text({ ...line, fresh: false }, line.text.trimStart().slice(match[0].length));
  return true;
}

/** Two letters are initials if they come with times, or repeatedly. */
function initialsIn(lines: readonly Line[]): Names {
  const names = new Names();
  for (const { text, cells } of lines) {
    const match = cells ? null : lineHead.exec(text.trimStart().slice(0, longestHead));
    if (match?.[1] && !/^S\d/.test(match[1])) names.add(match[1], match[2] ? enough : 1);
  }
  return names;
}

// ---- Writing ------------------------------------------------------------------------------------

export function writeTranscribeme(
  { title, date, turns }: Pick<SpokenDocument, 'title' | 'date' | 'turns'>,
  { times, speakers }: { times: boolean; speakers: boolean },
): Block[] {
  // Numbers in order of first appearance; unknown speakers have none.
  const numbers = new Map<string, { id: string; name: string }>();
  for (const { speaker, name } of turns)
    if (speaker !== '' && speakerName(name) !== '' && !numbers.has(speaker))
      numbers.set(speaker, { id: `S${numbers.size + 1}`, name });
  const facts = [
    // First row, where readers of such files expect it.
    ['Date:', longDay(date)],
    ['Title:', title],
    ...(speakers ? [...numbers.values()].map(({ id, name }) => [id, named(name, id, 100)]) : []),
  ];
  const rows = turns.map(({ speaker, from, text }) => {
    const id = numbers.get(speaker)?.id ?? '??';
    return [times ? `${id}: ${wholeTime(from)}` : `${id}:`, shielded(text, (one) => one.startsWith(shield))];
  });
  return [
    { kind: 'table', rows: facts },
    { kind: 'table', rows, wide: true },
  ];
}
