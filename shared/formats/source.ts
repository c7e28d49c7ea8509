// What a transcript file holds, whatever it was packed in: lines as its reader sees them, with the number somebody who
// opens the file would count.

export interface Line {
  /** From 1: of a text its lines, of a docx its paragraphs and the rows of its tables. */
  number: number;
  text: string;
  /** It begins the file or a paragraph, or an empty line stands before it. */
  fresh: boolean;
  /** Of a row of a table: what its cells hold. */
  cells?: readonly string[];
}

export interface Source {
  kind: 'text' | 'docx';
  /** Without empty ones. */
  lines: readonly Line[];
  /** What our own docx carries along unseen; see rae.ts. */
  carried: string | null;
}

/** More than anybody says in a day; what is longer was made to keep us busy. */
export const most = { bytes: 10 * 1024 * 1024, lines: 200_000, words: 300_000, speakers: 500 } as const;

/** The file is at fault: the message says where, and what was expected there. */
export class InvalidTranscript extends Error {
  override readonly name = 'InvalidTranscript';
  readonly line: number | null;
  readonly expected: string;

  constructor(line: number | null, expected: string) {
    super(`Invalid transcript: ${line === null ? '' : `line ${line}: `}expected ${expected}`);
    this.line = line;
    this.expected = expected;
  }
}

/** A byte order mark says how a text is written; without one it is UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const label =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidTranscript(lineOfBadByte(bytes, label), 'text written in UTF-8');
  }
  const zero = text.indexOf('\0');
  if (zero >= 0)
    throw new InvalidTranscript(text.slice(0, zero).split('\n').length, 'text, not the bytes of another kind of file');
  return text;
}

function lineOfBadByte(bytes: Uint8Array, label: string): number {
  // Replaced instead of refused, the first mark that is no mark of the file's own stands where it went wrong.
  const text = new TextDecoder(label).decode(bytes);
  const at = text.indexOf('\uFFFD');
  return text.slice(0, Math.max(0, at)).split('\n').length;
}

/** Tabs count; of the rest nobody meant any. */
const controls = new RegExp(String.raw`[[\p{Cc}\uFEFF]--[\t-\r\u0085]]`, 'gv');

export const clean = (text: string): string => text.replace(controls, '');

export function textSource(text: string): Source {
  const lines: Line[] = [];
  let fresh = true;
  let number = 0;
  for (const [line] of text.matchAll(/[^\n\r\u2028\u2029\v\f\u0085]*(?:\r\n|[\n\r\u2028\u2029\v\f\u0085]|$)/g)) {
    number += 1;
    if (number > most.lines) throw new InvalidTranscript(number, `at most ${most.lines} lines`);
    const said = clean(line).replace(/[\r\n\u2028\u2029\v\f]+$/, '');
    if (said.trim() === '') fresh = true;
    else {
      lines.push({ number, text: said, fresh });
      fresh = false;
    }
  }
  return { kind: 'text', lines, carried: null };
}
