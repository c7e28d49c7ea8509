import { placesOf, type Anchored, type Place } from '#shared/meetings/anchors.ts';
import type { AnnotationKind } from '#shared/meetings/annotations.ts';
import { Quotes } from '#shared/meetings/quotes.ts';
import type { Reading } from '#shared/meetings/words.ts';
import { Signal } from '#shared/signal.ts';

import { Pause } from '../../base/pause.ts';
import type { SegmentMarks } from '../../text/marks.ts';
import type { OpenText } from '../../open/open-text.ts';
import { Painter, type Mark, type Shown } from '../../text/paint.ts';
import { idOf } from '../../text/schema.ts';
import { carry } from '../../text/carry.ts';
import type { Words } from '../../text/words.ts';
import { lanesOf, mostLanes } from './lanes.ts';
import { partsOf, type Part } from './spans.ts';

/** Annotation with a passage in the transcript: a comment thread or an outcome. */
export interface Placed {
  kind: AnnotationKind;
  item: Anchored & { id: string };
  /** Name of the CSS highlight. */
  look: string;
  /** Comment that is being begun: drawn, but not counted. */
  begun?: true;
}

export interface Chosen {
  kind: AnnotationKind;
  id: string;
}

/** Part of a passage within one segment, at the time of the last search. */
interface Span {
  from: number;
  to: number;
  look: string;
  key: string;
}

/** Annotation that begins in a segment, and the offset in its text. */
interface Beginning {
  key: string;
  at: number;
}

/** Delay in milliseconds, long enough not to slow typing; until then the highlights move along with the text. */
const settleDelay = 200;

export const keyOf = ({ kind, id }: Chosen): string => `${kind} ${id}`;

/** Highlight of a lower lane; unused ones cost nothing. */
const onLane = (look: string, lane: number): string => (lane === 0 ? look : `${look}-${lane + 1}`);
const looks = [
  'comment',
  ...[1, 2, 3, 4, 5].flatMap((color) =>
    Array.from({ length: mostLanes }, (_, lane) => onLane(`outcome-${color}`, lane)),
  ),
  'item-chosen',
];

/**
 * Current places of all annotations in the transcript, and their highlights. Searched in one pass when changes pause.
 */
export class AnnotationPlaces {
  private readonly text: OpenText;
  private readonly words: Words;
  private readonly generation: number | null;
  private readonly marks: SegmentMarks;
  private readonly painter: Painter;
  private readonly signal = new Signal();
  private readonly pause = new Pause(() => this.look(), settleDelay, 2_000);
  private items: readonly Placed[] = [];
  private found: ReadonlyMap<string, Place> = new Map();
  private readonly quotes = new Quotes();
  private chosen: string | null = null;
  /** Highlight of each annotation, by its key. */
  private readonly lookOf = new Map<string, string>();
  /** Spans by the id of their segment. */
  private spans = new Map<string | null, { text: string; spans: Span[] }>();
  /** Range that a person is moving, drawn in place of the annotation's own; its annotation as that began. */
  private moving: { key: string; item: Placed['item'] | undefined; parts: ReadonlyMap<string | null, Part> } | null =
    null;
  /** Start positions of annotations, by the id of their segment. */
  private begins = new Map<string | null, { text: string; begins: Beginning[] }>();

  constructor(text: OpenText, words: Words, generation: number | null, marks: SegmentMarks) {
    this.text = text;
    this.words = words;
    this.generation = generation;
    this.marks = marks;
    this.painter = new Painter(text.editor, looks, (shown) => this.marksOf(shown));
  }

  open(): () => void {
    const ends = [this.words.subscribe(this.pause.ask), this.painter.open()];
    return () => {
      this.pause.drop();
      for (const end of ends) end();
      this.marks.show(new Map());
    };
  }

  readonly subscribe = this.signal.subscribe;

  readonly now = (): ReadonlyMap<string, Place> => this.found;

  show(items: readonly Placed[]): void {
    this.items = items;
    // A changed annotation ends the preview of its change in the same frame, so that nothing flickers.
    if (this.moving && this.annotationOf(this.moving.key) !== this.moving.item) this.moving = null;
    this.pause.drop();
    this.look();
  }

  choose(chosen: Chosen | null): void {
    const key = chosen && keyOf(chosen);
    if (key === this.chosen) return;
    this.chosen = key;
    this.painter.again();
  }

  /** Draws another range for an annotation, until it changes or null is given. */
  preview(chosen: Chosen, range: Pick<Place, 'from' | 'to'> | null): void {
    const key = keyOf(chosen);
    const parts = range && partsOf(this.words.reading(), range);
    this.moving = parts && {
      key,
      item: this.annotationOf(key),
      parts: new Map(parts.map((part) => [part.segment, part])),
    };
    this.painter.again();
  }

  private annotationOf(key: string): Placed['item'] | undefined {
    return this.items.find(({ kind, item }) => keyOf({ kind, id: item.id }) === key)?.item;
  }

  /** Searches at once and returns the current places. */
  settle(): ReadonlyMap<string, Place> {
    this.pause.drop();
    this.look();
    return this.found;
  }

  /** Keys of the annotations at a flat position, the shortest first. */
  at(position: number): string[] {
    return [...this.found]
      .filter(([, { from, to, by }]) => by !== 'time' && from <= position && position <= to)
      .sort(([, one], [, other]) => one.to - one.from - (other.to - other.from))
      .map(([key]) => key);
  }

  /** Annotations that begin in a segment, at their offsets in its text as it is now. */
  beginnings({ node }: Shown): Beginning[] {
    const known = this.begins.get(idOf(node));
    if (!known) return [];
    const place = carry(known.text, node.textContent);
    return known.begins.map(({ key, at }) => ({ key, at: place(at) }));
  }

  private look(): void {
    const reading = this.words.reading();
    const { doc } = this.text.binding;
    const places = placesOf(
      doc,
      reading,
      this.generation,
      this.items.map(({ item }) => item),
      this.quotes,
    );
    const found = new Map<string, Place>();
    this.spans = new Map();
    this.begins = new Map();
    this.lookOf.clear();
    const counts = new Map<string, { comment: number; outcome: number }>();
    const lanes = this.lanes(places);
    for (const [i, { kind, item, look, begun }] of this.items.entries()) {
      const place = places[i];
      if (!place) continue;
      const key = keyOf({ kind, id: item.id });
      found.set(key, place);
      const drawnAs = onLane(look, lanes.get(i) ?? 0);
      this.lookOf.set(key, drawnAs);
      const first = this.cut(reading, place, drawnAs, key, begun === true);
      // Places known only by their time are not drawn in the transcript.
      if (first === null || place.by === 'time' || begun) continue;
      const count = counts.get(first) ?? { comment: 0, outcome: 0 };
      count[kind] += 1;
      counts.set(first, count);
    }
    this.found = found;
    this.marks.show(counts);
    this.painter.again();
    this.signal.emit();
  }

  /** Lane of each outcome by its index, so that underlines of the same words do not overlap. */
  private lanes(places: readonly (Place | null | undefined)[]): Map<number, number> {
    const underlined = [...this.items.entries()].flatMap(([i, { kind }]) => {
      const place = kind === 'outcome' ? places[i] : null;
      return place && place.by !== 'time' ? [{ i, from: place.from, to: place.to }] : [];
    });
    const lanes = lanesOf(underlined);
    return new Map(underlined.map(({ i }, at) => [i, lanes[at] ?? 0]));
  }

  /** Splits a place at the segments and returns the first of them. */
  private cut(reading: Reading, place: Place, look: string, key: string, begun: boolean): string | null {
    const parts = partsOf(reading, place);
    for (const { segment, text, from, to } of parts) {
      const span = { from, to, look: place.by === 'time' ? '' : look, key };
      const known = this.spans.get(segment);
      if (known) known.spans.push(span);
      else this.spans.set(segment, { text, spans: [span] });
    }
    const [first] = parts;
    if (first && !begun) {
      const known = this.begins.get(first.segment);
      if (known) known.begins.push({ key, at: first.from });
      else this.begins.set(first.segment, { text: first.text, begins: [{ key, at: first.from }] });
    }
    return first?.segment ?? null;
  }

  private marksOf({ node }: Shown): readonly Mark[] {
    const { moving } = this;
    const known = this.spans.get(idOf(node));
    const marks = known ? this.marksIn(node, known.text, known.spans, moving?.key ?? null) : [];
    const part = moving?.parts.get(idOf(node));
    if (!moving || !part) return marks;
    const span = { from: part.from, to: part.to, look: this.lookOf.get(moving.key) ?? '', key: moving.key };
    return [...marks, ...this.marksIn(node, part.text, [span], null)];
  }

  private marksIn(node: Shown['node'], text: string, spans: readonly Span[], without: string | null): Mark[] {
    const place = carry(text, node.textContent);
    return spans.flatMap(({ from, to, look, key }): Mark[] => {
      if (key === without) return [];
      const stretch = { from: place(from), to: place(to) };
      if (stretch.from >= stretch.to) return [];
      const marks: Mark[] = look === '' ? [] : [{ ...stretch, kind: look }];
      return key === this.chosen ? [...marks, { ...stretch, kind: 'item-chosen' }] : marks;
    });
  }
}
