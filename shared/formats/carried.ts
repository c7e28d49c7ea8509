import type { SeedSegment, WireWord } from '../meetings/seed.ts';
import { speakerColors } from '../meetings/palette.ts';
import type { Speaker } from '../meetings/speakers.ts';
import { flag } from '../meetings/timings.ts';
import { most } from './source.ts';
import { wordsOf, type Imported } from './spread.ts';
import { collapse, speakerKey, speakerName } from './turns.ts';
import { NotXml, readXml } from './xml.ts';

// Hidden data of our own docx is used only where the text is still the same: unchanged segments are restored exactly,
// unchanged words keep their times, and new words get times between their neighbours.

interface CarriedSegment {
  id: string;
  speaker: string;
  text: string;
  words: WireWord[];
}

interface Carried {
  speakers: Speaker[];
  tags: string[];
  segments: CarriedSegment[];
}

const ids = /^[\w-]{1,40}$/;
const latest = 2 ** 31 - 1;

/** Null for foreign data, or data damaged by another program. */
export function readCarried(xml: string): Carried | null {
  const carried: Carried = { speakers: [], tags: [], segments: [] };
  let content = '';
  let words = 0;
  try {
    readXml(xml, {
      open(name, attribute) {
        content = '';
        if (name === 'speaker')
          carried.speakers.push({
            id: attribute('id') ?? '',
            name: attribute('name') ?? '',
            color: whole(attribute('color')) % speakerColors,
            sortId: whole(attribute('sort')),
          });
        else if (name === 'segment')
          carried.segments.push({
            id: attribute('id') ?? '',
            speaker: attribute('speaker') ?? '',
            text: '',
            words: [],
          });
      },
      close(name) {
        const segment = carried.segments.at(-1);
        if (name === 'tag') carried.tags.push(content);
        else if (name === 'text' && segment) segment.text = content;
        else if (name === 'words' && segment) {
          segment.words = wordsIn(content, segment.text);
          words += segment.words.length;
          if (words > most.words || carried.segments.length > most.lines || carried.speakers.length > most.speakers)
            throw new NotXml('too much');
        }
      },
      text: (text) => void (content += text),
    });
  } catch (error) {
    if (error instanceof NotXml) return null;
    throw error;
  }
  return carried;
}

const whole = (text: string | undefined): number => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : 0);

function wordsIn(list: string, text: string): WireWord[] {
  const words: WireWord[] = [];
  let end = 0;
  for (const one of list === '' ? [] : list.split(' ')) {
    const match = /^(\d{1,9}),(\d{1,9}),(\d{1,10}),(\d{1,10}),(\d{1,2}),(\d{0,3})$/.exec(one);
    if (!match) throw new NotXml('no word');
    const [, at = 0, length = 0, from = 0, lasts = 0, flags = 0] = match.map(Number);
    if (at < end || length === 0 || at + length > text.length || from + lasts > latest) throw new NotXml('no word');
    end = at + length;
    const confidence = match[6] === '' ? null : Math.min(100, Number(match[6])) / 100;
    words.push({
      w: text.slice(at, end),
      f: from / 1000,
      t: (from + lasts) / 1000,
      ...(flags & flag.p && { p: true }),
      ...(flags & flag.m && { m: true }),
      ...(flags & flag.c && { c: true }),
      ...(flags & flag.j && { j: true }),
      ...(flags & flag.estimated && { estimated: true }),
      ...(confidence !== null && { confidence }),
    });
  }
  return words;
}

export function restore(imported: Imported, carried: Carried): Imported {
  const { seed } = imported;
  const shown = new Map(seed.speakers.map(({ id, name }) => [id, speakerKey(speakerName(name))]));
  const old = new Map(carried.speakers.map((speaker) => [speaker.id, speaker]));
  const pairs = pairsOf(
    seed.segments.map(({ text = '' }) => collapse(text)),
    carried.segments.map(({ text }) => collapse(text)),
  );
  // Speakers of unchanged segments are restored, unless their name has changed.
  const same = new Map<string, Speaker>();
  const taken = new Set<string>();
  for (const [segment, before] of pairs) {
    const now = seed.segments[segment]?.speaker ?? '';
    const was = old.get(carried.segments[before]?.speaker ?? '');
    if (!was || same.has(now) || taken.has(was.id) || !ids.test(was.id)) continue;
    if (shown.get(now) !== speakerKey(speakerName(was.name))) continue;
    same.set(now, was);
    taken.add(was.id);
  }
  const speakerId = (id: string) => same.get(id)?.id ?? id;
  const used = new Set<string>();
  const segments = seed.segments.map((segment, i): SeedSegment => {
    const before = carried.segments[pairs.get(i) ?? -1];
    const speaker = speakerId(segment.speaker);
    if (!before) return { ...segment, speaker };
    const id = ids.test(before.id) && !used.has(before.id) ? before.id : segment.id;
    used.add(id);
    return { id, speaker, text: before.text, words: before.words };
  });
  retime(segments, pairs, carried.segments);
  const until = segments.reduce((last, { words }) => Math.max(last, ...words.slice(-1).map(({ t }) => t * 1000)), 0);
  return {
    ...imported,
    until,
    seed: {
      ...seed,
      ...(carried.tags.length > 0 && { tags: carried.tags }),
      speakers: seed.speakers.map((speaker) => same.get(speaker.id) ?? speaker),
      segments,
    },
  };
}

/** Unchanged words in changed segments keep their times; those between are spread anew. */
function retime(segments: SeedSegment[], pairs: ReadonlyMap<number, number>, carried: readonly CarriedSegment[]): void {
  let at = 0;
  let before = 0;
  while (at < segments.length) {
    if (pairs.has(at)) {
      before = (pairs.get(at) ?? 0) + 1;
      at += 1;
      continue;
    }
    let end = at;
    while (end < segments.length && !pairs.has(end)) end += 1;
    const until = pairs.get(end) ?? carried.length;
    const old = carried.slice(before, until).flatMap(timedWords);
    const now = segments.slice(at, end).flatMap(({ words }) => words);
    const found = pairsOf(
      now.map(({ w }) => w),
      old.map(({ w }) => w),
    );
    now.forEach((word, i) => {
      const was = old[found.get(i) ?? -1];
      if (!was) return;
      word.f = was.f;
      word.t = was.t;
      if (was.estimated) word.estimated = true;
      else delete word.estimated;
      if (was.confidence !== undefined) word.confidence = was.confidence;
    });
    between(now, found);
    at = end;
  }
}

/** New words between two known ones share the time between them, by their letters. */
function between(words: WireWord[], known: ReadonlyMap<number, number>): void {
  for (let i = 0; i < words.length; i += 1) {
    if (known.has(i)) continue;
    let end = i;
    while (end < words.length && !known.has(end)) end += 1;
    const run = words.slice(i, end);
    // At the edges, the imported times of the words apply.
    const from = words[i - 1]?.t ?? Math.min(run[0]?.f ?? 0, words[end]?.f ?? Infinity);
    const to = Math.max(from, words[end]?.f ?? run.at(-1)?.t ?? from);
    const letters = run.reduce((sum, { w }) => sum + w.length, 0);
    let passed = 0;
    for (const word of run) {
      word.f = Math.round((from + ((to - from) * passed) / letters) * 1000) / 1000;
      passed += word.w.length;
      word.t = Math.round((from + ((to - from) * passed) / letters) * 1000) / 1000;
    }
    i = end - 1;
  }
}

/** Words split as in an import, each with the times of all its parts. */
function timedWords({ text, words }: CarriedSegment): WireWord[] {
  const timed: WireWord[] = [];
  let position = 0;
  // Looked up once each, not for every word of the text.
  const placed = words.map((word) => {
    const place = text.indexOf(word.w, position);
    position = Math.max(position, place + word.w.length);
    return { word, place };
  });
  let next = 0;
  for (const { at, w } of wordsOf(text)) {
    const parts: WireWord[] = [];
    for (; next < placed.length; next += 1) {
      const one = placed[next];
      if (!one || one.place >= at + w.length) break;
      parts.push(one.word);
    }
    const [first, last] = [parts[0], parts.at(-1)];
    if (!first || !last) continue;
    const { confidence } = first;
    timed.push({
      w,
      f: first.f,
      t: Math.max(first.f, last.t),
      ...(parts.some(({ estimated }) => estimated) && { estimated: true }),
      ...(parts.length === 1 && confidence !== undefined && { confidence }),
    });
  }
  return timed;
}

/** Limit of the comparison; longer passages count as new. */
const mostCompared = 40_000;
/** Most comparisons of each element: hostile lists could differ in the smallest of steps. */
const mostLooks = 12;

/**
 * Pairs of equal elements of two lists, in order: first the common beginning and end, then elements that occur once in
 * each list, then the longest common subsequence between those.
 */
function pairsOf(one: readonly string[], other: readonly string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  let looks = mostLooks * (one.length + other.length);
  const open: [number, number, number, number][] = [[0, one.length, 0, other.length]];
  for (let next = open.pop(); next; next = open.pop()) {
    let [a, aEnd, b, bEnd] = next;
    while (a < aEnd && b < bEnd && one[a] === other[b]) pairs.set(a++, b++);
    while (a < aEnd && b < bEnd && one[aEnd - 1] === other[bEnd - 1]) pairs.set(--aEnd, --bEnd);
    if (a === aEnd || b === bEnd) continue;
    looks -= aEnd - a + (bEnd - b);
    if (looks < 0) break;
    const anchors = onlyOnes(one, a, aEnd, other, b, bEnd);
    if (anchors.length === 0) {
      if ((aEnd - a) * (bEnd - b) <= mostCompared) longestRow(one, a, aEnd, other, b, bEnd, pairs);
      continue;
    }
    for (const [i, j] of anchors) {
      open.push([a, i, b, j]);
      pairs.set(i, j);
      [a, b] = [i + 1, j + 1];
    }
    open.push([a, aEnd, b, bEnd]);
  }
  return new Map([...pairs].sort(([x], [y]) => x - y));
}

/** Elements that occur once in each list, as many as are in the same order. */
function onlyOnes(
  one: readonly string[],
  a: number,
  aEnd: number,
  other: readonly string[],
  b: number,
  bEnd: number,
): [number, number][] {
  const places = (list: readonly string[], from: number, to: number) => {
    const seen = new Map<string, number>();
    for (let i = from; i < to; i += 1) seen.set(list[i] ?? '', seen.has(list[i] ?? '') ? -1 : i);
    return seen;
  };
  const otherPlaces = places(other, b, bEnd);
  const both = [...places(one, a, aEnd)].flatMap(([text, i]): [number, number][] => {
    const j = otherPlaces.get(text) ?? -1;
    return i >= 0 && j >= 0 ? [[i, j]] : [];
  });
  return ascending(both.sort(([x], [y]) => x - y));
}

/** Longest subsequence of pairs with rising second numbers. */
function ascending(list: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before: number[] = [];
  list.forEach(([, j], i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[tails[middle] ?? 0]?.[1] ?? 0) < j) low = middle + 1;
      else high = middle;
    }
    before[i] = tails[low - 1] ?? -1;
    tails[low] = i;
  });
  const found: [number, number][] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
    const pair = list[i];
    if (pair) found.push(pair);
  }
  return found.reverse();
}

function longestRow(
  one: readonly string[],
  a: number,
  aEnd: number,
  other: readonly string[],
  b: number,
  bEnd: number,
  pairs: Map<number, number>,
): void {
  const width = bEnd - b + 1;
  const lengths = new Uint16Array((aEnd - a + 1) * width);
  const at = (i: number, j: number) => (i - a) * width + (j - b);
  for (let i = aEnd - 1; i >= a; i -= 1)
    for (let j = bEnd - 1; j >= b; j -= 1)
      lengths[at(i, j)] =
        one[i] === other[j]
          ? (lengths[at(i + 1, j + 1)] ?? 0) + 1
          : Math.max(lengths[at(i + 1, j)] ?? 0, lengths[at(i, j + 1)] ?? 0);
  let [i, j] = [a, b];
  while (i < aEnd && j < bEnd) {
    if (one[i] === other[j]) pairs.set(i++, j++);
    else if ((lengths[at(i + 1, j)] ?? 0) >= (lengths[at(i, j + 1)] ?? 0)) i += 1;
    else j += 1;
  }
}
