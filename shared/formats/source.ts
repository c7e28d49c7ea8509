// Content of a transcript file, whatever its packaging: lines as readers see them, with the numbers they would count.

export interface Line {
  /** From 1: lines of a text; paragraphs and table rows of a docx. */
  number: number;
  text: string;
  /** First line of the file or of a paragraph, or after an empty line. */
  fresh: boolean;
  /** Table rows only: text of the cells. */
  cells?: readonly string[];
  /** Paragraphs in our own style of heads. */
  styled?: true;
  /** Paragraphs in our own styles of annotations, which are not said. */
  aside?: true;
}

export interface Source {
  kind: 'text' | 'docx';
  /** Without empty ones. */
  lines: readonly Line[];
  /** Hidden data of our own docx; see rae.ts. */
  carried: string | null;
}

/** Limits above any honest file: more than can be said in a day. */
export const most = { bytes: 10 * 1024 * 1024, lines: 200_000, words: 300_000, speakers: 500 } as const;

/** Error in the file, with its line and what was expected there. */
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

/** Decodes by the byte order mark; without one, as UTF-8. */
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
  // The first replacement character marks the bad byte, unless the file itself has an earlier one.
  const text = new TextDecoder(label).decode(bytes);
  const at = text.indexOf('\uFFFD');
  return text.slice(0, Math.max(0, at)).split('\n').length;
}

/** Control characters, except tabs and line ends. */
const controls = new RegExp(String.raw`[[\p{Cc}\uFEFF]--[\t-\r\u0085]]`, 'gv');

export const clean = (text: string): string => text.replace(controls, '');

export function textSource(text: string): Source {
  const lines: Line[] = [];
  let fresh = true;
  let number = 0;
  for (const [line] of text.matchAll(/[^\n\r\u2028\u2029\v\f\u0085]*(?:\r\n|[\n\r\u2028\u2029\v\f\u0085]|$)/g)) {
    number += 1;
    if (number > most.lines) throw new InvalidTranscript(number, `at most ${most.lines} lines`);
    const cleaned = clean(line).replace(/[\r\n\u2028\u2029\v\f]+$/, '');
    if (cleaned.trim() === '') fresh = true;
    else {
      lines.push({ number, text: cleaned, fresh });
      fresh = false;
    }
  }
  return { kind: 'text', lines, carried: null };
}
