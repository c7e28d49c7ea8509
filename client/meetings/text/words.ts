import type { Node } from '@tiptap/pm/model';
import type { EditorView } from '@tiptap/pm/view';
import type * as Y from 'yjs';
import { segmentsOf, speakerOf, textOf } from '#shared/meetings/transcript.ts';
import { Signal } from '#shared/signal.ts';
import {
  wordAtTime,
  wordReader,
  type Reading,
  type SpokenSegment,
  type Word,
  type WordPlace,
} from '#shared/meetings/words.ts';

import { AfterPaint } from '../base/after-paint.ts';
import { idOf } from './schema.ts';
import { carry } from './carry.ts';

/** Segment as the editor shows it. */
interface Shown {
  node: Node;
  pos: number;
}

/** Range of positions in the editor's document. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Words, their times and their positions on the screen. The text is read lazily, and subscribers are called after the
 * paint, so that neither delays a key. Positions are found by segment and offset, so they hold while the editor is
 * ahead of the text or behind it.
 */
export class Words {
  readonly doc: Y.Doc;
  private readonly read: () => Reading;
  private known: Reading | null = null;
  private observing = false;
  private readonly signal = new Signal();
  private readonly afterPaint = new AfterPaint(() => this.signal.emit());
  private view: EditorView | null = null;

  constructor(doc: Y.Doc) {
    this.doc = doc;
    this.read = wordReader(doc);
  }

  /** Starts observing the document; the returned function ends it. */
  open(): () => void {
    const types = [textOf(this.doc), this.doc.getMap('timings'), segmentsOf(this.doc), this.doc.getMap('speakers')];
    for (const type of types) type.observeDeep(this.changed);
    this.observing = true;
    this.known = null;
    return () => {
      for (const type of types) type.unobserveDeep(this.changed);
      this.observing = false;
      this.afterPaint.drop();
    };
  }

  private readonly changed = (): void => {
    this.known = null;
    this.afterPaint.ask();
  };

  /**
   * Emits after the next paint when words, times, segments or speakers changed, and when an editor is set or removed.
   */
  readonly subscribe = this.signal.subscribe;

  /** Sets the editor that shows the text. */
  show(view: EditorView | null): void {
    this.view = view;
    this.changed();
  }

  reading(): Reading {
    if (!this.known || !this.observing) this.known = this.read();
    return this.known;
  }

  // ---- Times -----------------------------------------------------------------------------------

  /** False for a text that was only written: all of its times would be guesses. */
  get timed(): boolean {
    return this.doc.getMap('timings').size > 0;
  }

  /** Word spoken at a time; in a pause, the one before it. */
  wordAt(ms: number): WordPlace | null {
    return this.timed ? wordAtTime(this.reading(), ms) : null;
  }

  word({ segment, word }: WordPlace): Word | undefined {
    return this.reading().segments[segment]?.words[word];
  }

  speaker({ id, speaker }: SpokenSegment): string {
    return id === null ? speaker : speakerOf(segmentsOf(this.doc), { s: id, p: speaker });
  }

  /** Time of the word at a position of the editor. */
  timeAt(pos: number): number | null {
    const place = this.placeAt(pos);
    if (!place) return null;
    return this.word(place)?.from ?? this.reading().segments[place.segment]?.from ?? null;
  }

  /** Number of words with times of their own between two positions of the flat text. */
  timedWords(from: number, to: number): number {
    const { segments, starts } = this.reading();
    let count = 0;
    for (const [index, { text, words }] of segments.entries()) {
      const start = starts[index] ?? 0;
      if (start >= to) break;
      if (start + text.length < from) continue;
      for (const word of words)
        if (!word.estimated && start + word.at >= from && start + word.at + word.text.length <= to) count += 1;
    }
    return count;
  }

  // ---- Positions -------------------------------------------------------------------------------

  /** Word at a position of the editor, or the last one before it; -1 if the segment has none before it. */
  placeAt(pos: number): WordPlace | null {
    const { view } = this;
    if (!view || !this.timed) return null;
    const place = view.state.doc.resolve(Math.min(pos, view.state.doc.content.size));
    const index = Math.min(place.index(0), view.state.doc.childCount - 1);
    const node = view.state.doc.child(index);
    const { segments } = this.reading();
    const segment = segments[index]?.id === idOf(node) ? index : segments.findIndex(({ id }) => id === idOf(node));
    const spoken = segments[segment];
    if (!spoken) return null;
    const offset = place.depth === 0 ? 0 : carry(node.textContent, spoken.text)(place.parentOffset);
    return { segment, word: spoken.words.findLastIndex(({ at }) => at <= offset) };
  }

  /** Document range from one word of a segment to another; null while they are not shown. */
  stretch(segment: number, first: number, last: number): Stretch | null {
    const spoken = this.reading().segments[segment];
    const shown = spoken && this.shown(spoken, segment);
    const [begin, end] = [spoken?.words[first], spoken?.words[last]];
    if (!shown || !begin || !end) return null;
    const carried = carry(spoken.text, shown.node.textContent);
    const start = shown.pos + 1;
    const [from, to] = [start + carried(begin.at), start + carried(end.at + end.text.length)];
    return from < to ? { from, to } : null;
  }

  /** DOM range, for highlights that do not change the text. */
  range(stretch: Stretch): Range | null {
    const { view } = this;
    if (!view || stretch.to > view.state.doc.content.size) return null;
    const [begin, end] = [view.domAtPos(stretch.from, 1), view.domAtPos(stretch.to, -1)];
    const range = document.createRange();
    range.setStart(begin.node, begin.offset);
    range.setEnd(end.node, end.offset);
    return range;
  }

  /** Element of a segment, for scrolling without relying on guessed heights of others. */
  element(segment: number): HTMLElement | null {
    const spoken = this.reading().segments[segment];
    const shown = spoken && this.shown(spoken, segment);
    const element = shown && this.view?.nodeDOM(shown.pos);
    return element instanceof HTMLElement ? element : null;
  }

  private shown({ id }: SpokenSegment, guess: number): Shown | null {
    const doc = this.view?.state.doc;
    if (!doc) return null;
    let [index, pos] = [-1, 0];
    if (guess < doc.childCount && idOf(doc.child(guess)) === id) index = guess;
    else for (let i = 0; i < doc.childCount && index < 0; i += 1) if (idOf(doc.child(i)) === id) index = i;
    if (index < 0) return null;
    for (let i = 0; i < index; i += 1) pos += doc.child(i).nodeSize;
    return { node: doc.child(index), pos };
  }
}
