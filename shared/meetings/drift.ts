import type * as Y from 'yjs';
import type { Peaks } from './media.ts';
import { decodeTimings, encodeTimings, slotAt, type Slot } from './timings.ts';

// Detects whether the times of an imported transcript fit its recording, by comparing speech and pauses in the sound
// with the times of the words. Only clear results count: music, noise and silence give none.

/** Delay of the sound against the text in ms (negative: earlier): at the beginning, and `over` ms later. */
export interface Drift {
  start: number;
  end: number;
  over: number;
}

interface Timed {
  from: number;
  to: number;
}

/** Ignored offset in ms. */
const tolerated = 2000;
const perSecond = 10;
const bin = 1000 / perSecond;
/** Largest offset that is searched, in bins. */
const farthest = 60 * perSecond;
/** Largest change of the offset from beginning to end, in bins. */
const widest = 20 * perSecond;
const windowBins = 45 * perSecond;
const mostWindows = 30;
/** Step of the search over offsets, in bins. */
const step = 2;
/**
 * Thresholds: the correlation itself, its gain over the current position, and its distance from the mean in standard
 * deviations.
 */
const alike = 0.3;
const better = 0.15;
const standsOut = 4.5;

/** Null if text and sound agree, or nothing is certain. Words are in order of time. */
export function findDrift({ perSecond: rate, peaks }: Peaks, words: readonly Timed[]): Drift | null {
  const sound = loudness(peaks, rate);
  const text = spoken(words);
  const length = Math.max(sound.length, text.length);
  // Less than half a minute is too little to compare.
  if (Math.min(sound.length, text.length) < 30 * perSecond) return null;
  const windows = windowsOf(text);
  if (windows.length === 0) return null;
  const found = windows.map((from) => likeness(text, sound, from, Math.min(text.length, from + windowBins)));
  const weights = found.reduce((sum, { weight }) => sum + weight, 0);
  if (weights < 1) return null;
  const at = (start: number, end: number): number => {
    let sum = 0;
    for (const [i, { by, weight }] of found.entries()) {
      const middle = (windows[i] ?? 0) + windowBins / 2;
      const lag = Math.round(start + ((end - start) * middle) / length);
      if (Math.abs(lag) <= farthest) sum += weight * (by[lag + farthest] ?? 0);
    }
    return sum / weights;
  };
  const now = Math.max(...[-2, -1, 0, 1, 2].map((lag) => at(lag, lag)));
  let best = { start: 0, end: 0, value: now };
  const flat: number[] = [];
  for (let start = -farthest; start <= farthest; start += step) {
    flat.push(at(start, start));
    for (let end = start - widest; end <= start + widest; end += step) {
      const value = at(start, end);
      // A constant offset wins a tie.
      if (value > best.value + (start === end ? 0 : 0.01)) best = { start, end, value };
    }
  }
  const mean = flat.reduce((sum, value) => sum + value, 0) / flat.length;
  const deviation = Math.sqrt(flat.reduce((sum, value) => sum + (value - mean) ** 2, 0) / flat.length);
  if (best.value < alike || best.value - now < better || best.value - mean < standsOut * deviation) return null;
  const exact = refine(at, best);
  const drift = { start: exact.start * bin, end: exact.end * bin, over: length * bin };
  return Math.max(Math.abs(drift.start), Math.abs(drift.end)) > tolerated ? drift : null;
}

function refine(at: (start: number, end: number) => number, best: { start: number; end: number; value: number }) {
  let { start, end, value } = best;
  const steady = start === end;
  for (let a = best.start - step; a <= best.start + step; a += 1)
    for (let b = best.end - step; b <= best.end + step; b += 1) {
      if (steady && a - best.start !== b - best.end) continue;
      const found = at(a, b);
      if (found > value) [start, end, value] = [a, b, found];
    }
  // Tiny differences between beginning and end are rounding, not drift.
  if (Math.abs(start - end) <= 3) start = end = Math.round((start + end) / 2);
  return { start, end };
}

/** Loudness of each bin; logarithmic, so that soft speakers count. */
function loudness(peaks: readonly number[], rate: number): Float64Array {
  const bins = new Float64Array(Math.ceil((peaks.length / rate) * perSecond));
  for (const [i, peak] of peaks.entries()) {
    const place = Math.floor((i / rate) * perSecond);
    bins[place] = Math.max(bins[place] ?? 0, Math.log1p(peak));
  }
  return bins;
}

/** Share of each bin that words cover. */
function spoken(words: readonly Timed[]): Float64Array {
  const end = words.reduce((last, { to }) => Math.max(last, to), 0);
  const bins = new Float64Array(Math.ceil(end / bin));
  for (const { from, to } of words)
    for (let i = Math.floor(from / bin); i * bin < to; i += 1) {
      const part = Math.min(to, (i + 1) * bin) - Math.max(from, i * bin);
      if (i < bins.length) bins[i] = Math.min(1, (bins[i] ?? 0) + Math.max(0, part) / bin);
    }
  return bins;
}

function windowsOf(text: Float64Array): number[] {
  const count = Math.max(1, Math.floor(text.length / windowBins));
  const every = Math.max(1, Math.ceil(count / mostWindows));
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every * windowBins);
}

/** Correlation of a window of the text with the sound, for each lag; its weight is the length of the window. */
function likeness(text: Float64Array, sound: Float64Array, from: number, to: number) {
  const by = new Float64Array(2 * farthest + 1);
  const n = to - from;
  let mean = 0;
  for (let i = from; i < to; i += 1) mean += (text[i] ?? 0) / n;
  let variance = 0;
  for (let i = from; i < to; i += 1) variance += ((text[i] ?? 0) - mean) ** 2 / n;
  // Constant speech, or none, correlates with nothing.
  if (variance < 0.01) return { by, weight: 0 };
  for (let lag = -farthest; lag <= farthest; lag += 1) {
    let sum = 0;
    let squares = 0;
    let both = 0;
    for (let i = from; i < to; i += 1) {
      // Silence outside the recording.
      const level = sound[i + lag] ?? 0;
      sum += level;
      squares += level * level;
      both += level * ((text[i] ?? 0) - mean);
    }
    const spread = squares / n - (sum / n) ** 2;
    by[lag + farthest] = spread < 0.02 ? 0 : both / n / Math.sqrt(variance * spread);
  }
  return { by, weight: n / windowBins };
}

// ---- In the document ----------------------------------------------------------------------------

const aboutOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('about');
const timingsOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('timings');
const key = 'drift';
const farthestMs = farthest * bin;

/** Drift detected at import; null once it was accepted or rejected. */
export function readDrift(doc: Y.Doc): Drift | null {
  const value = aboutOf(doc).get(key);
  if (typeof value !== 'object' || value === null) return null;
  const { start, end, over } = value as Record<string, unknown>;
  // Stored values are untrusted: anyone with permission to write can set them.
  const within = (one: unknown, most: number): one is number => typeof one === 'number' && Math.abs(one) <= most;
  if (!within(start, farthestMs) || !within(end, 2 * farthestMs) || !within(over, 2 ** 31) || over <= 0) return null;
  return { start, end, over };
}

export function noteDrift(doc: Y.Doc, drift: Drift, origin: unknown): void {
  doc.transact(() => aboutOf(doc).set(key, { ...drift }), origin);
}

/** Accepts the times as they are. */
export function keepTimes(doc: Y.Doc, origin: unknown): void {
  doc.transact(() => aboutOf(doc).delete(key), origin);
}

/**
 * Moves all times to where the sound has them; only the timing tables change, the text stays. Returns a function that
 * undoes it.
 */
export function moveTimes(doc: Y.Doc, drift: Drift, origin: unknown): () => void {
  const before = [...timingsOf(doc)];
  const noted = readDrift(doc);
  const moved = (time: number) => {
    const by = drift.start + ((drift.end - drift.start) * time) / drift.over;
    return Math.max(0, Math.round((time + by) / 10) * 10);
  };
  doc.transact(() => {
    for (const [seed, bytes] of before) {
      const slots = decodeTimings(bytes);
      if (!slots) continue;
      const others: Slot[] = [];
      for (let i = 0; i < slots.count; i += 1) {
        const slot = slotAt(slots, i);
        if (slot) others.push({ ...slot, from: moved(slot.from), to: Math.max(moved(slot.from), moved(slot.to)) });
      }
      timingsOf(doc).set(seed, encodeTimings(others));
    }
    aboutOf(doc).delete(key);
  }, origin);
  const after = new Map(timingsOf(doc));
  return () =>
    doc.transact(() => {
      // Tables that somebody else has changed since stay.
      for (const [seed, bytes] of before)
        if (timingsOf(doc).get(seed) === after.get(seed)) timingsOf(doc).set(seed, bytes);
      if (noted) noteDrift(doc, noted, origin);
    }, origin);
}
