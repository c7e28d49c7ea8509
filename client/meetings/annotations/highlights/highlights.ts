import { newId } from '#shared/ids.ts';
import { placesOf, type Anchored, type Place } from '#shared/meetings/anchors.ts';
import {
  addHighlight,
  highlightColors,
  readHighlights,
  removeHighlights,
  type HighlightColor,
  type Highlighted,
} from '#shared/meetings/entries.ts';
import { Quotes } from '#shared/meetings/quotes.ts';

import { partsOf, type Part } from '../base/spans.ts';
import { Pause } from '../../base/pause.ts';
import { toFlat } from '../../text/flat.ts';
import type { OpenText } from '../../open/open-text.ts';
import { Painter, type Mark, type Shown } from '../../text/paint.ts';
import { idOf } from '../../text/schema.ts';
import { carry } from '../../text/carry.ts';
import type { Words } from '../../text/words.ts';

/** Delay in milliseconds before a new search; until then the colours move along with the text. */
const rest = 200;

const lookOf = (color: HighlightColor): string => `highlight-${color}`;

/** Coloured words, the same for everyone: drawn over the transcript, and searched in one pass when changes pause. */
export class Highlights {
  private readonly text: OpenText;
  private readonly words: Words;
  private readonly generation: number | null;
  private readonly painter: Painter;
  private readonly pause = new Pause(() => this.look(), rest, 2_000);
  private readonly quotes = new Quotes();
  private placed: { highlight: Highlighted; place: Place }[] = [];
  private parts = new Map<string | null, { text: string; parts: (Part & { look: string })[] }>();

  constructor(text: OpenText, words: Words, generation: number | null) {
    this.text = text;
    this.words = words;
    this.generation = generation;
    this.painter = new Painter(text.editor, highlightColors.map(lookOf), (shown) => this.marksOf(shown));
  }

  open(): () => void {
    const map = this.text.binding.doc.getMap('highlights');
    const changed = () => this.look();
    map.observeDeep(changed);
    const ends = [this.words.subscribe(this.pause.ask), this.painter.open()];
    this.look();
    return () => {
      map.unobserveDeep(changed);
      this.pause.drop();
      for (const end of ends) end();
    };
  }

  private look(): void {
    const { doc } = this.text.binding;
    const reading = this.words.reading();
    const all = readHighlights(doc);
    const places = placesOf(doc, reading, this.generation, all, this.quotes);
    // Drops highlights whose words are gone; imported ones with only a time colour the words at that time.
    this.placed = all.flatMap((highlight, i) => {
      const place = places[i];
      return place && (place.by !== 'time' || highlight.quote === '') ? [{ highlight, place }] : [];
    });
    this.parts = new Map();
    for (const { highlight, place } of this.placed)
      for (const part of partsOf(reading, place)) {
        const own = { ...part, look: lookOf(highlight.color) };
        const known = this.parts.get(part.segment);
        if (known) known.parts.push(own);
        else this.parts.set(part.segment, { text: part.text, parts: [own] });
      }
    this.painter.again();
  }

  private marksOf({ node }: Shown): readonly Mark[] {
    const known = this.parts.get(idOf(node));
    if (!known) return [];
    const place = carry(known.text, node.textContent);
    return known.parts
      .map(({ from, to, look }) => ({ from: place(from), to: place(to), kind: look }))
      .filter(({ from, to }) => from < to);
  }

  /** Ids of the highlights that the selection touches. */
  touched(): string[] {
    this.pause.drop();
    this.look();
    const { doc, selection } = this.text.editor.state;
    const [from, to] = [toFlat(doc, selection.from), toFlat(doc, selection.to)];
    return this.placed
      .filter(({ place }) => place.from < Math.max(to, from + 1) && place.to > from)
      .map(({ highlight }) => highlight.id);
  }

  /** Adds a highlight and removes those it touches. */
  add(words: Anchored, color: HighlightColor, origin: unknown): void {
    const { doc } = this.text.binding;
    const before = this.touched();
    doc.transact(() => {
      removeHighlights(doc, before, origin);
      addHighlight(doc, { ...words, id: newId(), color }, origin);
    }, origin);
  }

  remove(origin: unknown): void {
    removeHighlights(this.text.binding.doc, this.touched(), origin);
  }
}
