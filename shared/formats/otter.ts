import { isProper, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { readTime, shortDay, shortTime } from './times.ts';
import { Gathering, isShielded, unknownSpeaker, unshielded, type Parsed } from './turns.ts';
import type { Block } from './page.ts';
import { named, shielded, type SpokenDocument, type SpokenTurn } from './spoken.ts';

// Otter: `Name  0:34  ` on a line of its own, two blanks before the time and two after it, then the text.

const clockAtEnd = /((?:\d{1,3}:)?\d{1,2}:\d{2})$/;
/** Characters that the longest time and a bracket take. */
const longestTime = 12;
const footer = /^Transcribed by https?:\/\/otter\.ai\/?$/i;
const longestHead = 140;
const longestName = 100;

const isFooter = (text: string): boolean => text.length <= longestHead && footer.test(text.trim());

/**
 * `strong`: two blanks before the time, because speech never looks like that. `bare`: only a time. `weak`: as edited by
 * people, or in a docx.
 */
interface Head {
  kind: 'strong' | 'bare' | 'weak';
  name: string;
  from: number;
}

/** Read from its end: the time, the blanks before it, and what is left is the name. */
function headIn(line: string): Head | null {
  if (line.length > longestHead) return null;
  const text = line.trim();
  const bracketed = text.endsWith(']');
  const inner = bracketed ? text.slice(0, -1) : text;
  const clock = clockAtEnd.exec(inner.slice(-longestTime))?.[1] ?? '';
  const from = readTime(clock);
  if (from === null) return null;
  const before = inner.slice(0, inner.length - clock.length).replace(/\[$/, '');
  const name = before.trimEnd();
  if (name === '') return { kind: 'bare', name, from };
  const blanks = before.length - name.length;
  if (blanks === 0 || name.length > longestName) return null;
  const plain = name.replace(/^\*\*|\*\*$/g, '').trim();
  return { kind: blanks > 1 && !bracketed ? 'strong' : 'weak', name: plain, from };
}

interface Candidate extends Head {
  sure: boolean;
}

export function readOtter({ kind, lines }: Source): Parsed {
  const said = lines.filter(({ text }) => !isFooter(text));
  const candidates = said.map((line, i) => candidate(line, said[i + 1], kind));
  const sure = candidates.filter((one) => one?.sure).length;
  const unsure = candidates.filter((one) => one && !one.sure).length;
  // In a file with certain heads, "Meet me at 5:30" is speech.
  const lenient = kind === 'docx' || unsure > sure;
  const { rule, guesses } = lenient ? doubtful(candidates) : { rule: () => false, guesses: false };
  const gathering = new Gathering();
  let last = 0;
  let below = false;
  /** Heads that are hardly speech: where anything may be a head, those with names. */
  let likely = 0;
  said.forEach((line, i) => {
    const found = candidates[i];
    if (found && (found.sure || rule(found, i, last, below))) {
      gathering.head(line.number, found.name, found.from);
      if (!guesses || (found.name !== '' && isProper(found.name))) likely += 1;
      last = found.from;
      below = true;
    } else {
      gathering.text(line);
      below = false;
    }
  });
  if (gathering.heads === 0)
    throw new InvalidTranscript(lines[0]?.number ?? 1, 'a line such as "Maria Lopez  0:34" before what she says');
  // A single line such as "Let us meet at 5:30" is more likely speech.
  const isDoubtful = sure === 0 && likely < 2;
  const parsed = gathering.parsed(isDoubtful ? { doubtful: true } : {});
  if (kind !== 'docx') return parsed;
  const title = titleIn(gathering.before[0]?.text.trim() ?? '');
  return { ...parsed, skipped: saidAbove(gathering.before, title), ...(title !== '' && { title }) };
}

type Rule = (found: Candidate, i: number, last: number, below: boolean) => boolean;

/**
 * Decides on heads that may be speech, such as "Let us meet at 4:15". A head names somebody who speaks again, or looks
 * like a name; its time is not after that of the next head, and somebody says something below it. `guesses`: whether
 * nothing is a head by these rules, so that whatever may be one is.
 */
function doubtful(candidates: readonly (Candidate | null)[]): { rule: Rule; guesses: boolean } {
  const names = new Names();
  for (const one of candidates) if (one) names.add(one.name);
  const nameable = ({ name }: Candidate) => name === '' || isProper(name);
  const firm = (one: Candidate) => one.sure || (nameable(one) && names.has(one.name, false));
  /** The time of the next firm head, for each line. */
  const next = candidates.map(() => Infinity);
  for (let i = candidates.length - 2; i >= 0; i -= 1) {
    const after = candidates[i + 1];
    next[i] = after && firm(after) ? after.from : (next[i + 1] ?? Infinity);
  }
  const strict: Rule = (found, i, last, below) => {
    if (found.from < last) return false;
    if (firm(found)) return true;
    if (found.from > (next[i] ?? Infinity) || candidates[i + 1]) return false;
    return names.has(found.name, nameable(found)) && (nameable(found) || !below);
  };
  const guesses = !candidates.some((one, i) => one && strict(one, i, 0, false));
  return { rule: guesses ? (found, _, last) => found.from >= last : strict, guesses };
}

const bullet = '•';
const keyWords = 'SUMMARY KEYWORDS';
const speakersBelow = 'SPEAKERS';

const length = new RegExp(String.raw`${bullet}\s*(?:\d{1,3}:)?\d{1,2}:\d{2}$`);

/** Title in the first paragraph, unless it is one of the lines that follow a title. */
function titleIn(first: string): string {
  if (isShielded(first)) return unshielded(first);
  return length.test(first) || first.startsWith(keyWords) || first.startsWith(speakersBelow) ? '' : first;
}

/** Number of paragraphs above the first head that are not the title, day and length, keywords or speakers. */
function saidAbove(before: readonly Line[], title: string): number {
  const isAbout = ({ text }: Line) => {
    const one = text.trim();
    return length.test(one) || one.startsWith(keyWords) || one.startsWith(speakersBelow);
  };
  const isLabel = (line: Line | undefined) => [keyWords, speakersBelow].includes(line?.text.trim() ?? '');
  return before.filter((line, i) => !(i === 0 && title !== '') && !isAbout(line) && !isLabel(before[i - 1])).length;
}

function candidate(line: Line, next: Line | undefined, kind: Source['kind']): Candidate | null {
  if (!line.fresh || isShielded(line.text)) return null;
  const head = headIn(line.text);
  // The line with the length at the top of a docx: "Mar 12, 2024 • 1:04:10".
  if (!head || head.name.includes(bullet)) return null;
  const sure = head.kind === 'strong' || (head.kind === 'bare' && kind === 'text');
  // The text must follow directly.
  if (!sure && (!next || (kind === 'text' && next.fresh))) return null;
  return { ...head, sure };
}

// ---- Writing ------------------------------------------------------------------------------------

/** Two blanks would end the name. */
const headName = (name: string): string => named(name, unknownSpeaker, longestName);
const isHead = (text: string): boolean => headIn(text) !== null || isFooter(text);

export function writeOtter(turns: readonly SpokenTurn[], speakers: boolean): string {
  const blocks = turns.map(({ name, from, text }) => {
    const head = speakers ? `${headName(name)}  ${shortTime(from)}  ` : `${shortTime(from)}  `;
    return `${head}\n${shielded(text, isHead)}\n`;
  });
  return [...blocks, ''].join('\n');
}

/** Title, day and length, keywords, speakers; none of them may look like a head. */
export function writeOtterDocx(
  { title, date, lasts, tags, voices, turns }: Omit<SpokenDocument, 'lang' | 'speakers'>,
  speakers: boolean,
): Block[] {
  const meta = (text: string): Block => ({ kind: 'paragraph', style: 'meta', text: shielded(text, isHead) });
  const blocks: Block[] = [
    { kind: 'paragraph', style: 'title', text: shielded(title, (text) => isHead(text) || titleIn(text) !== text) },
    { kind: 'paragraph', style: 'meta', text: `${shortDay(date)} ${bullet} ${shortTime(lasts)}`.trim() },
  ];
  if (tags.length > 0) blocks.push(meta(keyWords), meta(tags.join(', ')));
  if (speakers && voices.length > 0)
    blocks.push(meta(speakersBelow), meta(voices.map((name) => headName(name)).join(', ')));
  for (const { name, from, text } of turns)
    blocks.push(
      { kind: 'paragraph', style: 'head', text: speakers ? `${headName(name)}  ${shortTime(from)}` : shortTime(from) },
      { kind: 'paragraph', style: 'text', text: shielded(text, isHead) },
    );
  return blocks;
}
