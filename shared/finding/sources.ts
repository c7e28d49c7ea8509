import type * as Y from 'yjs';
import { readAbout, readTags } from '../meetings/about.ts';
import { readAnnotations, type AnnotationKind } from '../meetings/annotations.ts';
import { readTimed } from '../meetings/entries.ts';
import { readGrades } from '../meetings/grades.ts';
import { readNotes, type NoteNode } from '../meetings/notes.ts';
import type { Part } from '../meetings/parts.ts';
import { plainText, readRichText } from '../meetings/rich-text.ts';
import { activeSpeakers, readSpeakers } from '../meetings/speakers.ts';
import { readSummary } from '../meetings/summary.ts';
import { segmentsOf, speakerOf, wellFormed } from '../meetings/transcript.ts';
import type { Visibility } from '../meetings/visibility.ts';
import { readWords } from '../meetings/words.ts';
import { mayHide } from '../formats/redact.ts';
import { facetValue, type IndexedFacet } from '../facets.ts';
import { passagesOf, type Paragraph, type Passage, type PassageKind, type Source } from './passages.ts';

// Indexed parts of each room's document.

/** Passages of a room, and the language they are in. */
export interface Indexed {
  lang: string;
  passages: Passage[];
  /** Values of its facets (../facets.ts), ascending. */
  facets: string[];
}

const longestFacet = 200;
const mostFacets = 1000;

/** Text with words in curly braces, which readers do not see, is no value: a facet has one form for everybody. */
const facetsOf = (values: readonly (readonly [name: IndexedFacet, text: string])[]): string[] =>
  [
    ...new Set(
      values.flatMap(([name, text]) => {
        const value = wellFormed(text.trim().slice(0, longestFacet));
        return value === '' || mayHide(value) ? [] : facetValue(name, value);
      }),
    ),
  ]
    .sort()
    .slice(0, mostFacets);

const paragraphs = (text: string): Paragraph[] =>
  wellFormed(text)
    .split('\n')
    .map((line) => ({ segment: '', speaker: '', text: line, words: [] }));

const source = (kind: PassageKind, key: string, text: string, fromMs: number | null = null): Source => ({
  kind,
  key,
  fromMs,
  paragraphs: paragraphs(text),
});

const milliseconds = (value: number): number => Math.max(0, Math.min(2 ** 31 - 1, Math.round(value)));

const summaryOf = (doc: Y.Doc, visibility: Visibility): Source[] =>
  readSummary(doc, visibility).map(({ id, text }) => source('summary', id, text));

export function indexedTranscript(doc: Y.Doc): Indexed {
  const changed = segmentsOf(doc);
  const { title, lang } = readAbout(doc);
  const spoken = activeSpeakers(doc);
  const said: Source = {
    kind: 'words',
    key: '',
    fromMs: null,
    paragraphs: readWords(doc).segments.map(({ id, speaker, text, words }) => ({
      segment: id ?? '',
      speaker: id === null ? '' : speakerOf(changed, { s: id, p: speaker }),
      text: wellFormed(text),
      words: words.map(({ at, from, to }) => ({ at, from: milliseconds(from), to: milliseconds(to) })),
    })),
  };
  const tags = readTags(doc);
  const speakers = readSpeakers(doc).filter(({ id }) => spoken.has(id));
  const sources = [
    source('title', '', title),
    ...tags.map((tag) => source('tag', tag, tag)),
    ...speakers.map(({ id, name }) => source('speaker', id, name)),
    ...readTimed(doc, 'toc').map(({ id, title: chapter, start }) =>
      source('chapter', id, chapter, milliseconds(start * 1000)),
    ),
    ...summaryOf(doc, 'shared'),
    said,
  ];
  return {
    lang,
    passages: passagesOf(sources, true),
    facets: facetsOf([
      ...tags.map((tag) => ['tag', tag] as const),
      ...speakers.map(({ name }) => ['speaker', name] as const),
      ['language', lang],
    ]),
  };
}

function annotationsOf(doc: Y.Doc, kind: AnnotationKind, visibility: Visibility): Source[] {
  if (kind === 'comment')
    return readAnnotations(doc, kind, visibility).map(({ id, text, start }) => {
      const rich = readRichText(text);
      return source('comment', id, rich ? plainText(rich) : '', milliseconds(start * 1000));
    });
  return readAnnotations(doc, 'outcome', visibility).flatMap(({ id, text, start, type, grade, children }) => {
    const at = milliseconds(start * 1000);
    return [
      { ...source('outcome', id, text, at), type, grade },
      // Its words are those of the outcome and are found there.
      ...children.map((child) => ({ ...source('outcome', childKey(id, child.type), '', at), ...child })),
    ];
  });
}

/**
 * Grades of a sheet with the words that explain them. In a layer of several authors a type has several grades, whose keys
 * name nobody here (passages.ts). Words alone leave the grade to the passages.
 */
const gradesOf = (doc: Y.Doc): Source[] =>
  [...readGrades(doc).values()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ type, grade, words }) => ({
      ...source('grade', type, words),
      type: grade === null ? null : type,
      grade,
    }));

/** Key of a type that is set below an outcome. */
const childKey = (id: string, type: string): string => `${id}#${type}`;

function linesOf(node: NoteNode): string {
  if (node.type === 'text') return node.text ?? '';
  if (node.type === 'hardBreak') return '\n';
  const inline = node.type === 'paragraph' || node.type === 'heading' || node.type === 'codeBlock';
  return (node.content ?? []).map(linesOf).join(inline ? '' : '\n');
}

/** Rooms beside the transcript; those of one person are read as they are, with what stands in braces. */
export function indexedBeside(part: Exclude<Part, 'transcript'>, doc: Y.Doc): Indexed {
  const sources = sourcesBeside(part, doc);
  const types = sources.flatMap(({ type }) => (type ? [['outcomeType', type] as const] : []));
  return { lang: '', passages: passagesOf(sources, part !== 'notes'), facets: facetsOf(types) };
}

function sourcesBeside(part: Exclude<Part, 'transcript'>, doc: Y.Doc): Source[] {
  switch (part) {
    case 'outcomes':
      return annotationsOf(doc, 'outcome', 'shared');
    case 'comments':
      return annotationsOf(doc, 'comment', 'shared');
    case 'layer':
      return [...annotationsOf(doc, 'outcome', 'shared'), ...annotationsOf(doc, 'comment', 'shared'), ...gradesOf(doc)];
    case 'notes':
      return [
        source('note', '', linesOf(readNotes(doc))),
        ...annotationsOf(doc, 'outcome', 'private'),
        ...annotationsOf(doc, 'comment', 'private'),
        ...summaryOf(doc, 'private'),
      ];
  }
}
