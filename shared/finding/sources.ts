import type * as Y from 'yjs';
import { readAbout, readTags } from '../meetings/about.ts';
import {
  annotationIn,
  annotationKinds,
  inOrder,
  storedAnnotations,
  type AnnotationKind,
  type AnnotationOf,
  type StoredAnnotation,
} from '../meetings/annotations.ts';
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
import { passageId, passagesOf, type Paragraph, type Passage, type PassageKind, type Source } from './passages.ts';

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

const sourcesIn: { [K in AnnotationKind]: (item: AnnotationOf[K]) => Source[] } = {
  comment({ id, text, start }) {
    const rich = readRichText(text);
    return [source('comment', id, rich ? plainText(rich) : '', milliseconds(start * 1000))];
  },
  outcome({ id, text, start, type, grade, children }) {
    const at = milliseconds(start * 1000);
    return [
      { ...source('outcome', id, text, at), type, grade },
      // Its words are those of the outcome and are found there.
      ...children.map((child) => ({ ...source('outcome', childKey(id, child.type), '', at), ...child })),
    ];
  },
};

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

/** A room beside the transcript, as its document has it: annotations as they are stored, and all else. */
export interface Beside {
  part: Exclude<Part, 'transcript'>;
  annotations: StoredAnnotation[];
  sources: Source[];
}

export function readBeside(part: Beside['part'], doc: Y.Doc): Beside {
  const stored = (...kinds: AnnotationKind[]) =>
    kinds.flatMap((kind) => storedAnnotations(doc, kind, visibilityIn(part)));
  switch (part) {
    case 'outcomes':
      return { part, annotations: stored('outcome'), sources: [] };
    case 'comments':
      return { part, annotations: stored('comment'), sources: [] };
    case 'layer':
      return { part, annotations: stored('outcome', 'comment'), sources: gradesOf(doc) };
    case 'notes':
      return {
        part,
        annotations: stored('outcome', 'comment'),
        sources: [source('note', '', linesOf(readNotes(doc))), ...summaryOf(doc, 'private')],
      };
  }
}

const visibilityIn = (part: Beside['part']): Visibility => (part === 'notes' ? 'private' : 'shared');

/** Indexed part of one annotation. */
interface Entry {
  passages: Passage[];
  types: string[];
}

/** Entries by the stored value, which is another object after each change: a room of thousands is cut once. */
const entries = {
  shared: { outcome: new WeakMap<object, Entry>(), comment: new WeakMap<object, Entry>() },
  private: { outcome: new WeakMap<object, Entry>(), comment: new WeakMap<object, Entry>() },
};

const typesOf = (sources: readonly Source[]): string[] => sources.flatMap(({ type }) => type || []);

function entryOf(stored: StoredAnnotation, visibility: Visibility): Entry {
  const { kind, value } = stored;
  const known = typeof value === 'object' && value !== null ? entries[visibility][kind] : null;
  const before = known?.get(value as object);
  if (before) return before;
  const sources = sourcesOf(stored, visibility);
  const entry = { passages: passagesOf(sources, visibility === 'shared'), types: typesOf(sources) };
  known?.set(value as object, entry);
  return entry;
}

function sourcesOf<K extends AnnotationKind>(stored: StoredAnnotation<K>, visibility: Visibility): Source[] {
  const item = annotationIn(stored, visibility);
  return item ? sourcesIn[stored.kind](item) : [];
}

/**
 * Passages of a room beside the transcript; rooms of one person are read as they are, with what stands in braces. Stops
 * after each annotation, so that the caller can do other work in between.
 */
export function* indexingBeside({ part, annotations, sources }: Beside): Generator<void, Indexed> {
  const visibility = visibilityIn(part);
  const found: Entry[] = [];
  for (const one of annotations) {
    found.push(entryOf(one, visibility));
    yield;
  }
  found.push({ passages: passagesOf(sources, visibility === 'shared'), types: typesOf(sources) });
  let passages = found.flatMap((entry) => entry.passages);
  const types = new Set(found.flatMap((entry) => entry.types));
  // Programs may write two annotations of one id: they are told apart in the order in which people see them.
  if (new Set(passages.map(passageId)).size < passages.length)
    passages = passagesOf([...inOrderOf(annotations, visibility), ...sources], visibility === 'shared');
  return { lang: '', passages, facets: facetsOf([...types].map((type) => ['outcomeType', type] as const)) };
}

const inOrderOf = (annotations: readonly StoredAnnotation[], visibility: Visibility): Source[] =>
  annotationKinds.flatMap((kind) =>
    annotations
      .filter((one) => one.kind === kind)
      .flatMap((one) => {
        const item = annotationIn(one, visibility);
        return item ? [{ item, sources: sourcesOf(one, visibility) }] : [];
      })
      .sort((a, b) => inOrder(a.item, b.item))
      .flatMap((one) => one.sources),
  );

/** The same at once. */
export function indexedBeside(part: Beside['part'], doc: Y.Doc): Indexed {
  const indexing = indexingBeside(readBeside(part, doc));
  for (;;) {
    const step = indexing.next();
    if (step.done) return step.value;
  }
}
