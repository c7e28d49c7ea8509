import { glue } from '../meetings/transcript.ts';
import { most, InvalidTranscript, type Line } from './source.ts';

/** Text with its times, if they are known. */
export interface Piece {
  text: string;
  /** Milliseconds. */
  from: number | null;
  to: number | null;
}

/** Continuous speech of one speaker, as the file has it. */
export interface Turn {
  line: number;
  speaker: string;
  pieces: Piece[];
}

export interface Parsed {
  turns: Turn[];
  /** Number of lines that only this format has; the best format is chosen by it. */
  heads: number;
  title?: string;
  lang?: string;
  /** Start times may run backwards, because each end is given too. */
  overlapping?: true;
  /** Lines before the transcript that are not part of it. */
  skipped: number;
  /** The heads may be speech: nobody recognises a format by them. */
  doubtful?: true;
}

/** Prefix of a line that would otherwise be read as a head; readers remove it. */
export const shield = '\u2060';

export const isShielded = (text: string): boolean => text.trimStart().startsWith(shield);

/** Collapses blanks of any kind to one. */
export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const unshielded = (text: string): string => collapse(text.startsWith(shield) ? text.slice(1) : text);

/** Joins texts, with a blank between them if their script needs one. Builds the string only once, at the end. */
export class Joined {
  private readonly parts: string[] = [];
  private last = '';
  length = 0;

  /** Returns the position at which the text begins. */
  add(text: string): number {
    if (text === '') return this.length;
    const blank = this.last === '' ? '' : glue(this.last, text);
    if (blank !== '') this.parts.push(blank);
    this.parts.push(text);
    const begins = this.length + blank.length;
    this.length = begins + text.length;
    this.last = text.slice(-2);
    return begins;
  }

  get whole(): string {
    return this.parts.join('');
  }
}

/** Builds segments from heads and the lines below them. */
export class Gathering {
  private readonly all: Turn[] = [];
  private open = new Joined();
  /** Lines before the first head. */
  readonly before: Line[] = [];
  heads = 0;

  head(line: number, speaker: string, from: number | null, to: number | null = null): void {
    this.heads += 1;
    this.begin(line, speaker, from, to);
  }

  begin(line: number, speaker: string, from: number | null, to: number | null = null): void {
    this.close();
    this.all.push({ line, speaker, pieces: [{ text: '', from, to }] });
  }

  /** Current speaker. */
  get speaker(): string {
    return this.all.at(-1)?.speaker ?? '';
  }

  /** Adds text to the open segment; a new paragraph begins another one. */
  text(line: Line, said = line.text): void {
    if (this.all.length === 0) {
      this.before.push(line);
      return;
    }
    const words = unshielded(said);
    if (words === '') return;
    if (line.fresh && this.open.length > 0) this.begin(line.number, this.speaker, null);
    this.open.add(words);
  }

  parsed(more: Partial<Parsed> = {}): Parsed {
    this.close();
    return { turns: this.all, heads: this.heads, skipped: this.before.length, ...more };
  }

  private close(): void {
    const piece = this.all.at(-1)?.pieces.at(-1);
    if (piece && this.open.length > 0) piece.text = this.open.whole;
    this.open = new Joined();
  }
}

export const saysSomething = ({ pieces }: Turn): boolean => pieces.some(({ text }) => text !== '');

// ---- Speakers -----------------------------------------------------------------------------------

/** Labels that programs use for unknown speakers. */
const unnamed = /^(?:unknown(?: speaker)?|unidentified(?: speaker)?|\?+)$/i;
export const unknownSpeaker = 'Unknown Speaker';

/** Name as shown; empty for an unknown speaker. */
export function speakerName(text: string): string {
  const name = collapse(text).slice(0, 100).trim();
  return unnamed.test(name) ? '' : name;
}

/** Comparison key, independent of case. */
export const speakerKey = (name: string): string => name.normalize('NFKC').toLocaleLowerCase('en');

interface Voice {
  key: string;
  name: string;
}

/** Speakers in order of first appearance. */
export function voicesOf(turns: readonly Turn[]): Voice[] {
  const voices = new Map<string, Voice>();
  for (const { speaker, line } of turns) {
    const name = speakerName(speaker);
    const key = speakerKey(name);
    if (key === '' || voices.has(key)) continue;
    voices.set(key, { key, name });
    if (voices.size > most.speakers) throw new InvalidTranscript(line, `at most ${most.speakers} speakers`);
  }
  return [...voices.values()];
}
