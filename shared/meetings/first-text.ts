import type { Doc } from 'yjs';
import { longestTitle, readAbout } from './about.ts';
import { longestName, readSpeakers } from './speakers.ts';
import { readSegments, wellFormed } from './transcript.ts';

// First screens of a transcript, which the page of a recording shows before its scripts.

export interface FirstText {
  title: string;
  /** Language of the recording; empty if unknown. */
  lang: string;
  segments: FirstSegment[];
}

interface FirstSegment {
  /** Name of the speaker; null if it has none, empty without a speaker. */
  name: string | null;
  /** Index in the palette; null without a known speaker. */
  color: number | null;
  /** Whether the previous segment has another speaker. */
  turn: boolean;
  text: string;
}

/** More than a large window shows. */
const mostSegments = 40;
const mostLetters = 8_000;
const longestLang = 35;

/** The first segments, up to that many and to that many letters; the last one may be cut. */
export function firstOf<Part extends { text: string }>(all: readonly Part[], most: number, letters: number): Part[] {
  const first: Part[] = [];
  let left = letters;
  for (const part of all.slice(0, most)) {
    if (left <= 0) break;
    first.push(part.text.length > left ? { ...part, text: part.text.slice(0, left) } : part);
    left -= part.text.length;
  }
  return first;
}

export function firstTextOf(doc: Doc): FirstText {
  const { title, lang } = readAbout(doc);
  const speakers = new Map(readSpeakers(doc).map((speaker) => [speaker.id, speaker]));
  const all = readSegments(doc, mostSegments);
  const segments: FirstSegment[] = [];
  for (const [index, { speaker, text }] of firstOf(all, mostSegments, mostLetters).entries()) {
    const known = speakers.get(speaker);
    const name = speaker === '' ? '' : known?.name.slice(0, longestName) || null;
    segments.push({
      name: name === null ? null : wellFormed(name),
      color: known?.color ?? null,
      turn: name !== '' && speaker !== all[index - 1]?.speaker,
      text: wellFormed(text),
    });
  }
  return { title: wellFormed(title.slice(0, longestTitle)), lang: wellFormed(lang.slice(0, longestLang)), segments };
}
