import { Extension } from '@tiptap/core';
import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';
import { Decoration, DecorationSet, type EditorView } from '@tiptap/pm/view';
import { timeOfTagAt } from '#shared/meetings/sentence.ts';
import type { WordPlace } from '#shared/meetings/words.ts';

import { scrollerOf } from '../../ui/scroller.ts';
import { cameFromText } from './binding.ts';
import { keepingCaret } from './caret.ts';
import { holdStill } from './hold-still.ts';
import { isSameRange } from './paint.ts';
import { sentenceAround } from './sentences.ts';
import type { Stretch, Words } from './words.ts';
import { Follow } from '../sound/follow.ts';
import type { Player } from '../sound/player.ts';
import { TypingPause, type TypingChoice } from '../sound/typing-pause.ts';

interface ListeningChoices {
  mark: 'word' | 'sentence';
  playOnDoubleClick: boolean;
}

/** Name of the highlight in style sheets. */
const highlightName = 'played';
const key = new PluginKey<DecorationSet>('played');

/** Connects playback and text: marks the words being played, and plays from a clicked word. */
export class Listening {
  choices: ListeningChoices = { mark: 'sentence', playOnDoubleClick: true };
  readonly follow: Follow;
  readonly typing: TypingPause;
  private readonly player: Player;
  private readonly words: Words;
  private view: EditorView | null = null;
  private marked = '';
  private stretch: Stretch | null = null;
  private range: Range | null = null;
  private drawn: Range | null = null;
  private place: WordPlace | null = null;
  /** Whether the latest double click played; its selection is then a place to listen, not words to write over. */
  private doublePlayed = false;

  constructor(player: Player, words: Words, typing: TypingChoice) {
    this.player = player;
    this.words = words;
    this.follow = new Follow(() => player.now().playing);
    this.typing = new TypingPause(player, typing);
  }

  open(): () => void {
    const ends = [
      this.typing.open(),
      this.player.onTime((ms) => this.atTime(ms, false)),
      this.player.onJump(() => {
        this.typing.drop();
        this.follow.happened('jumped');
        this.showPlace();
      }),
      this.player.onStart(() => this.follow.happened('started')),
      this.words.subscribe(() => this.atTime(this.player.ms, true)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  prefer(choices: ListeningChoices): void {
    this.choices = choices;
    this.atTime(this.player.ms, true);
  }

  // ---- The words being played ------------------------------------------------------------------

  private atTime(ms: number, anew: boolean): void {
    const place = ms > 0 || this.player.now().playing ? this.words.wordAt(ms) : null;
    const same = place?.segment === this.place?.segment && place?.word === this.place?.word;
    if (same && !anew) return;
    this.place = place;
    this.mark(place);
    if (same || !this.player.now().playing || !this.follow.following() || this.hasSelection()) return;
    this.follow.keep(() => this.boxOf(place));
  }

  private mark(place: WordPlace | null): void {
    const [first, last] = place ? this.bounds(place) : [0, 0];
    this.stretch = place && this.words.stretch(place.segment, first, last);
    // Scrolling follows the word itself, because its sentence may be longer than the window.
    const word = place && this.words.stretch(place.segment, place.word, place.word);
    this.range = word && this.words.range(word);
    if (typeof Highlight === 'undefined') this.decorate();
    else this.draw();
  }

  private bounds(place: WordPlace): [number, number] {
    if (this.choices.mark === 'sentence') return this.sentence(place);
    // A punctuation mark on its own belongs to the word before it.
    const bare = place.word > 0 && !/[\p{L}\p{N}]/u.test(this.words.word(place)?.text ?? '');
    return [bare ? place.word - 1 : place.word, place.word];
  }

  private sentence({ segment, word }: WordPlace): [number, number] {
    return sentenceAround(this.words.reading().segments[segment]?.words ?? [], word);
  }

  /**
   * Redrawing a line drops the ends of a highlight in it. The typed words are read only after the paint; until then the
   * highlight stays around the same words.
   */
  private mend({ docChanged, mapping }: Transaction): void {
    const { drawn, stretch } = this;
    if (!drawn || !stretch) return;
    const [from, to] = docChanged
      ? [mapping.map(stretch.from, 1), mapping.map(stretch.to, -1)]
      : [stretch.from, stretch.to];
    this.stretch = { from, to };
    if (from < to && drawn.toString().length !== to - from) this.draw();
  }

  private draw(): void {
    const range = this.stretch && this.words.range(this.stretch);
    if (range ? isSameRange(range, this.drawn) : !this.drawn) return;
    this.drawn = range;
    if (this.drawn) CSS.highlights.set(highlightName, new Highlight(this.drawn));
    else CSS.highlights.delete(highlightName);
  }

  /** For browsers without the Highlight API. */
  private decorate(): void {
    const { view, stretch } = this;
    const now = stretch ? `${stretch.from} ${stretch.to}` : '';
    // Changing the DOM of the word being composed would end the composition.
    if (!view || view.isDestroyed || view.composing || now === this.marked) return;
    this.marked = now;
    view.dispatch(keepingCaret(view, view.state.tr.setMeta(key, stretch ?? 'none').setMeta('addToHistory', false)));
  }

  /** Scrolls to the word being played, or the one that would play next. */
  showPlace(): void {
    this.follow.bring(() => this.boxOf(this.place));
  }

  private boxOf(place: WordPlace | null): DOMRect | null {
    if (!place) return null;
    const rect = this.range?.getBoundingClientRect();
    if (rect && rect.height > 0) return rect;
    // A hidden segment has no box to scroll to.
    const box = this.words.element(place.segment)?.getBoundingClientRect();
    return box && box.height > 0 ? box : null;
  }

  /** Whether words are selected to be changed or annotated. */
  private hasSelection(): boolean {
    return !this.doublePlayed && this.view?.hasFocus() === true && !this.view.state.selection.empty;
  }

  /** Plays the current sentence from its start. */
  replay(): void {
    const place = this.words.wordAt(this.player.ms);
    const first = place && this.words.word({ segment: place.segment, word: this.sentence(place)[0] });
    if (first) this.player.play(first.from);
  }

  // ---- Clicks and taps -------------------------------------------------------------------------

  /** Whether the latest double click played from its word. */
  get playedByDoubleClick(): boolean {
    return this.doublePlayed;
  }

  /** The clicked word is in view, so the text does not move. */
  private playFrom(pos: number): void {
    const ms = this.words.timeAt(pos);
    if (ms === null) return;
    this.doublePlayed = true;
    this.typing.drop();
    this.follow.happened('jumped');
    this.player.play(ms, 'quiet');
  }

  /**
   * Moves playback to a clicked word, but not while playing or paused for typing: then a click only places the caret. A
   * tag with a time leads there in any case but while typing.
   */
  private pointedAt(view: EditorView, pos: number): void {
    const tagged = tagTime(view, pos);
    if (tagged !== null && !this.typing.holding) return this.player.seek(tagged);
    if (this.player.now().playing || this.typing.holding) return;
    const ms = this.words.timeAt(pos);
    if (ms !== null) this.player.seek(ms, 'quiet');
  }

  extension(): Extension {
    return Extension.create({
      name: 'listening',
      onTransaction: ({ transaction }) => {
        if (transaction.docChanged && cameFromText(transaction) === undefined) {
          // First, because a pause for typing ends the playing that it asks for.
          this.follow.happened('typed');
          this.typing.typed();
        }
        this.mend(transaction);
      },
      addProseMirrorPlugins: () => [this.plugin()],
    });
  }

  private plugin(): Plugin<DecorationSet> {
    /** Whether words were selected before the latest click. */
    let writing = false;
    return new Plugin<DecorationSet>({
      key,
      state: {
        init: () => DecorationSet.empty,
        apply: (tr, before) => {
          const stretch = tr.getMeta(key) as Stretch | 'none' | undefined;
          if (stretch === undefined) return before.map(tr.mapping, tr.doc);
          if (stretch === 'none') return DecorationSet.empty;
          return DecorationSet.create(tr.doc, [Decoration.inline(stretch.from, stretch.to, { class: highlightName })]);
        },
      },
      view: (view) => {
        this.view = view;
        this.words.show(view);
        const leave = this.follow.attach(scrollerOf(view.dom));
        const still = new AbortController();
        holdStill(scrollerOf(view.dom), still.signal);
        return {
          destroy: () => {
            leave();
            still.abort();
            this.view = null;
            this.words.show(null);
            if (typeof Highlight !== 'undefined') CSS.highlights.delete(highlightName);
          },
        };
      },
      props: {
        decorations: (state) => key.getState(state),
        handleClick: (view, pos) => {
          this.pointedAt(view, pos);
          return false;
        },
        handleDoubleClick: (_view, pos) => {
          if (this.choices.playOnDoubleClick && !writing && !this.typing.holding) this.playFrom(pos);
          return false;
        },
        handleDOMEvents: {
          mousedown: (_view, { detail }) => {
            if (detail !== 1) return false;
            writing = this.hasSelection();
            this.doublePlayed = false;
            return false;
          },
          // A selection extended by keys is to be written over.
          keydown: (_view, { key: pressed, shiftKey }) => {
            if (shiftKey && /^(Arrow|Home|End|Page)/.test(pressed)) this.doublePlayed = false;
            return false;
          },
        },
      },
    });
  }
}

/** Time that a tag such as [inaudible 00:01:02] names, to hear it again; null elsewhere. */
function tagTime(view: EditorView, pos: number): number | null {
  const place = view.state.doc.resolve(pos);
  return place.depth === 0 ? null : timeOfTagAt(place.parent.textContent, place.parentOffset);
}
