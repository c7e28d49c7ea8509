import * as Y from 'yjs';
import { firstGreater } from '../ascending.ts';
import { identitiesOf, type Identities } from './identities.ts';
import { boundaryOf, textOf } from './transcript.ts';
import { decodeTimings, flag, slotAt, slotFrom, type Slot, type Slots } from './timings.ts';

// Words of a transcript now, and when each was spoken. A seeded character keeps its id for ever, so its time; a deleted
// one stays in the list as a tombstone, so its replacement takes its time. One that an undo brought back is the same
// character (identities.ts). All results depend on the order of
// characters alone, never on how Yjs cuts them into items: all peers read the same.

export interface Word {
  /** Position in the segment's text. */
  at: number;
  text: string;
  /** Milliseconds. */
  from: number;
  to: number;
  /** Times computed from the words around it. */
  estimated: boolean;
  /** 0 to 1; only while the word is as the recogniser wrote it. */
  confidence: number | null;
  /** Flags of timings.ts: p, m, c, j. */
  flags: number;
  /** Id of its first character; only while the word is as the recogniser wrote it. */
  source: { seed: number; clock: number } | null;
}

/** Run of the list of one kind. Boundaries count one character. */
interface Piece {
  kind: 'seeded' | 'new' | 'dead' | 'boundary';
  /** Null for text without times: anything outside seeds. */
  seed: Seed | null;
  clock: number;
  length: number;
  text: string;
  id: string;
  speaker: string;
}

interface Seed {
  client: number;
  slots: Slots;
}

/** Living character of a seed. */
interface Place {
  seed: Seed;
  clock: number;
}

/** Milliseconds of speech for a character, if nothing else is known. */
const pace = 75;

/** Scripts that write no blanks between words. */
const blankless =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u3000-\u303F\uFF00-\uFFEF]/u;

// ---- Exports ------------------------------------------------------------------------------------

/** Unchanged segments are the same objects from one reading to the next; their words are computed on demand. */
export class SpokenSegment {
  /** Null for text before the first boundary. */
  readonly id: string | null;
  /** Speaker when it was made; a later change is in the map `segments`. */
  readonly speaker: string;
  readonly text: string;
  private readonly block: Block;
  private readonly index: number;
  private known: Span | null = null;

  constructor(block: Block, index: number, id: string | null, speaker: string, text: string) {
    this.block = block;
    this.index = index;
    this.id = id;
    this.speaker = speaker;
    this.text = text;
  }

  get words(): readonly Word[] {
    return this.block.words[this.index] ?? [];
  }

  get from(): number {
    return this.span.from;
  }

  get to(): number {
    return this.span.to;
  }

  private get span(): Span {
    // Untouched segments know their span without computing words.
    this.known ??= this.block.untouched?.span ?? null;
    if (!this.known) {
      const from = this.words[0]?.from ?? this.block.beginOf(this.index);
      this.known = { from, to: Math.max(from, this.words.at(-1)?.to ?? 0) };
    }
    return this.known;
  }
}

interface Span {
  from: number;
  to: number;
}

export interface Reading {
  segments: readonly SpokenSegment[];
  /** Flat position of each segment's first character. */
  starts: readonly number[];
  /** Flat length of the text. */
  length: number;
}

export interface WordPlace {
  segment: number;
  word: number;
}

/** Reads only what has changed since the last call. */
export function wordReader(doc: Y.Doc): () => Reading {
  const text = textOf(doc);
  let seeds = new Map<number, Seed>();
  let blocks: Block[] = [];
  let reading: Reading | null = null;
  return () => {
    const now = seedsOf(doc, seeds);
    const reusable = now === seeds ? blocks : [];
    seeds = now;
    const found = renew(cut(text, seeds, identitiesOf(doc), reusable), reusable);
    // Invisible change, such as a deletion of text without times.
    if (reading && found.length === blocks.length && found.every((block, i) => block === blocks[i])) return reading;
    blocks = found;
    reading = readingOf(blocks);
    return reading;
  };
}

export const readWords = (doc: Y.Doc): Reading => wordReader(doc)();

/** Tables are decoded once; returns the same map if none was added. */
function seedsOf(doc: Y.Doc, before: Map<number, Seed>): Map<number, Seed> {
  const seeds = new Map<number, Seed>();
  for (const [key, value] of doc.getMap('timings')) {
    const client = Number(key);
    if (String(client) !== key || !Number.isSafeInteger(client) || client < 0) continue;
    const slots = decoded(value);
    if (!slots) continue;
    const known = before.get(client);
    seeds.set(client, known?.slots === slots ? known : { client, slots });
  }
  const same = seeds.size === before.size && [...seeds].every(([client, seed]) => before.get(client) === seed);
  return same ? before : seeds;
}

const tables = new WeakMap<object, Slots | null>();
function decoded(value: unknown): Slots | null {
  if (typeof value !== 'object' || value === null) return null;
  const known = tables.get(value);
  if (known !== undefined) return known;
  const slots = decodeTimings(value);
  tables.set(value, slots);
  return slots;
}

function readingOf(blocks: readonly Block[]): Reading {
  const segments: SpokenSegment[] = [];
  const starts: number[] = [];
  let length = 0;
  for (const block of blocks)
    for (const segment of block.segments) {
      if (segment.id !== null) length += 1;
      segments.push(segment);
      starts.push(length);
      length += segment.text.length;
    }
  return { segments, starts, length };
}

/** Word at a flat position, or the one before it; null if that segment has none. */
export function wordAtIndex(reading: Reading, index: number): WordPlace | null {
  const segment = firstGreater(reading.starts, index) - 1;
  const words = reading.segments[segment]?.words ?? [];
  const offset = index - (reading.starts[segment] ?? 0);
  let word = words.length - 1;
  while (word > 0 && (words[word]?.at ?? 0) > offset) word -= 1;
  return word < 0 ? null : { segment, word };
}

interface TimeIndex {
  order: number[];
  from: number[];
  /** Latest end among this one and those before it. */
  reach: number[];
}
const timeIndexes = new WeakMap<Reading, TimeIndex>();

function timeIndexOf(reading: Reading): TimeIndex {
  const known = timeIndexes.get(reading);
  if (known) return known;
  const { segments } = reading;
  const begins = segments.map(({ from }) => from);
  const order = segments.map((_, i) => i);
  // Speakers interrupt each other: the next segment may begin before this one.
  if (begins.some((from, i) => from < (begins[i - 1] ?? 0)))
    order.sort((a, b) => (begins[a] ?? 0) - (begins[b] ?? 0) || a - b);
  let latest = 0;
  const index = {
    order,
    from: order.map((i) => begins[i] ?? 0),
    reach: order.map((i) => (latest = Math.max(latest, segments[i]?.to ?? 0))),
  };
  timeIndexes.set(reading, index);
  return index;
}

/** Word spoken at a time; in a pause, the last one before it. */
export function wordAtTime(reading: Reading, time: number): WordPlace | null {
  const { order, from, reach } = timeIndexOf(reading);
  let quiet: WordPlace | null = null;
  let begun = -1;
  for (let i = firstGreater(from, time) - 1; i >= 0; i -= 1) {
    const segment = order[i] ?? 0;
    const words = reading.segments[segment]?.words ?? [];
    let word = words.length - 1;
    while (word >= 0 && (words[word]?.from ?? 0) > time) word -= 1;
    const { from: begins = -1, to: ends = -1 } = words[word] ?? {};
    if (ends > time) return { segment, word };
    if (begins > begun) [quiet, begun] = [{ segment, word }, begins];
    if ((reach[i] ?? 0) <= begun) break;
  }
  return quiet;
}

// ---- The walk: items to blocks ------------------------------------------------------------------

interface Draft {
  pieces: Piece[];
  left: Place | null;
  right: Place | null;
  /** For one that begins with a new boundary: the last character of a seed before it, living or deleted. */
  spoken: Place | null;
}

/**
 * Cuts the list at boundaries into blocks that can be timed independently. A block is one segment, or several if new
 * text was split: then new text on both sides shares the times of the text it replaced.
 */
function cut(text: Y.Text, seeds: Map<number, Seed>, identities: Identities, old: readonly Block[]): (Draft | Block)[] {
  const drafts: (Draft | Block)[] = [];
  let cursor = 0;
  let pieces: Piece[] = [];
  let left: Place | null = null;
  let last: Place | null = null;
  /** As `left` and `last`, for deleted characters too. */
  let spokenLeft: Place | null = null;
  let lastSpoken: Place | null = null;
  let awaiting: Draft[] = [];
  /** Index in `pieces` of the first boundary with new text before it, and so far nothing but boundaries after it. */
  let open = -1;
  /** By seed of restored text: the clock up to which it had characters. */
  const passed = identities.any ? new Map<Seed, { living: number; dead: number }>() : null;

  const close = (upTo: number) => {
    if (upTo > 0) {
      const isNew = pieces[0]?.kind === 'boundary' && !pieces[0].seed;
      const draft: Draft = { pieces: pieces.slice(0, upTo), left, right: null, spoken: isNew ? spokenLeft : null };
      drafts.push(draft);
      awaiting.push(draft);
    }
    pieces = pieces.slice(upTo);
    left = last;
    spokenLeft = lastSpoken;
    open = -1;
  };
  /** Nothing new stands behind the boundaries that were open: each begins a block of its own. */
  const closeOpen = () => {
    if (open < 0) return;
    close(open);
    while (pieces.length > 1) close(1);
  };
  const seen = (place: Place, end: number) => {
    for (const draft of awaiting) draft.right = place;
    awaiting = [];
    last = { seed: place.seed, clock: end - 1 };
    lastSpoken = last;
  };
  const add = (kind: 'seeded' | 'new' | 'dead', seed: Seed | null, clock: number, length: number, str: string) => {
    const before = pieces.at(-1);
    if (before?.kind === kind && before.seed === seed && (seed === null || before.clock + before.length === clock)) {
      before.length += length;
      before.text += str;
    } else pieces.push({ kind, seed, clock, length, text: str, id: '', speaker: '' });
  };
  /** Moves a mark to the end of a run; returns the number of the run's characters before the marks. */
  const pass = (seed: Seed, clock: number, length: number, kind: 'living' | 'dead'): number => {
    if (!passed) return 0;
    const marks = passed.get(seed) ?? { living: 0, dead: 0 };
    passed.set(seed, marks);
    const mark = kind === 'living' ? marks.living : Math.max(marks.living, marks.dead);
    marks[kind] = Math.max(marks[kind], clock + length);
    return Math.min(length, Math.max(0, mark - clock));
  };
  /** Text restored by an undo is not deleted, and text deleted again counts once. */
  const addDead = (seed: Seed | null, clock: number, length: number) => {
    const counted = seed ? pass(seed, clock, length, 'dead') : length;
    if (!seed || counted === length) return;
    lastSpoken = { seed, clock: clock + length - 1 };
    open = -1;
    add('dead', seed, clock + counted, length - counted, '');
  };
  /** Text that two people brought back is there twice; the second is a copy, and new. */
  const addText = (seed: Seed | null, clock: number, str: string) => {
    const copies = seed ? pass(seed, clock, str.length, 'living') : 0;
    if (copies > 0) addText(null, clock, str.slice(0, copies));
    const [from, own] = [clock + copies, str.slice(copies)];
    if (own === '') return;
    if (seed) {
      closeOpen();
      seen({ seed, clock: from }, from + own.length);
    } else open = -1;
    add(seed ? 'seeded' : 'new', seed, from, own.length, own);
  };
  const addBoundary = (of: Seed | null, clock: number, value: unknown) => {
    const seed = of && pass(of, clock, 1, 'living') === 0 ? of : null;
    const before = pieces.at(-1)?.kind;
    const chained = !seed && (open >= 0 || before === 'new' || before === 'dead');
    if (!chained) {
      closeOpen();
      close(pieces.length);
    }
    if (seed) seen({ seed, clock }, clock + 1);
    const { s, p } = boundaryOf(value);
    pieces.push({ kind: 'boundary', seed, clock: seed ? clock : 0, length: 1, text: '', id: s, speaker: p });
    if (chained && open < 0) open = pieces.length - 1;
  };
  /** Adds what an item has of one seed, or of none. */
  const addRun = (item: Y.Item, offset: number, seed: Seed | null, clock: number, length: number) => {
    if (item.deleted) addDead(seed, clock, length);
    else if (item.content instanceof Y.ContentString)
      addText(seed, clock, item.content.str.slice(offset, offset + length));
    else if (item.countable)
      for (let nth = 0; nth < length; nth += 1) addBoundary(seed, clock + nth, item.content.getContent()[offset + nth]);
  };

  let item = text._start;
  while (item !== null) {
    const { client, clock } = item.id;
    const seed: Seed | null = seeds.get(client) ?? null;
    if (!seed && identities.has(client)) {
      let offset = 0;
      for (const run of identities.runs(client, clock, item.length)) {
        addRun(item, offset, seeds.get(run.client) ?? null, run.clock, run.length);
        offset += run.length;
      }
      item = item.right;
      continue;
    }
    const isBoundary =
      item.countable && !item.deleted && item.length === 1 && !(item.content instanceof Y.ContentString);
    if (seed && isBoundary) {
      // Nearly all of a long transcript is untouched: there nothing is built anew, not even for the comparison.
      closeOpen();
      close(pieces.length);
      const known = placeIn(old, cursor, seed, clock);
      if (known !== null) cursor = known + 1;
      const block = known === null ? undefined : old[known];
      const stretch = block?.untouched;
      if (block && stretch) {
        const textItem: Y.Item | null = item.right;
        const next: Y.Item | null = textItem?.right ?? null;
        const nextSeed = next ? seeds.get(next.id.client) : undefined;
        const right = next && nextSeed ? { seed: nextSeed, clock: next.id.clock } : null;
        const unchanged =
          textItem?.deleted === false &&
          textItem.id.client === seed.client &&
          textItem.id.clock === clock + 1 &&
          textItem.length === stretch.length &&
          textItem.content instanceof Y.ContentString &&
          (!next || (right !== null && !next.deleted && next.content instanceof Y.ContentEmbed)) &&
          isSamePlace(block.draft.left, left) &&
          isSamePlace(block.draft.right, right) &&
          (passed?.get(seed)?.living ?? 0) <= clock;
        if (unchanged) {
          drafts.push(block);
          pass(seed, clock, 1 + stretch.length, 'living');
          seen({ seed, clock }, clock + 1 + stretch.length);
          left = last;
          spokenLeft = lastSpoken;
          item = next;
          continue;
        }
      }
    }
    addRun(item, 0, seed, clock, item.length);
    item = item.right;
  }
  closeOpen();
  close(pieces.length);
  return drafts;
}

/**
 * Index of the old block that a seeded boundary begins; null if it is new. Nothing ever moves in the list, and the
 * characters of one seed are ordered by their clocks: so passed blocks are never looked at again.
 */
function placeIn(old: readonly Block[], from: number, seed: Seed, clock: number): number | null {
  for (let i = from; i < old.length; i += 1) {
    const first = old[i]?.draft.pieces[0];
    if (first?.kind !== 'boundary' || first.seed !== seed || first.clock < clock) continue;
    return first.clock === clock ? i : null;
  }
  return null;
}

/** Reuses old blocks that are unchanged. */
function renew(drafts: readonly (Draft | Block)[], old: readonly Block[]): Block[] {
  let byStart: Map<string, Block> | null = null;
  const key = ({ pieces: [first] }: Draft) => `${first?.id} ${first?.seed?.client} ${first?.clock} ${first?.length}`;
  return drafts.map((draft, i) => {
    if (draft instanceof Block) return draft;
    const start = key(draft);
    let candidate = old[i];
    // Same index first; an index of all blocks is built only if segments were added or removed before it.
    if (!candidate || key(candidate.draft) !== start) {
      byStart ??= new Map(old.map((block) => [key(block.draft), block]));
      candidate = byStart.get(start);
    }
    return candidate && isSame(candidate.draft, draft) ? candidate : new Block(draft);
  });
}

const isSamePlace = (a: Place | null, b: Place | null) => a?.seed === b?.seed && a?.clock === b?.clock;

function isSame(a: Draft, b: Draft): boolean {
  if (a.pieces.length !== b.pieces.length || !isSamePlace(a.spoken, b.spoken)) return false;
  if (!isSamePlace(a.left, b.left) || !isSamePlace(a.right, b.right)) return false;
  return a.pieces.every((piece, i) => {
    const other = b.pieces[i];
    return (
      piece.kind === other?.kind &&
      piece.seed === other.seed &&
      piece.length === other.length &&
      // The id of a seeded character tells its text; only new text has to be compared.
      (piece.seed ? piece.clock === other.clock : piece.text === other.text) &&
      piece.id === other.id &&
      piece.speaker === other.speaker
    );
  });
}

// ---- Times of one block -------------------------------------------------------------------------

/** Living characters of one slot or one gap, without a blank between them. */
interface Atom {
  segment: number;
  at: number;
  length: number;
  text: string;
  /** No blank before it. */
  tight: boolean;
  /** Slot it has a part of, from the slot's `first` character on; null for new text. */
  seed: Seed | null;
  slot: number;
  first: number;
  /** New text with exactly as many characters as it replaced, as after an undo. */
  mapped: boolean;
  gap: Gap | null;
}

/** Text between two living seeded characters: new text, and the deleted text it replaced. */
interface Gap {
  left: Place | null;
  right: Place | null;
  groups: { fresh: Piece[]; dead: Piece[] }[];
  free: { seed: Seed; slot: number }[];
}

interface Token {
  atoms: Atom[];
  gap: Gap | null;
  from: number;
  to: number;
  estimated: boolean;
  known: boolean;
}

interface Stretch {
  seed: Seed;
  /** Clock of its boundary; the text follows directly. */
  clock: number;
  length: number;
  /** Null if words reach beyond it, as after a split within a word. */
  span: Span | null;
}

function stretchOf({ pieces: [boundary, piece, more] }: Draft): Stretch | null {
  if (boundary?.kind !== 'boundary' || !boundary.seed || piece?.kind !== 'seeded' || more) return null;
  const { seed, clock, length } = piece;
  if (seed !== boundary.seed || clock !== boundary.clock + 1 || !seed) return null;
  const { slots } = seed;
  const [first, last] = [slotFrom(slots, clock), slotFrom(slots, clock + length - 1)];
  const whole = slots.at[first] === clock && last < slots.count && endOf(seed, last) === clock + length;
  const from = slots.from[first] ?? 0;
  return {
    seed,
    clock: boundary.clock,
    length,
    span: whole ? { from, to: Math.max(from, slots.to[last] ?? 0) } : null,
  };
}

class Block {
  readonly draft: Draft;
  readonly segments: readonly SpokenSegment[];
  /** Set for a segment that is as the recogniser wrote it. */
  readonly untouched: Stretch | null;
  private made: Word[][] | null = null;

  constructor(draft: Draft) {
    this.draft = draft;
    this.untouched = stretchOf(draft);
    this.segments = this.segmentsOf(draft.pieces);
  }

  private segmentsOf(pieces: readonly Piece[]): SpokenSegment[] {
    const segments: SpokenSegment[] = [];
    let head: Piece | null = null;
    let text = '';
    let index = 0;
    const end = () => {
      // Nothing before the first boundary is no segment.
      if (head || text !== '')
        segments.push(new SpokenSegment(this, index, head?.id ?? null, head?.speaker ?? '', text));
      text = '';
    };
    for (const piece of pieces) {
      if (piece.kind !== 'boundary') text += piece.text;
      else {
        if (head || text !== '') {
          end();
          index += 1;
        }
        head = piece;
      }
    }
    end();
    return segments;
  }

  get words(): readonly (readonly Word[])[] {
    this.made ??= timed(this.draft, this.segments);
    return this.made;
  }

  /** Begin of a segment without words: the end of the word before it, also where that has been replaced. */
  beginOf(index: number): number {
    const before = this.words.slice(0, index).findLast((words) => words.length > 0);
    if (before) return before.at(-1)?.to ?? 0;
    const { left, right, spoken, pieces } = this.draft;
    const [head] = pieces;
    const own = head?.kind === 'boundary' && head.seed ? { seed: head.seed, clock: head.clock } : null;
    return timeBefore(own, null) ?? timeBefore(spoken ?? left, right) ?? timeAfter(own) ?? timeAfter(right) ?? 0;
  }
}

const placeOf = (seed: Seed, slot: number, first: number): Place => ({
  seed,
  clock: (seed.slots.at[slot] ?? 0) + first,
});

/**
 * End of the word that has this character; if the next living character is of the same word, the time at which that one
 * begins.
 */
function timeBefore(place: Place | null, next: Place | null): number | null {
  if (!place) return null;
  const { seed, clock } = place;
  const slot = slotFrom(seed.slots, clock);
  if (!holds(seed, slot, place)) return seed.slots.to[slot - 1] ?? null;
  if (next && holds(seed, slot, next)) return timeIn(seed, slot, next.clock - (seed.slots.at[slot] ?? 0));
  return seed.slots.to[slot] ?? null;
}

function timeAfter(place: Place | null): number | null {
  return place ? (place.seed.slots.from[slotFrom(place.seed.slots, place.clock)] ?? null) : null;
}

const endOf = (seed: Seed, slot: number) => (seed.slots.at[slot] ?? 0) + (seed.slots.length[slot] ?? 0);
/** Whether no character is between a slot and the one before it. */
const touches = (seed: Seed, slot: number) => slot > 0 && endOf(seed, slot - 1) === seed.slots.at[slot];
const holds = (seed: Seed, slot: number, place: Place | null) =>
  place?.seed === seed && place.clock >= (seed.slots.at[slot] ?? 0) && place.clock < endOf(seed, slot);

function timed(draft: Draft, segments: readonly SpokenSegment[]): Word[][] {
  const tokens = tokensOf(atomsOf(draft));
  timeSlots(tokens, draft);
  const inGap = new Map<Gap, Token[]>();
  for (const token of tokens) {
    if (!token.gap) continue;
    const list = inGap.get(token.gap);
    if (list) list.push(token);
    else inGap.set(token.gap, [token]);
  }
  const leading = new Set(tokens.filter((token, i) => segmentOf(token) !== segmentOf(tokens[i - 1])));
  for (const [gap, list] of inGap) timeGap(gap, list, leading);
  shareHeads(tokens);
  interpolate(tokens, draft);
  const words: Word[][] = segments.map(() => []);
  for (const token of tokens) {
    const first = token.atoms[0];
    if (first) words[first.segment]?.push(wordOf(token, first, segments));
  }
  return words;
}

/** Gap of each piece, in list order; null for pieces that are neither new nor deleted. */
function gapsOf({ pieces, left, right }: Draft): (Gap | null)[] {
  let gap: Gap | null = null;
  let last = left;
  const all: (Gap | null)[] = pieces.map((piece) => {
    if (piece.kind === 'seeded' || (piece.kind === 'boundary' && piece.seed)) {
      if (gap && piece.seed) gap.right = { seed: piece.seed, clock: piece.clock };
      gap = null;
      if (piece.seed) last = { seed: piece.seed, clock: piece.clock + piece.length - 1 };
      return null;
    }
    gap ??= { left: last, right: null, groups: [{ fresh: [], dead: [] }], free: [] };
    let group = gap.groups.at(-1);
    if (!group || (piece.kind !== 'dead' && group.dead.length > 0)) gap.groups.push((group = { fresh: [], dead: [] }));
    group[piece.kind === 'dead' ? 'dead' : 'fresh'].push(piece);
    return gap;
  });
  const open = all.at(-1);
  if (open) open.right = right;
  return all;
}

const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { length }) => sum + length, 0);

interface Mapped {
  seed: Seed;
  slot: number;
  first: number;
}

/**
 * Maps new text to the text it replaced, if both have the same length and their blanks at the same places, above all
 * after an undo. Each character takes the exact place of its predecessor.
 */
function mapping(fresh: readonly Piece[], dead: readonly Piece[]): (Mapped | null)[] | null {
  const length = lengthOf(fresh);
  if (length === 0 || length !== lengthOf(dead)) return null;
  const chars = fresh.map(({ kind, text }) => (kind === 'boundary' ? '\n' : text)).join('');
  const mapped: (Mapped | null)[] = [];
  for (const { seed, clock, length: most } of dead) {
    if (!seed) return null;
    let slot = slotFrom(seed.slots, clock);
    for (let at = clock; at < clock + most; at += 1) {
      while (slot < seed.slots.count && endOf(seed, slot) <= at) slot += 1;
      const first = at - (seed.slots.at[slot] ?? Infinity);
      const blank = /\s/.test(chars[mapped.length] ?? '');
      if (blank !== first < 0) return null;
      mapped.push(first < 0 ? null : { seed, slot, first });
    }
  }
  return mapped;
}

function atomsOf(draft: Draft): Atom[] {
  const gaps = gapsOf(draft);
  const mappedTo = new Map<Piece, (Mapped | null)[]>();
  const subGaps = new Map<Piece, Gap>();
  for (const gap of new Set(gaps)) if (gap) mapGap(gap, mappedTo, subGaps);

  const atoms: Atom[] = [];
  let segment = 0;
  let at = 0;
  let tight = false;
  let begun = false;
  const push = (text: string, place: Mapped | null, mapped: boolean, gap: Gap | null) => {
    const before = atoms.at(-1);
    // Joined character by character, so that the result does not depend on how the text was cut into pieces.
    if (
      tight &&
      before?.seed === place?.seed &&
      before &&
      (place ? before.slot === place.slot && before.first + before.length === place.first : before.gap === gap) &&
      before.mapped === mapped
    ) {
      before.length += text.length;
      before.text += text;
    } else
      atoms.push({
        segment,
        at,
        length: text.length,
        text,
        tight,
        seed: place?.seed ?? null,
        slot: place?.slot ?? -1,
        first: place?.first ?? 0,
        mapped,
        gap,
      });
    at += text.length;
    tight = true;
  };
  /** Adds text without a slot: blanks are skipped, the rest becomes atoms. */
  const loose = (text: string, gap: Gap | null) => {
    for (const part of text.split(/(\s+)/)) {
      if (part === '') continue;
      if (/^\s/.test(part)) {
        at += part.length;
        tight = false;
      } else push(part, null, false, gap);
    }
  };
  for (const piece of draft.pieces) {
    if (piece.kind === 'dead') continue;
    if (piece.kind === 'boundary') {
      if (begun) segment += 1;
      begun = true;
      at = 0;
      tight = false;
      continue;
    }
    begun = true;
    const places = mappedTo.get(piece);
    if (places) {
      places.forEach((place, i) =>
        place ? push(piece.text[i] ?? '', place, true, null) : loose(piece.text[i] ?? '', null),
      );
      continue;
    }
    if (piece.kind === 'new' || !piece.seed) {
      loose(piece.text, subGaps.get(piece) ?? null);
      continue;
    }
    const { slots } = piece.seed;
    const end = piece.clock + piece.length;
    let clock = piece.clock;
    for (let slot = slotFrom(slots, clock); clock < end; slot += 1) {
      const begins = Math.min(end, Math.max(clock, slots.at[slot] ?? end));
      loose(piece.text.slice(clock - piece.clock, begins - piece.clock), null);
      const ends = Math.min(end, Math.max(begins, slot < slots.count ? endOf(piece.seed, slot) : end));
      if (ends > begins) {
        const first = begins - (slots.at[slot] ?? 0);
        push(
          piece.text.slice(begins - piece.clock, ends - piece.clock),
          { seed: piece.seed, slot, first },
          false,
          null,
        );
      }
      clock = ends;
    }
  }
  return atoms;
}

/** Maps what can be mapped in a gap, and cuts the rest into gaps of their own with the slots that are free there. */
function mapGap(gap: Gap, mappedTo: Map<Piece, (Mapped | null)[]>, subGaps: Map<Piece, Gap>): void {
  const take = (fresh: readonly Piece[], places: (Mapped | null)[]) => {
    let from = 0;
    for (const piece of fresh) mappedTo.set(piece, places.slice(from, (from += piece.length)));
  };
  const taken = new Map<Seed, Set<number>>();
  const note = (places: (Mapped | null)[]) => {
    for (const place of places)
      if (place) taken.set(place.seed, (taken.get(place.seed) ?? new Set<number>()).add(place.slot));
  };
  const whole = mapping(
    gap.groups.flatMap(({ fresh }) => fresh),
    gap.groups.flatMap(({ dead }) => dead),
  );
  if (whole) {
    take(
      gap.groups.flatMap(({ fresh }) => fresh),
      whole,
    );
    return;
  }
  const rest: Gap['groups'][] = [[]];
  for (const group of gap.groups) {
    const places = mapping(group.fresh, group.dead);
    if (places) {
      take(group.fresh, places);
      note(places);
      rest.push([]);
    } else rest.at(-1)?.push(group);
  }
  for (const groups of rest) {
    const sub: Gap = { left: gap.left, right: gap.right, groups, free: [] };
    for (const { fresh, dead } of groups) {
      for (const piece of fresh) subGaps.set(piece, sub);
      for (const { seed, clock, length } of dead) {
        if (!seed) continue;
        for (let slot = slotFrom(seed.slots, clock); (seed.slots.at[slot] ?? Infinity) < clock + length; slot += 1) {
          const known = sub.free.at(-1);
          if (known?.seed === seed && known.slot === slot) continue;
          // Slots with living characters belong to the word that has them.
          if (holds(seed, slot, gap.left) || holds(seed, slot, gap.right) || taken.get(seed)?.has(slot)) continue;
          sub.free.push({ seed, slot });
        }
      }
    }
  }
}

const isFree = (gap: Gap | null, seed: Seed, slot: number) =>
  gap?.free.some((one) => one.seed === seed && one.slot === slot) ?? false;

const withoutBlank = (a: Atom, b: Atom) =>
  blankless.test([...a.text].at(-1) ?? '') && blankless.test([...b.text][0] ?? '');

/** Whether an atom right after a word is part of it. */
function joins(token: Token, a: Atom, b: Atom): boolean {
  if (a.seed && b.seed) {
    if (a.seed === b.seed && a.slot === b.slot) return true;
    // The recogniser wrote two words, as a word and the comma after it.
    if (a.seed === b.seed && a.slot + 1 === b.slot && touches(b.seed, b.slot)) return false;
    return !withoutBlank(a, b);
  }
  if (a.seed) {
    if (a.first + a.length < (a.seed.slots.length[a.slot] ?? 0)) return true;
    if (touches(a.seed, a.slot + 1) && isFree(b.gap, a.seed, a.slot + 1)) return false;
    return !withoutBlank(a, b);
  }
  if (b.seed) {
    const { seed, slot } = b;
    if (b.first > 0) return true;
    if (touches(seed, slot)) {
      if (isFree(a.gap, seed, slot - 1)) return false;
      if (token.atoms.some((atom) => atom.seed === seed && atom.slot === slot - 1)) return false;
    }
    return !withoutBlank(a, b);
  }
  return true;
}

function tokensOf(atoms: readonly Atom[]): Token[] {
  const tokens: Token[] = [];
  let before: Atom | null = null;
  for (const atom of atoms) {
    const token = tokens.at(-1);
    if (token && before && atom.tight && joins(token, before, atom)) token.atoms.push(atom);
    else tokens.push({ atoms: [atom], gap: null, from: 0, to: 0, estimated: false, known: false });
    before = atom;
  }
  for (const token of tokens) if (token.atoms.every(({ seed }) => !seed)) token.gap = token.atoms[0]?.gap ?? null;
  return tokens;
}

/** Times of words with seeded characters: their whole slot, or their share if other words have some of it too. */
function timeSlots(tokens: readonly Token[], { left, right, spoken }: Draft): void {
  const slotted = tokens.filter((token) => token.atoms.some(({ seed }) => seed));
  const edges = slotted.map(({ atoms }) => ({
    first: atoms.find(({ seed }) => seed),
    last: atoms.findLast(({ seed }) => seed),
  }));
  slotted.forEach((token, i) => {
    const { first, last } = edges[i] ?? {};
    if (!first?.seed || !last?.seed) return;
    const before = edges[i - 1]?.last;
    const after = edges[i + 1]?.first;
    const sharedBefore = before
      ? before.seed === first.seed && before.slot === first.slot
      : // Deleted letters before a new boundary: an undo may have brought them back, in the block before.
        holds(first.seed, first.slot, left) || holds(first.seed, first.slot, spoken);
    let end = last.seed.slots.length[last.slot] ?? 0;
    let sharedAfter = false;
    if (after) {
      if (after.seed === last.seed && after.slot === last.slot) [end, sharedAfter] = [after.first, true];
    } else if (right && holds(last.seed, last.slot, right))
      [end, sharedAfter] = [right.clock - (last.seed.slots.at[last.slot] ?? 0), true];
    token.from = timeIn(first.seed, first.slot, sharedBefore ? first.first : 0);
    token.to = Math.max(token.from, timeIn(last.seed, last.slot, end));
    token.estimated =
      sharedBefore ||
      sharedAfter ||
      token.atoms.some(({ seed, slot }) => seed && (seed.slots.flags[slot] ?? 0) & flag.estimated);
    token.known = true;
  });
}

function timeIn({ slots }: Seed, slot: number, first: number): number {
  const from = slots.from[slot] ?? 0;
  const share = first / (slots.length[slot] || 1);
  return from + Math.round(((slots.to[slot] ?? from) - from) * share);
}

interface Unit {
  from: number;
  to: number;
  length: number;
  estimated: boolean;
}

const segmentOf = (token: Token | undefined) => token?.atoms[0]?.segment;
const tokenLength = ({ atoms }: Token) => atoms.reduce((sum, { length }) => sum + length, 0);

/** New words take the slots of the words they replace: one each if the numbers agree, else by their length. */
function timeGap({ free }: Gap, tokens: readonly Token[], leading: ReadonlySet<Token>): void {
  const units: Unit[] = [];
  free.forEach(({ seed, slot }, i) => {
    const before = free[i - 1];
    const slotOf = slotAt(seed.slots, slot);
    const unit = units.at(-1);
    if (!slotOf) return;
    const { from, to, length, flags } = slotOf;
    if (unit && before?.seed === seed && before.slot === slot - 1 && touches(seed, slot)) {
      unit.to = Math.max(unit.to, to);
      unit.length += length;
    } else units.push({ from, to, length, estimated: (flags & flag.estimated) !== 0 });
  });
  if (units.length === 0) return;
  const set = (token: Token, from: number, to: number, estimated: boolean) =>
    Object.assign(token, { from, to: Math.max(from, to), estimated, known: true });

  let [begin, end, tail] = [0, units.length, tokens.length];
  const fits = (token: Token | undefined, unit: Unit | undefined) => {
    if (!token || !unit || tokenLength(token) !== unit.length) return false;
    return set(token, unit.from, unit.to, unit.estimated) !== null;
  };
  while (begin < Math.min(end, tail) && fits(tokens[begin], units[begin])) begin += 1;
  // A word that begins a segment shares the time of the one it replaced, rather than have none and move the beginning.
  const leads = (): boolean => {
    const token = tokens[begin];
    return token !== undefined && leading.has(token) && end - begin === 1 && tail - begin > 1;
  };
  while (begin < Math.min(end, tail) && !leads() && fits(tokens[tail - 1], units[end - 1]))
    [end, tail] = [end - 1, tail - 1];

  const [fresh, freed] = [tokens.slice(begin, tail), units.slice(begin, end)];
  const [first, last] = [freed[0], freed.at(-1)];
  if (!first || !last) return;
  if (fresh.length === freed.length) {
    fresh.forEach((token, i) => set(token, freed[i]?.from ?? 0, freed[i]?.to ?? 0, freed[i]?.estimated ?? true));
    return;
  }
  const characters = fresh.reduce((sum, token) => sum + tokenLength(token), 0);
  const all = freed.reduce((sum, { length }) => sum + length, 0);
  let passed = 0;
  for (const token of fresh) {
    const from = along(freed, (passed / characters) * all, true);
    passed += tokenLength(token);
    set(token, from, along(freed, (passed / characters) * all, false), fresh.length > 1 || first.estimated);
  }
}

/** Time of a character offset into the units; at a border, a word begins with the next unit and ends with this one. */
function along(units: readonly Unit[], characters: number, begins: boolean): number {
  let rest = characters;
  for (const { from, to, length } of units) {
    // Tolerance for rounding errors of the division.
    if (begins ? rest < length - 1e-9 : rest <= length + 1e-9)
      return Math.round(from + ((to - from) * Math.max(0, Math.min(rest, length))) / length);
    rest -= length;
  }
  return units.at(-1)?.to ?? 0;
}

/** New words before the rest of a word whose beginning they replaced: they share its time with it. */
function shareHeads(tokens: readonly Token[]): void {
  for (const [i, { gap, known }] of tokens.entries()) {
    if (known || !gap?.right || gap.free.length > 0 || (i > 0 && tokens[i - 1]?.gap === gap)) continue;
    const { left, right } = gap;
    const slot = slotFrom(right.seed.slots, right.clock);
    if (!holds(right.seed, slot, right) || right.clock === right.seed.slots.at[slot]) continue;
    if (holds(right.seed, slot, left)) continue;
    let end = i;
    while (tokens[end]?.gap === gap) end += 1;
    const rest = tokens[end];
    if (!rest?.known) continue;
    const { from } = rest;
    const spoken = Math.max(0, Math.min(rest.to, right.seed.slots.to[slot] ?? 0) - from);
    const run = tokens.slice(i, end);
    const all = run.reduce((sum, token) => sum + tokenLength(token), tokenLength(rest));
    let passed = 0;
    const next = () => from + Math.round((spoken * passed) / all);
    for (const token of run) {
      token.from = next();
      passed += tokenLength(token);
      Object.assign(token, { to: next(), estimated: true, known: true });
    }
    Object.assign(rest, { from: next(), estimated: true });
  }
}

/**
 * Words without known times lie between their neighbours, no slower than usual speech: those that begin a segment just
 * before its next word, so that they do not move its beginning to the end of the segment before.
 */
function interpolate(tokens: readonly Token[], draft: Draft): void {
  for (let i = 0; i < tokens.length; i += 1) {
    if (tokens[i]?.known) continue;
    let end = i;
    while (end < tokens.length && !tokens[end]?.known) end += 1;
    const run = tokens.slice(i, end);
    const characters = run.reduce((sum, token) => sum + tokenLength(token), 0);
    const next = tokens[end]?.atoms.find(({ seed }) => seed);
    const place = next?.seed ? placeOf(next.seed, next.slot, next.first) : draft.right;
    const left = tokens[i - 1]?.to ?? timeBefore(draft.left, place);
    const right = tokens[end]?.from ?? timeAfter(draft.right);
    const spoken = characters * pace;
    const begins =
      segmentOf(tokens[i]) !== segmentOf(tokens[i - 1]) &&
      segmentOf(tokens[i]) === segmentOf(tokens[end]) &&
      tokens[i]?.gap?.groups.every(({ dead }) => dead.length === 0);
    const before = Math.max(0, (right ?? spoken) - spoken);
    const from = begins ? Math.max(left ?? 0, before) : (left ?? before);
    const room = Math.min(spoken, Math.max(0, (right ?? from + spoken) - from));
    let passed = 0;
    for (const token of run) {
      token.from = from + Math.round((room * passed) / characters);
      passed += tokenLength(token);
      token.to = from + Math.round((room * passed) / characters);
      token.estimated = true;
    }
    i = end - 1;
  }
}

function wordOf({ atoms, from, to, estimated }: Token, first: Atom, segments: readonly SpokenSegment[]): Word {
  const { seed } = first;
  const slot: Slot | undefined = seed ? slotAt(seed.slots, first.slot) : undefined;
  const whole = slot !== undefined && atoms.length === 1 && first.length === slot.length && !first.mapped;
  const length = atoms.reduce((sum, atom) => sum + atom.length, 0);
  const marks = (slot?.flags ?? 0) & (flag.m | flag.c | flag.j);
  // Keeps the flag as written down, unless blanks came or went before the word.
  const asBefore = whole && seed && (first.at === 0 || first.tight === touches(seed, first.slot));
  const p = asBefore ? slot.flags & flag.p : first.tight ? flag.p : 0;
  return {
    at: first.at,
    text: segments[first.segment]?.text.slice(first.at, first.at + length) ?? '',
    from,
    to,
    estimated,
    confidence: whole ? slot.confidence : null,
    flags: marks | p,
    source: whole && seed ? { seed: seed.client, clock: slot.at } : null,
  };
}
