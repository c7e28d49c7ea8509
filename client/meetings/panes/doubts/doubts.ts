import { TextSelection } from '@tiptap/pm/state';
import type { Awareness } from 'y-protocols/awareness';
import { checkedOf, checkWords, findDoubts, nextDoubt, unsureIn, type Doubt } from '#shared/meetings/doubts.ts';
import type { SpokenSegment } from '#shared/meetings/words.ts';
import { Signal } from '#shared/signal.ts';

import { AfterPaint } from '../../base/after-paint.ts';
import type { Player } from '../../sound/player.ts';
import { idOf } from '../../text/schema.ts';
import { fromFlat, toFlat } from '../../text/flat.ts';
import type { OpenText } from '../../open/open-text.ts';
import { Painter, reveal, type Mark, type Shown } from '../../text/paint.ts';
import { carry } from '../../text/carry.ts';
import type { Words } from '../../text/words.ts';
import { takenIn, takerOf, type Taken } from './taken.ts';

export interface DoubtsState {
  /** Number of words still to check. */
  left: number;
  /** Number of those another person is working on. */
  taken: number;
  /** Whether the caret is in one. */
  here: boolean;
  /** Whether the transcript has confidences from the recogniser. */
  known: boolean;
}

/** Milliseconds played before and after the word. */
const around = 1000;

const voices = [1, 2, 3, 4, 5];
const kinds = ['doubt', ...voices.map((voice) => `doubt-voice-${voice}`)];
const edges = /^\p{P}*|\p{P}*$/gu;

/** Words to check: highlighted in the transcript; several people can step through them at once. */
export class Doubts {
  private readonly text: OpenText;
  private readonly words: Words;
  private readonly awareness: Awareness;
  private readonly player: Player;
  private readonly painter: Painter;
  private readonly signal = new Signal();
  private below = 0;
  private unsure = new WeakMap<SpokenSegment, readonly number[]>();
  private list: readonly Doubt[] = [];
  /** Results of the last search by segment id, so that painting reads nothing again. */
  private shown = new Map<string | null, { spoken: SpokenSegment; doubts: Doubt[] }>();
  private known = true;
  private taken: readonly Taken[] = [];
  private state: DoubtsState = { left: 0, taken: 0, here: false, known: true };
  private readonly soon = new AfterPaint(() => this.look());
  private readonly takenSoon = new AfterPaint(() => this.lookAtOthers());

  constructor(text: OpenText, words: Words, awareness: Awareness, player: Player) {
    this.text = text;
    this.words = words;
    this.awareness = awareness;
    this.player = player;
    this.painter = new Painter(text.editor, kinds, (shown) => this.marksOf(shown));
  }

  open(): () => void {
    const { editor, binding } = this.text;
    const checked = checkedOf(binding.doc);
    checked.observe(this.soon.ask);
    this.awareness.on('change', this.heard);
    editor.on('selectionUpdate', this.moved);
    const ends = [this.words.subscribe(() => this.look()), this.painter.open()];
    this.soon.ask();
    return () => {
      checked.unobserve(this.soon.ask);
      this.awareness.off('change', this.heard);
      editor.off('selectionUpdate', this.moved);
      this.soon.drop();
      this.takenSoon.drop();
      for (const end of ends) end();
    };
  }

  readonly subscribe = this.signal.subscribe;

  readonly now = (): DoubtsState => this.state;

  /** Sets the confidence below which words are highlighted; 0 highlights none. */
  mark(below: number): void {
    if (below === this.below) return;
    this.below = below;
    this.unsure = new WeakMap();
    this.soon.ask();
  }

  // ---- Finding ---------------------------------------------------------------------------------

  /** Ignores this person's own caret: it reserves no word. */
  private readonly heard = (_changes: unknown, origin: unknown): void => {
    if (origin !== 'local') this.takenSoon.ask();
  };

  private look(): void {
    const reading = this.words.reading();
    this.list = findDoubts(this.text.binding.doc, reading, this.below, (segment) => {
      const known = this.unsure.get(segment) ?? unsureIn(segment, this.below);
      this.unsure.set(segment, known);
      return known;
    });
    this.shown = new Map();
    for (const one of this.list) {
      const spoken = reading.segments[one.segment];
      const known = spoken && this.shown.get(spoken.id);
      if (known) known.doubts.push(one);
      else if (spoken) this.shown.set(spoken.id, { spoken, doubts: [one] });
    }
    // The first segments show whether the transcript has confidences.
    this.known =
      this.list.length > 0 ||
      reading.segments.slice(0, 20).some(({ words }) => words.some(({ confidence }) => confidence !== null));
    this.lookAtOthers();
  }

  private lookAtOthers(): void {
    this.taken = takenIn(this.text.binding.doc, this.awareness);
    this.tell();
    this.painter.again();
  }

  private tell(): void {
    const { list, state } = this;
    const now: DoubtsState = {
      left: list.length,
      taken: this.taken.length === 0 ? 0 : list.filter((one) => takerOf(this.taken, one)).length,
      here: this.here() !== null,
      known: this.known,
    };
    if (Object.entries(now).every(([key, value]) => state[key as keyof DoubtsState] === value)) return;
    this.state = now;
    this.signal.emit();
  }

  private readonly moved = (): void => {
    if ((this.here() !== null) !== this.state.here) this.tell();
  };

  /** Word to check at the caret. */
  private here(): Doubt | null {
    const { doc, selection } = this.text.editor.state;
    const [from, to] = [toFlat(doc, selection.from), toFlat(doc, selection.to)];
    return this.list.find(({ at, length }) => from >= at && to <= at + length) ?? null;
  }

  // ---- Stepping --------------------------------------------------------------------------------

  /** Moves to the next word that nobody else is working on; false if there is none. */
  go(step: 1 | -1): boolean {
    this.look();
    const { editor, view, binding } = this.text;
    const { doc, selection } = editor.state;
    const free = this.list.filter((one) => !takerOf(this.taken, one));
    const next = nextDoubt(free, toFlat(doc, selection.from), step);
    const word = next && this.words.word(next);
    if (!next || !word || binding.holding) return false;
    // Selects the word without its punctuation, which typing then keeps.
    const [before = '', behind = ''] = word.text.match(edges) ?? [];
    const start = fromFlat(doc, next.at);
    const [from, to] = [start + before.length, start + word.text.length - behind.length];
    view.dispatch(editor.state.tr.setSelection(TextSelection.create(doc, from, to)));
    view.focus();
    reveal(view, from);
    this.player.playStretch(Math.max(0, word.from - around), word.to + around);
    return true;
  }

  /** Accepts the word at the caret for everyone and moves on; false if there is none. */
  accept(): boolean {
    this.look();
    const { binding } = this.text;
    const here = this.here();
    const word = here && this.words.word(here);
    if (!word) return false;
    binding.asOne(() => checkWords(binding.doc, [word], true, binding));
    if (!this.go(1)) this.look();
    return true;
  }

  // ---- Painting --------------------------------------------------------------------------------

  private marksOf({ node }: Shown): readonly Mark[] {
    const known = this.shown.get(idOf(node));
    if (!known) return [];
    const { spoken, doubts } = known;
    const place = carry(spoken.text, node.textContent);
    return doubts.flatMap((doubt): Mark[] => {
      const word = spoken.words[doubt.word];
      if (!word) return [];
      const [from, to] = [place(word.at), place(word.at + word.text.length)];
      const taker = takerOf(this.taken, doubt);
      return from < to ? [{ from, to, kind: taker ? `doubt-voice-${taker.voice}` : 'doubt' }] : [];
    });
  }
}
