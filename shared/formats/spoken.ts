import type * as Y from 'yjs';
import { readAbout, readTags } from '../meetings/about.ts';
import { readSpeakers, type Speaker } from '../meetings/speakers.ts';
import { segmentsOf, speakerOf, wellFormed } from '../meetings/transcript.ts';
import { readWords, type SpokenSegment } from '../meetings/words.ts';
import { collapse, shield } from './turns.ts';

// The document as all formats are written from it.

export interface SpokenTurn {
  id: string | null;
  /** Id, and name as it is now; both empty for nobody in particular. */
  speaker: string;
  name: string;
  /** Milliseconds. */
  from: number;
  to: number;
  /** On one line, blanks collapsed. */
  text: string;
  segment: Pick<SpokenSegment, 'text' | 'words'>;
}

export interface SpokenDocument {
  title: string;
  lang: string;
  tags: readonly string[];
  speakers: readonly Speaker[];
  /** The names of those who say something, in their order. */
  voices: readonly string[];
  /** The day it is of, such as 2024-03-12; empty where that is not known. */
  date: string;
  /** How long it is, in milliseconds: without a recording, until the last word ends. */
  lasts: number;
  /** Those in which something is said. */
  turns: readonly SpokenTurn[];
}

/** What its document does not say of it. */
export interface Around {
  /** Where somebody has read them already, or wants but some of them. */
  segments?: readonly SpokenSegment[] | undefined;
  /** When it came here, in ISO 8601. */
  date?: string | undefined;
  /** Of the recording. */
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

/** On one line, whatever any program put into the document: no control characters, no half ones, none that is none. */
export const printable = (text: string): string => collapse(wellFormed(text).replace(controls, ' '));

/** A name as it may stand in a head; what its format could not tell from the head's own marks is left out of it. */
export function named(name: string, nobody: string, longest: number, marks: RegExp | null = null): string {
  const said = collapse(marks ? name.replace(marks, ' ') : name);
  return said.length <= longest
    ? said || nobody
    : [...said]
        .slice(0, Math.floor(longest / 2))
        .join('')
        .trim();
}

/** Text that would be taken for a head when it is read again. */
export const shielded = (text: string, isHead: (text: string) => boolean): string =>
  isHead(text) || text.startsWith(shield) ? shield + text : text;

/** Starts that never run backwards, for formats that know no overlap. */
export function inOrder(turns: readonly SpokenTurn[]): SpokenTurn[] {
  let last = 0;
  return turns.map((turn) => {
    last = Math.max(last, turn.from);
    return last === turn.from ? turn : { ...turn, from: last, to: Math.max(last, turn.to) };
  });
}
