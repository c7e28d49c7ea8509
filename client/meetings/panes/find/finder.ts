import type { Editor } from '@tiptap/react';
import { TextSelection, type Transaction } from '@tiptap/pm/state';
import type * as Y from 'yjs';
import { cycle, replaceHits, searcher, searchSegments, type SearchOptions } from '#shared/meetings/search.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { Signal } from '#shared/signal.ts';

import { Pause } from '../../base/pause.ts';
import type { TranscriptBinding } from '../../text/binding.ts';
import { fromFlat, toFlat } from '../../text/flat.ts';
import type { UndoStep } from '../../text/undo-steps.ts';
import { Painter, reveal, type Mark, type Shown } from '../../text/paint.ts';
import { isSame, known, type KnownHit } from './same-hits.ts';

interface Search {
  query: string;
  options: SearchOptions;
}

interface Found {
  count: number;
  /** Index of the current hit, from 0. */
  current: number | null;
}

/** Result of a replacement. `changed`: nothing replaced, since other people changed the hits meanwhile. */
export type Answer = Replaced | 'changed' | 'same' | 'nothing';

interface Replaced {
  replaced: number;
  step: UndoStep | null;
}

export interface Preview {
  before: string;
  found: string;
  after: string;
}

/** Characters shown on each side of a hit that is to be replaced. */
const beside = 40;

/** Milliseconds for which the visited hit is lit, and then fades. */
const litFor = 5000;
const fadesFor = 1500;
/** Milliseconds between a change of the text and the new search. */
const patience = 150;
/** Milliseconds after the last key of a query before the search. */
const between = 60;

const kinds = ['find-hit', 'find-current', 'find-lit', 'find-fading'] as const;

/** Search in the text of one editor, with its hits highlighted there. */
export class Finder {
  private readonly editor: Editor;
  private readonly binding: TranscriptBinding;
  private readonly painter: Painter;
  private readonly signal = new Signal();
  private readonly searched = searcher();
  private search: Search = { query: '', options: {} };
  private hits: readonly KnownHit[] = [];
  private current: number | null = null;
  /** Position of the current hit in the editor. */
  private place = -1;
  private light: 'lit' | 'fading' | 'out' = 'out';
  /** Whether another person changed the hits since this person last saw them. */
  private changed = false;
  /** Whether another person wrote since the last search. */
  private others = false;
  private marks = new WeakMap<Shown['node'], readonly { from: number; to: number }[]>();
  private found: Found = { count: 0, current: null };
  private wanted: Search | null = null;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private readonly looking = new Pause(() => this.lookAgain(), patience);
  private dimming: ReturnType<typeof setTimeout> | undefined;

  constructor(editor: Editor, binding: TranscriptBinding) {
    this.editor = editor;
    this.binding = binding;
    this.painter = new Painter(editor, kinds, (shown) => this.marksOf(shown));
  }

  open(): () => void {
    const text = textOf(this.binding.doc);
    const close = this.painter.open();
    text.observe(this.heard);
    this.editor.on('transaction', this.followed);
    return () => {
      text.unobserve(this.heard);
      this.editor.off('transaction', this.followed);
      this.looking.drop();
      for (const timer of [this.typing, this.dimming]) clearTimeout(timer);
      close();
    };
  }

  readonly subscribe = this.signal.subscribe;

  readonly now = (): Found => this.found;

  private tell(): void {
    const { current } = this;
    const count = this.hits.length;
    if (count === this.found.count && current === this.found.current) return;
    this.found = { count, current };
    this.signal.emit();
  }

  // ---- Searching -------------------------------------------------------------------------------

  /** Searches after a short delay, so that the hits of a half-typed query do not slow the typing. */
  find(wanted: Search): void {
    clearTimeout(this.typing);
    this.wanted = wanted;
    this.typing = setTimeout(() => this.settle(), between);
  }

  /** Searches now and selects the first hit at or after the caret. */
  private settle(): void {
    const { wanted } = this;
    if (!wanted) return;
    clearTimeout(this.typing);
    this.wanted = null;
    this.search = wanted;
    this.marks = new WeakMap();
    this.changed = false;
    this.hits = this.look();
    const { doc, selection } = this.editor.state;
    const from = toFlat(doc, selection.from);
    const behind = this.hits.findIndex(({ at }) => at >= from);
    this.goTo(this.hits.length === 0 ? null : Math.max(0, behind));
  }

  private look(): KnownHit[] {
    const { doc } = this.binding;
    return known(doc, this.searched(doc, this.search.query, this.search.options));
  }

  private readonly heard = (_event: unknown, transaction: Y.Transaction): void => {
    if (this.search.query === '') return;
    // Only changes of other people need confirming.
    if (!transaction.local) this.others = true;
    this.looking.ask();
  };

  private lookAgain(): void {
    this.looking.drop();
    const { hits } = this;
    const now = this.look();
    if (this.others && !isSame(hits, now)) this.changed = true;
    this.others = false;
    const chosen = this.current === null ? undefined : hits[this.current];
    this.hits = now;
    if (chosen) {
      const same = now.findIndex(({ key }) => key === chosen.key);
      const near = now.findIndex(({ at }) => at >= chosen.at);
      this.current = now.length === 0 ? null : same === -1 ? Math.max(0, near) : same;
      this.put();
    } else this.current = null;
    this.tell();
    this.painter.again();
  }

  // ---- Stepping --------------------------------------------------------------------------------

  go(step: 1 | -1): void {
    // Enter right after the last letter goes to the first hit.
    if (this.wanted) return this.settle();
    this.lookAgain();
    this.goTo(cycle(this.hits.length, this.current, step));
  }

  private goTo(index: number | null): void {
    this.current = index;
    this.put();
    clearTimeout(this.dimming);
    this.light = index === null ? 'out' : 'lit';
    if (index !== null) {
      reveal(this.editor.view, this.place);
      this.dimming = setTimeout(() => this.fade(), litFor);
    }
    this.tell();
    this.painter.again();
  }

  private fade(): void {
    this.light = 'fading';
    this.painter.again();
    this.dimming = setTimeout(() => {
      this.light = 'out';
      this.painter.again();
    }, fadesFor);
  }

  private put(): void {
    const hit = this.current === null ? undefined : this.hits[this.current];
    this.place = hit ? fromFlat(this.editor.state.doc, hit.at) : -1;
  }

  /** Moves the position of the current hit with text typed before it. */
  private readonly followed = ({ transaction }: { transaction: Transaction }): void => {
    if (transaction.docChanged && this.place >= 0) this.place = transaction.mapping.map(this.place, 1);
  };

  /** Selects the current hit in the editor and moves the focus there. */
  select(): void {
    const hit = this.current === null ? undefined : this.hits[this.current];
    const { view } = this.editor;
    if (hit && this.place >= 0 && this.place + hit.length <= view.state.doc.content.size) {
      const { tr, doc } = view.state;
      view.dispatch(tr.setSelection(TextSelection.create(doc, this.place, this.place + hit.length)));
    }
    view.focus();
  }

  // ---- Replacing -------------------------------------------------------------------------------

  /** Replaces the current hit and moves to the next, or replaces all in one undo step. */
  replace(replacement: string, which: 'one' | 'all'): Answer {
    this.settle();
    const { query, options } = this.search;
    if (query.trim() === replacement.trim()) return 'same';
    this.lookAgain();
    if (this.changed) {
      this.changed = false;
      return 'changed';
    }
    const { hits, current, binding } = this;
    const only = which === 'one' ? (current ?? 0) : undefined;
    const chosen = only === undefined ? undefined : hits[only];
    if (hits.length === 0) return 'nothing';
    const wish = { query, replacement, options, shown: hits, ...(only !== undefined && { only }) };
    const done = binding.asOne(() => replaceHits(binding.doc, wish, binding));
    if (!('done' in done)) return 'stale' in done ? 'changed' : 'same';
    const step = binding.lastStep;
    this.looking.drop();
    this.hits = this.look();
    if (chosen) {
      // Skips the replacement, which may itself match the query.
      const behind = chosen.at + replacement.length;
      const next = this.hits.findIndex(({ at }) => at >= behind);
      this.goTo(this.hits.length === 0 ? null : Math.max(0, next));
    } else this.goTo(this.hits.length === 0 ? null : 0);
    return { replaced: done.done, step };
  }

  /** The current hit in its sentence, to show what replacing it makes of that. */
  preview(): Preview | null {
    const hit = this.current === null ? undefined : this.hits[this.current];
    const { doc } = this.editor.state;
    if (!hit || this.place < 0 || this.place + hit.length > doc.content.size) return null;
    const [from, to] = [this.place, this.place + hit.length];
    const paragraph = doc.resolve(from);
    const [first, last] = [Math.max(paragraph.start(), from - beside), Math.min(paragraph.end(), to + beside)];
    return {
      before: `${first > paragraph.start() ? '…' : ''}${doc.textBetween(first, from)}`,
      found: doc.textBetween(from, to),
      after: `${doc.textBetween(to, last)}${last < paragraph.end() ? '…' : ''}`,
    };
  }

  // ---- Painting --------------------------------------------------------------------------------

  private marksOf({ node, pos }: Shown): readonly Mark[] {
    const { query, options } = this.search;
    if (query === '') return [];
    let places = this.marks.get(node);
    if (!places) {
      const segment = { id: null, speaker: '', text: node.textContent, start: 0 };
      places = searchSegments([segment], query, options).map(({ at, length }) => ({ from: at, to: at + length }));
      this.marks.set(node, places);
    }
    return places.flatMap(({ from, to }): Mark[] => {
      const chosen = this.current !== null && pos + 1 + from === this.place;
      if (!chosen) return [{ from, to, kind: 'find-hit' }];
      const light: Mark[] = this.light === 'out' ? [] : [{ from, to, kind: `find-${this.light}` }];
      return [{ from, to, kind: 'find-hit' }, { from, to, kind: 'find-current' }, ...light];
    });
  }
}
