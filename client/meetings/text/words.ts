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

/** A segment as the editor shows it. */
interface Shown {
  node: Node;
  pos: number;
}

/** Positions in the editor's document. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Words, their times, and where they stand on the screen. The text is read when somebody asks after a change, and who
 * listens is told once it is painted: nobody asks in the way of a key. Places are found by segment and offset, so they
 * hold while the editor is ahead of the text or behind it.
 */
export class Words {
  readonly doc: Y.Doc;
  private readonly read: () => Reading;
  private known: Reading | null = null;
  private heard = false;
  private readonly signal = new Signal();
  private readonly afterPaint = new AfterPaint(() => this.signal.emit());
  private view: EditorView | null = null;

  constructor(doc: Y.Doc) {
    this.doc = doc;
    this.read = wordReader(doc);
  }

  /** Begins to listen to the document; what it answers ends that. */
  open(): () => void {
    const types = [textOf(this.doc), this.doc.getMap('timings'), segmentsOf(this.doc), this.doc.getMap('speakers')];
    for (const type of types) type.observeDeep(this.changed);
    this.heard = true;
    this.known = null;
    return () => {
      for (const type of types) type.unobserveDeep(this.changed);
      this.heard = false;
      this.afterPaint.drop();
    };
  }

  private readonly changed = (): void => {
    this.known = null;
    this.afterPaint.ask();
  };

  /** Emits behind the next paint after words, times, segments or speakers changed, and when an editor comes or goes. */
  readonly subscribe = this.signal.subscribe;

  /** The editor that shows the text. */
  show(view: EditorView | null): void {
    this.view = view;
    this.changed();
  }

  reading(): Reading {
    if (!this.known || !this.heard) this.known = this.read();
    return this.known;
  }

  // ---- Times -----------------------------------------------------------------------------------

  /** Whether anybody heard this: a text that was only written has times that are a guess from beginning to end. */
  get timed(): boolean {
    return this.doc.getMap('timings').size > 0;
  }

  /** The word spoken at a time; in a pause, the last one before it. */
  wordAt(ms: number): WordPlace | null {
    return this.timed ? wordAtTime(this.reading(), ms) : null;
  }

  word({ segment, word }: WordPlace): Word | undefined {
    return this.reading().segments[segment]?.words[word];
  }

  speaker({ id, speaker }: SpokenSegment): string {
    return id === null ? speaker : speakerOf(segmentsOf(this.doc), { s: id, p: speaker });
  }

  /** When the word at a position of the editor was spoken. */
  timeAt(pos: number): number | null {
    const place = this.placeAt(pos);
    if (!place) return null;
    return this.word(place)?.from ?? this.reading().segments[place.segment]?.from ?? null;
  }

  // ---- Places ----------------------------------------------------------------------------------

  /** The word at a position of the editor, or the last before it; -1 where none is in that segment. */
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

  /** Where words of one segment stand, from the first to the last; null while they are not shown. */
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

  /** The same as the browser counts: for what is drawn over the text without changing it. */
  range(stretch: Stretch): Range | null {
    const { view } = this;
    if (!view || stretch.to > view.state.doc.content.size) return null;
    const [begin, end] = [view.domAtPos(stretch.from, 1), view.domAtPos(stretch.to, -1)];
    const range = document.createRange();
    range.setStart(begin.node, begin.offset);
    range.setEnd(end.node, end.offset);
    return range;
  }

  /** The element of a segment: to scroll to, as how high the others are is only a guess. */
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
