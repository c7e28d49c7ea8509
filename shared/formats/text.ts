import { endsSentence } from '../meetings/sentence.ts';
import { isProper, looksLikeName, Names } from './names.ts';
import { InvalidTranscript, type Line, type Source } from './source.ts';
import { readTime } from './times.ts';
import { Gathering, isShielded, type Parsed } from './turns.ts';

// Plain text, with or without speakers and times: `Name: words`, `[0:42] Name: words`, `Name:` above the words, or
// paragraphs of words alone.

const stamp = /^[[(]((?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?)[\])][ \t]*(?:[-–—][ \t]*)?/;
/** Without brackets only with hours: "10:30 we leave" is speech. */
const bareStamp = /^(\d{1,3}:\d{2}:\d{2}(?:[.,]\d{1,3})?)[ \t]+(?:[-–—][ \t]*)?/;
const speaker = /^([^:：]{1,60})(?::(?:[ \t]+|$)|：[ \t]*)/;
const longestHead = 160;
/** Other kinds of text that people choose by mistake. */
const strangers: readonly (readonly [RegExp, string])[] = [
  [/^<(?:!doctype|html|\?xml)/i, 'a transcript, not a web page or XML'],
  [/^[[{]\s*["{[]/, 'a transcript, not JSON'],
];

interface Head {
  from: number | null;
  name: string | null;
  /** Length of the head within the line. */
  length: number;
}

function headIn(line: string): Head {
  const text = line.slice(0, longestHead);
  const timed = stamp.exec(text) ?? bareStamp.exec(text);
  const from = readTime(timed?.[1] ?? '');
  const at = timed && from !== null ? timed[0].length : 0;
  const found = speaker.exec(text.slice(at));
  const name = found?.[1]?.trim() ?? '';
  return looksLikeName(name) ? { from, name, length: at + (found?.[0].length ?? 0) } : { from, name: null, length: at };
}

/** So often has a phrase such as "He said" to begin a line before it is somebody's name. */
const phraseIsName = 3;

/** Share of paragraphs with what looks like a name from which a name may occur once. */
const mostlyNamed = 2 / 3;

function namesIn(lines: readonly Line[]): (name: string) => boolean {
  const names = new Names();
  let [named, paragraphs] = [0, 0];
  for (const { text, fresh } of lines) {
    const { name, from } = isShielded(text) ? { name: null, from: null } : headIn(text.trim());
    if (fresh || name !== null || from !== null) paragraphs += 1;
    if (name === null) continue;
    names.add(name);
    if (isProper(name)) named += 1;
  }
  const mostly = named > 1 && named >= mostlyNamed * paragraphs;
  return (name) => (isProper(name) ? names.has(name, mostly) : names.count(name) >= phraseIsName);
}

export function readText({ lines }: Source): Parsed {
  const first = lines[0];
  const stranger = strangers.find(([begins]) => begins.test(first?.text.trim().slice(0, 20) ?? ''));
  if (first && stranger) throw new InvalidTranscript(first.number, stranger[1]);
  const isName = namesIn(lines);
  // Without empty lines, a line that begins after the end of a sentence is a paragraph.
  const everyLine = !lines.slice(1).some(({ fresh }) => fresh);
  const gathering = new Gathering();
  let before = '';
  for (const line of lines) {
    const text = line.text.trim();
    const head = isShielded(text) ? null : headIn(text);
    const name = head?.name != null && isName(head.name) ? head.name : null;
    const fresh = line.fresh || (everyLine && endsSentence(before));
    before = text;
    if (head && (name !== null || head.from !== null)) {
      const said = name === null ? text.slice(timeLength(text)) : text.slice(head.length);
      gathering.head(line.number, name ?? gathering.speaker, head.from);
      gathering.text({ ...line, fresh: false }, said);
      continue;
    }
    if (line === first) gathering.begin(line.number, '', null);
    gathering.text({ ...line, fresh });
  }
  return gathering.parsed();
}

const timeLength = (text: string): number => (stamp.exec(text) ?? bareStamp.exec(text))?.[0].length ?? 0;
