import type * as Y from 'yjs';
import { readAbout, readTags } from '../meetings/about.ts';
import { readSpeakers, type Speaker } from '../meetings/speakers.ts';
import { segmentsOf, speakerOf, wellFormed } from '../meetings/transcript.ts';
import { readWords, type SpokenSegment } from '../meetings/words.ts';
import { collapse, shield } from './turns.ts';

// Transcript in the form that all formats are written from.

export interface SpokenTurn {
  id: string | null;
  /** Id and current name; both empty for an unknown speaker. */
  speaker: string;
  name: string;
  /** Milliseconds. */
  from: number;
  to: number;
  /** One line, blanks collapsed. */
  text: string;
  segment: Pick<SpokenSegment, 'text' | 'words'>;
}

export interface SpokenDocument {
  title: string;
  lang: string;
  tags: readonly string[];
  speakers: readonly Speaker[];
  /** Names of those who speak, in order of the speakers. */
  voices: readonly string[];
  /** Day of the upload, such as 2024-03-12; empty if unknown. */
  date: string;
  /** Length in milliseconds: of the media, or until the last word if that is later. */
  lasts: number;
  /** Segments with text. */
  turns: readonly SpokenTurn[];
}

/** Data of a recording that is not in its document. */
export interface Around {
  /** Segments to use; default: read from the document. */
  segments?: readonly SpokenSegment[] | undefined;
  /** Time of the upload, in ISO 8601. */
  date?: string | undefined;
  /** Length of the media. */
  mediaMs?: number | undefined;
}

export function spokenDocument(doc: Y.Doc, { segments, date = '', mediaMs = 0 }: Around = {}): SpokenDocument {
  const { title, lang } = readAbout(doc);
  const speakers = readSpeakers(doc);
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  const changed = segmentsOf(doc);
  const turns = (segments ?? readWords(doc).segments).flatMap((segment): SpokenTurn[] => {
    const text = printable(segment.text);
    if (text === '') return [];
    const { id, from, to } = segment;
    const speaker = id === null ? '' : speakerOf(changed, { s: id, p: segment.speaker });
    return [{ id, speaker, name: printable(names.get(speaker) ?? ''), from, to, text, segment }];
  });
  const active = new Set(turns.map(({ speaker }) => speaker));
  return {
    title: printable(title),
    lang,
    tags: readTags(doc),
    speakers,
    voices: speakers.flatMap(({ id, name }) => (active.has(id) && printable(name) !== '' ? [printable(name)] : [])),
    date: date.slice(0, 10),
    lasts: turns.reduce((last, { to }) => Math.max(last, to), mediaMs),
    turns,
  };
}

const controls = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/** Text on one line, safe for any file: no control characters, lone surrogates or noncharacters. */
export const printable = (text: string): string => collapse(wellFormed(text).replace(controls, ' '));

/** Name for a head, without the characters that the format uses as marks. */
export function named(name: string, nobody: string, longest: number, marks: RegExp | null = null): string {
  const plain = collapse(marks ? name.replace(marks, ' ') : name);
  return plain.length <= longest
    ? plain || nobody
    : wellFormed(plain.slice(0, longest))
        .replace(/\uFFFD$/, '')
        .trim();
}

/** Escapes text that would be read as a head on import. */
export const shielded = (text: string, isHead: (text: string) => boolean): string =>
  isHead(text) || text.startsWith(shield) ? shield + text : text;

/** Clamps start times so that they never run backwards, for formats without overlap. */
export function inOrder(turns: readonly SpokenTurn[]): SpokenTurn[] {
  let last = 0;
  return turns.map((turn) => {
    last = Math.max(last, turn.from);
    return last === turn.from ? turn : { ...turn, from: last, to: Math.max(last, turn.to) };
  });
}
