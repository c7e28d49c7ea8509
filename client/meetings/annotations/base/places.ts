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
import { partsOf } from './spans.ts';

/** What has a place in the text: a talk, or an outcome. */
export interface Placed {
  kind: AnnotationKind;
  item: Anchored & { id: string };
  /** How it is drawn, by a name of the style sheet. */
  look: string;
  /** Not said yet: marked, and not counted. */
  begun?: true;
}

export interface Chosen {
  kind: AnnotationKind;
  id: string;
}

/** A part of an item's stretch within one segment, as it was when places were sought. */
interface Span {
  from: number;
  to: number;
  look: string;
  key: string;
}

/** Seldom enough that nobody who types waits for it; until then marks go along with the text around them. */
const rest = 200;

export const keyOf = ({ kind, id }: Chosen): string => `${kind} ${id}`;

/** A lower line has a look of its own, which costs nothing as long as nothing has it. */
const onLane = (look: string, lane: number): string => (lane === 0 ? look : `${look}-${lane + 1}`);
const looks = [
  'comment',
  ...[1, 2, 3, 4, 5].flatMap((color) =>
    Array.from({ length: mostLanes }, (_, lane) => onLane(`outcome-${color}`, lane)),
  ),
  'item-chosen',
];

/** Where all that is said stands in the text now, drawn there: looked for in one walk when changes pause. */
export class AnnotationPlaces {
  private readonly text: OpenText;
  private readonly words: Words;
  private readonly generation: number | null;
  private readonly marks: SegmentMarks;
  private readonly painter: Painter;
  private readonly signal = new Signal();
  private readonly pause = new Pause(() => this.look(), rest, 2_000);
  private items: readonly Placed[] = [];
  private found: ReadonlyMap<string, Place> = new Map();
  private readonly quotes = new Quotes();
  private chosen: string | null = null;
  /** By the id of the segment. */
  private spans = new Map<string | null, { text: string; spans: Span[] }>();

  constructor(text: OpenText, words: Words, generation: number | null, marks: SegmentMarks) {
    this.text = text;
    this.words = words;
    this.generation = generation;
    this.marks = marks;
    this.painter = new Painter(text.editor, looks, (shown) => this.marksOf(shown));
  }

  open(): () => void {
    const ends = [this.words.subscribe(this.pause.heard), this.painter.open()];
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
    this.pause.drop();
    this.look();
  }

  choose(chosen: Chosen | null): void {
    const key = chosen && keyOf(chosen);
    if (key === this.chosen) return;
    this.chosen = key;
    this.painter.again();
  }

  /** The places as of now, for who wants to go to one. */
  settle(): ReadonlyMap<string, Place> {
    this.pause.drop();
    this.look();
    return this.found;
  }

  /** Keys of what stands at a flat position, the shortest first. */
  at(position: number): string[] {
    return [...this.found]
      .filter(([, { from, to, by }]) => by !== 'time' && from <= position && position <= to)
      .sort(([, one], [, other]) => one.to - one.from - (other.to - other.from))
      .map(([key]) => key);
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
    const counts = new Map<string, { comment: number; outcome: number }>();
    const lanes = this.lanes(places);
    for (const [i, { kind, item, look, begun }] of this.items.entries()) {
      const place = places[i];
      if (!place) continue;
      const key = keyOf({ kind, id: item.id });
      found.set(key, place);
      const first = this.cut(reading, place, onLane(look, lanes.get(i) ?? 0), key);
      // Where only the time tells the place, nothing of the text is marked.
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

  /** Of outcomes, by their place in the list: underlines at the same words do not cover each other. */
  private lanes(places: readonly (Place | null | undefined)[]): Map<number, number> {
    const lined = [...this.items.entries()].flatMap(([i, { kind }]) => {
      const place = kind === 'outcome' ? places[i] : null;
      return place && place.by !== 'time' ? [{ i, from: place.from, to: place.to }] : [];
    });
    const lanes = lanesOf(lined);
    return new Map(lined.map(({ i }, at) => [i, lanes[at] ?? 0]));
  }

  /** Into a part for each segment; answers the first of them. */
  private cut(reading: Reading, place: Place, look: string, key: string): string | null {
    const parts = partsOf(reading, place);
    for (const { segment, text, from, to } of parts) {
      const span = { from, to, look: place.by === 'time' ? '' : look, key };
      const known = this.spans.get(segment);
      if (known) known.spans.push(span);
      else this.spans.set(segment, { text, spans: [span] });
    }
    return parts[0]?.segment ?? null;
  }

  private marksOf({ node }: Shown): readonly Mark[] {
    const known = this.spans.get(idOf(node));
    if (!known) return [];
    const place = carry(known.text, node.textContent);
    return known.spans.flatMap(({ from, to, look, key }): Mark[] => {
      const stretch = { from: place(from), to: place(to) };
      if (stretch.from >= stretch.to) return [];
      const marks: Mark[] = look === '' ? [] : [{ ...stretch, kind: look }];
      return key === this.chosen ? [...marks, { ...stretch, kind: 'item-chosen' }] : marks;
    });
  }
}
