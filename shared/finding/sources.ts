import type * as Y from 'yjs';
import { readAbout, readTags } from '../meetings/about.ts';
import { readAnnotations, type AnnotationKind } from '../meetings/annotations.ts';
import { readTimed } from '../meetings/entries.ts';
import { readNotes, type NoteNode } from '../meetings/notes.ts';
import type { Part } from '../meetings/parts.ts';
import { plainText, readRichText } from '../meetings/rich-text.ts';
import { activeSpeakers, readSpeakers } from '../meetings/speakers.ts';
import { readSummary } from '../meetings/summary.ts';
import { segmentsOf, speakerOf, wellFormed } from '../meetings/transcript.ts';
import type { Visibility } from '../meetings/visibility.ts';
import { readWords } from '../meetings/words.ts';
import { passagesOf, type Paragraph, type Passage, type PassageKind, type Source } from './passages.ts';

// What of each room's document is indexed.

/** Passages of a room, and the language they are in. */
export interface Indexed {
  lang: string;
  passages: Passage[];
}

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
  const sources = [
    source('title', '', title),
    ...readTags(doc).map((tag) => source('tag', tag, tag)),
    ...readSpeakers(doc).flatMap(({ id, name }) => (spoken.has(id) ? [source('speaker', id, name)] : [])),
    ...readTimed(doc, 'toc').map(({ id, title: chapter, start }) =>
      source('chapter', id, chapter, milliseconds(start * 1000)),
    ),
    ...summaryOf(doc, 'shared'),
    said,
  ];
  return { lang, passages: passagesOf(sources, true) };
}

function annotationsOf(doc: Y.Doc, kind: AnnotationKind, visibility: Visibility): Source[] {
  if (kind === 'comment')
    return readAnnotations(doc, kind, visibility).map(({ id, text, start }) => {
      const rich = readRichText(text);
      return source('comment', id, rich ? plainText(rich) : '', milliseconds(start * 1000));
    });
  return readAnnotations(doc, 'outcome', visibility).map(({ id, text, start, type, grade }) => ({
    ...source('outcome', id, text, milliseconds(start * 1000)),
    type,
    grade,
  }));
}

function linesOf(node: NoteNode): string {
  if (node.type === 'text') return node.text ?? '';
  if (node.type === 'hardBreak') return '\n';
  const inline = node.type === 'paragraph' || node.type === 'heading' || node.type === 'codeBlock';
  return (node.content ?? []).map(linesOf).join(inline ? '' : '\n');
}

/** Rooms beside the transcript; those of one person are read as they are, with what stands in braces. */
export function indexedBeside(part: Exclude<Part, 'transcript' | 'layer'>, doc: Y.Doc): Indexed {
  const sources =
    part === 'notes'
      ? [
          source('note', '', linesOf(readNotes(doc))),
          ...annotationsOf(doc, 'outcome', 'private'),
          ...annotationsOf(doc, 'comment', 'private'),
          ...summaryOf(doc, 'private'),
        ]
      : annotationsOf(doc, part === 'outcomes' ? 'outcome' : 'comment', 'shared');
  return { lang: '', passages: passagesOf(sources, part !== 'notes') };
}
