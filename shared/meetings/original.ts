import * as Y from 'yjs';
import { boundaryOf, textOf } from './transcript.ts';

// Original transcript, and how it was changed. A document forgets deleted characters but keeps their ids; the log keeps
// both. So the original is read from the log, and the ids tell which of it still exists: a word that was moved by edits
// around it is the same word.

interface OriginalSegment {
  /** Clock of its boundary; its text follows. */
  clock: number;
  id: string;
  speaker: string;
  text: string;
}

export interface OriginalSeed {
  seed: number;
  segments: OriginalSegment[];
}

/** Placeholder for text deleted before this document was copied from another: only its length is known. */
const lost = '\uFFFD';
/** Sign that is shown in place of lost text, as a word of its own. */
const asLost = ' … ';
const lostRuns = new RegExp(`${lost}+`, 'gu');

/** Text these clients inserted, in the order of the updates. */
export function readSeeds(updates: readonly Uint8Array[], wanted: ReadonlySet<number>): OriginalSeed[] {
  const found = new Map<number, (Y.Item | Y.GC)[]>();
  for (const update of updates)
    for (const struct of Y.decodeUpdate(update).structs) {
      const { client } = struct.id;
      if (!wanted.has(client) || !(struct instanceof Y.Item || struct instanceof Y.GC)) continue;
      const list = found.get(client);
      if (list) list.push(struct);
      else found.set(client, [struct]);
    }
  return [...found].map(([seed, structs]) => ({
    seed,
    segments: segmentsOf(structs.toSorted((one, other) => one.id.clock - other.id.clock)),
  }));
}

/** Seeds write their text before anything else. */
function segmentsOf(structs: readonly (Y.Item | Y.GC)[]): OriginalSegment[] {
  const segments: OriginalSegment[] = [];
  let next = 0;
  for (const struct of structs) {
    if (struct.id.clock + struct.length <= next) continue;
    const content = struct instanceof Y.Item ? struct.content : null;
    if (content instanceof Y.ContentEmbed) {
      const { s, p } = boundaryOf(content.embed);
      segments.push({ clock: struct.id.clock, id: s, speaker: p, text: '' });
    } else if (content === null || content instanceof Y.ContentDeleted || content instanceof Y.ContentString) {
      const last = segments.at(-1);
      if (!last || struct.id.clock !== next) break;
      last.text += content instanceof Y.ContentString ? content.str : lost.repeat(struct.length);
    } else break;
    next = struct.id.clock + struct.length;
  }
  return segments;
}

/** `gone` was in the original and is deleted; `new` was added since. */
export interface ComparedPiece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

export interface ComparedSegment {
  /** Null for text before the original's first segment. */
  id: string | null;
  speaker: string;
  pieces: ComparedPiece[];
  changed: boolean;
}

const noSeeds: ReadonlySet<number> = new Set();

/** Each original segment with its changes, word by word; without the text of seeds that are still `arriving`. */
export function compareWithOriginal(doc: Y.Doc, seeds: readonly OriginalSeed[], arriving = noSeeds): ComparedSegment[] {
  const places = new Map(seeds.map(({ seed, segments }) => [seed, new Written(segments)]));
  const segments: { id: string | null; speaker: string; runs: ComparedPiece[] }[] = [];
  const add = (kind: ComparedPiece['kind'], text: string) => {
    if (segments.length === 0) segments.push({ id: null, speaker: '', runs: [] });
    const runs = segments.at(-1)?.runs ?? [];
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += text;
    else runs.push({ kind, text });
  };
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    const written = places.get(item.id.client);
    if (written) {
      for (const part of written.parts(item.id.clock, item.length))
        if (typeof part === 'string') {
          if (item.deleted) add('gone', part.replaceAll(lostRuns, asLost));
          else add('same', part);
        } else segments.push({ id: part.id, speaker: part.speaker, runs: [] });
    } else if (arriving.has(item.id.client)) continue;
    else if (!item.deleted && item.content instanceof Y.ContentString) add('new', item.content.str);
    // A split counts as a blank between words.
    else if (!item.deleted && item.countable) add('new', ' ');
  }
  return segments.map(({ id, speaker, runs }) => {
    const pieces = byWords(runs);
    return { id, speaker, pieces, changed: pieces.some(({ kind }) => kind !== 'same') };
  });
}

/** Characters of a seed by their clocks. */
class Written {
  private readonly segments: readonly OriginalSegment[];

  constructor(segments: readonly OriginalSegment[]) {
    this.segments = segments;
  }

  *parts(clock: number, length: number): Generator<string | OriginalSegment> {
    const end = clock + length;
    let low = 0;
    let high = this.segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.segments[middle]?.clock ?? 0) <= clock) low = middle + 1;
      else high = middle;
    }
    for (let i = Math.max(0, low - 1); i < this.segments.length; i += 1) {
      const segment = this.segments[i];
      if (!segment || segment.clock >= end) return;
      if (segment.clock >= clock) yield segment;
      const start = segment.clock + 1;
      const text = segment.text.slice(Math.max(0, clock - start), Math.max(0, end - start));
      if (text !== '') yield text;
    }
  }
}

/** Separators of words: blanks, and every character of scripts without blanks. */
const between = /(\s+|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])/u;

/** Turns changes of letters into changes of words. */
function byWords(runs: readonly ComparedPiece[]): ComparedPiece[] {
  const pieces: ComparedPiece[] = [];
  const put = (wanted: ComparedPiece['kind'], text: string) => {
    // Whitespace changes are no changes of words.
    const kind = text.trim() === '' ? 'same' : wanted;
    const last = pieces.at(-1);
    if (text === '' || (kind !== wanted && /\s$/.test(last?.text ?? ''))) return;
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let chunk: ComparedPiece[] = [];
  const close = () => {
    const of = (other: ComparedPiece['kind']) =>
      chunk.flatMap(({ kind, text }) => (kind === 'same' || kind === other ? [text] : [])).join('');
    const [old, now] = [wordsOf(of('gone')), wordsOf(of('new'))];
    chunk = [];
    let head = 0;
    while (head < old.length && old[head]?.trim() === now[head]?.trim()) head += 1;
    let tail = 0;
    while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail)?.trim() === now.at(-1 - tail)?.trim())
      tail += 1;
    // Includes the blank before the word that follows.
    const edge = [old[head - 1] ?? '', now[head - 1] ?? ''].toSorted((one, other) => other.length - one.length);
    put('same', now.slice(0, Math.max(0, head - 1)).join('') + edge[0]);
    put('gone', old.slice(head, old.length - tail).join(''));
    put('new', now.slice(head, now.length - tail).join(''));
    put('same', now.slice(now.length - tail).join(''));
  };
  for (const { kind, text } of runs) {
    if (kind !== 'same') {
      chunk.push({ kind, text });
      continue;
    }
    for (const [i, part] of text.split(between).entries()) {
      if (i % 2 === 0) chunk.push({ kind, text: part });
      else {
        close();
        put('same', part);
      }
    }
  }
  close();
  return pieces;
}

const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/gu) ?? [];
