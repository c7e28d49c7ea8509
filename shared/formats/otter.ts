import { InvalidTranscript, type Line, type Source } from './source.ts';
import { readTime, shortDay, shortTime } from './times.ts';
import { Gathering, isShielded, unknownSpeaker, unshielded, type Parsed } from './turns.ts';
import type { Block } from './page.ts';
import { named, shielded, type SpokenDocument, type SpokenTurn } from './spoken.ts';

// Otter: `Name  0:34  ` on a line of its own, two blanks before the time and two after it, then the text.

/** Two blanks before the time, or nothing but the time: certainly a head, because speech never looks like that. */
const strong = /^(?:(.{1,80}?)[ \t\u00A0]{2,})((?:\d{1,3}:)?\d{1,2}:\d{2})\s*$/;
const bare = /^()\[?((?:\d{1,3}:)?\d{1,2}:\d{2})\]?\s*$/;
/** Head as edited by people, or in a docx. */
const weak = /^(?:\*\*)?(.{1,80}?)(?:\*\*)?[ \t\u00A0]+\[?((?:\d{1,3}:)?\d{1,2}:\d{2})\]?\s*$/;
const footer = /^Transcribed by https?:\/\/otter\.ai\/?\s*$/i;
const longestHead = 140;

interface Candidate {
  name: string;
  from: number;
  sure: boolean;
}

export function readOtter({ kind, lines }: Source): Parsed {
  const said = lines.filter(({ text }) => !footer.test(text.trim()));
  const candidates = said.map((line, i) => candidate(line, said[i + 1], kind));
  const sure = candidates.filter((one) => one?.sure).length;
  const unsure = candidates.filter((one) => one && !one.sure).length;
  // In a file with certain heads, "Meet me at 5:30" is speech.
  const lenient = kind === 'docx' || unsure > sure;
  const gathering = new Gathering();
  let last = 0;
  said.forEach((line, i) => {
    const found = candidates[i];
    if (found && (found.sure || (lenient && found.from >= last))) {
      gathering.head(line.number, found.name, found.from);
      last = found.from;
    } else gathering.text(line);
  });
  if (gathering.heads === 0)
    throw new InvalidTranscript(lines[0]?.number ?? 1, 'a line such as "Maria Lopez  0:34" before what she says');
  // A docx begins with title, date, keywords and speakers; dropping them loses no speech.
  if (kind === 'docx') {
    const title = titleIn(gathering.before[0]?.text.trim() ?? '');
    return { ...gathering.parsed({ skipped: 0 }), ...(title !== '' && { title }) };
  }
  return gathering.parsed();
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

function candidate({ text, fresh }: Line, next: Line | undefined, kind: Source['kind']): Candidate | null {
  if (!fresh || text.length > longestHead || isShielded(text)) return null;
  const found = strong.exec(text) ?? bare.exec(text.trim());
  const match = found ?? weak.exec(text.trim());
  // The line with the length at the top of a docx: "Mar 12, 2024 • 1:04:10".
  if (match?.[1]?.includes(bullet)) return null;
  const from = readTime(match?.[2] ?? '');
  if (!match || from === null) return null;
  const sure = found !== null && (kind === 'text' || match[1] !== '');
  // The text must follow directly.
  if (!sure && (!next || (kind === 'text' && next.fresh))) return null;
  return { name: (match[1] ?? '').replace(/^\*\*|\*\*$/g, ''), from, sure };
}

// ---- Writing ------------------------------------------------------------------------------------

/** Two blanks would end the name. */
const headName = (name: string): string => named(name, unknownSpeaker, 80);
const isHead = (text: string): boolean =>
  text.length <= longestHead && (strong.test(text) || bare.test(text) || weak.test(text) || footer.test(text));

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
