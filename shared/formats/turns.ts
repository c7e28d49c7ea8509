import { glue } from '../meetings/transcript.ts';
import { most, InvalidTranscript, type Line } from './source.ts';

/** A stretch of text whose times are known, or not. */
export interface Piece {
  text: string;
  /** Milliseconds. */
  from: number | null;
  to: number | null;
}

/** What one speaker says without a break, as a file has it. */
export interface Turn {
  line: number;
  speaker: string;
  pieces: Piece[];
}

export interface Parsed {
  turns: Turn[];
  /** How many lines could only be of this format: by it the right one is found. */
  heads: number;
  title?: string;
  lang?: string;
  /** Starts may run backwards: each turn says where it ends, too. */
  overlapping?: true;
  /** Text in front of the transcript that is none of it. */
  skipped: number;
}

/** What a line begins with that would make it a head; a reader takes it away again. */
export const shield = '\u2060';

export const isShielded = (text: string): boolean => text.trimStart().startsWith(shield);

/** Blanks of any kind are one. */
export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const unshielded = (text: string): string => collapse(text.startsWith(shield) ? text.slice(1) : text);

/** Texts that become one, with a blank between them where there has to be one. Nothing is copied until it is whole. */
export class Joined {
  private readonly parts: string[] = [];
  private last = '';
  length = 0;

  /** Answers where it begins. */
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

/** Gathers turns from heads and the lines below them. */
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

  /** Who speaks at the moment. */
  get speaker(): string {
    return this.all.at(-1)?.speaker ?? '';
  }

  /** Text of the turn that is open; a paragraph of its own where something stands before it already. */
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

// ---- Speakers ----------------------------------------------------------------------------------

/** Whom a program calls so, it does not know. */
const unnamed = /^(?:unknown(?: speaker)?|unidentified(?: speaker)?|\?+)$/i;
export const unknownSpeaker = 'Unknown Speaker';

/** As it is shown; empty for nobody in particular. */
export function speakerName(text: string): string {
  const name = collapse(text).slice(0, 100).trim();
  return unnamed.test(name) ? '' : name;
}

/** Letters make nobody another person. */
export const speakerKey = (name: string): string => name.normalize('NFKC').toLocaleLowerCase('en');

interface Voice {
  key: string;
  name: string;
}

/** Who speaks, by first appearance. */
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

/** A few words with no end of a sentence among them: more than that is no name. */
export function looksLikeName(text: string): boolean {
  const name = text.trim();
  const sentences = name.replace(/\b(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\.(?=\s)/gu, '');
  return name !== '' && name.length <= 60 && name.split(/\s+/).length <= 6 && !/[.?!]\s/.test(sentences);
}
