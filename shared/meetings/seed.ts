import * as Y from 'yjs';
import { writeAbout, writeTags, type About } from './about.ts';
import { writeSpeakers, type Speaker } from './speakers.ts';
import { textOf, wellFormed } from './transcript.ts';
import { encodeTimings, flag, type Slot } from './timings.ts';

// Text of a recogniser or an import enters a document under a client id of its own, the seed, in one transaction: so
// each character has an id that tells for ever when it was spoken. Nobody edits under that id, and it is never reused:
// Yjs silently ignores other text under a used id.

/** Word on the wire, in seconds; `confidence` and `estimated` are our own fields. */
export interface WireWord {
  w: string;
  f: number;
  t: number;
  p?: boolean;
  m?: boolean;
  c?: boolean;
  j?: boolean;
  confidence?: number;
  estimated?: boolean;
}

export interface SeedSegment {
  id: string;
  speaker: string;
  words: readonly WireWord[];
  /** Default: the words joined by blanks, but without a blank before those marked `p`. */
  text?: string;
}

export interface Seed {
  about?: Partial<About>;
  tags?: readonly string[];
  speakers: readonly Speaker[];
  segments: readonly SeedSegment[];
}

const toMs = (seconds: number): number => Math.round(seconds * 1000);
/** Division by 1000 prints as exact decimals. */
export const toSeconds = (ms: number): number => ms / 1000;

const flagsOf = ({ p, m, c, j, estimated }: Omit<WireWord, 'w' | 'f' | 't'>): number =>
  (p ? flag.p : 0) | (m ? flag.m : 0) | (c ? flag.c : 0) | (j ? flag.j : 0) | (estimated ? flag.estimated : 0);

interface Laid {
  text: string;
  slots: Slot[];
}

const latest = 2 ** 31 - 1;
const clamp = (ms: number): number => (Number.isFinite(ms) ? Math.min(latest, Math.max(0, ms)) : 0);

/** Text of a segment with the place of each word in it; `base` is the clock of its first character. */
export function lay({ words, text }: Pick<SeedSegment, 'words' | 'text'>, base: number): Laid {
  const found = text === undefined ? null : within(text, words);
  const places = found ?? [];
  let joined = '';
  if (!found)
    for (const { w, p } of words) {
      const word = wellFormed(w).replace(/\s+/g, ' ').trim();
      if (joined !== '' && !p && word !== '') joined += ' ';
      places.push(joined.length);
      joined += word;
    }
  const whole = found ? wellFormed(text ?? '') : joined;
  const slots = words.flatMap((word, i): Slot[] => {
    const length = found ? word.w.trim().length : wellFormed(word.w).replace(/\s+/g, ' ').trim().length;
    if (length === 0) return [];
    const from = clamp(toMs(word.f));
    return [
      {
        at: base + (places[i] ?? 0),
        length,
        from,
        to: Math.max(from, clamp(toMs(word.t))),
        confidence: Number.isFinite(word.confidence) ? (word.confidence ?? null) : null,
        flags: flagsOf(word),
      },
    ];
  });
  return { text: whole, slots };
}

/** Position of each word in the text; null if a word is missing or out of order: then the words win over the text. */
function within(text: string, words: readonly WireWord[]): number[] | null {
  const places: number[] = [];
  let from = 0;
  for (const { w } of words) {
    const word = w.trim();
    const at = text.indexOf(word, from);
    if (at < 0 || /[^\s\p{P}\p{S}]/u.test(text.slice(from, at))) return null;
    places.push(at);
    from = at + word.length;
  }
  return places;
}

/** Appends a seed to the text of a document, which must have an unused client id. Returns that id. */
export function writeSeed(doc: Y.Doc, { about, tags, speakers, segments }: Seed, origin: unknown): number {
  if (Y.getState(doc.store, doc.clientID) > 0) throw new Error('a seed needs a client id of its own');
  const text = textOf(doc);
  const delta: { insert: string | object; retain?: undefined }[] = [];
  const slots: Slot[] = [];
  let clock = 0;
  for (const segment of segments) {
    const laid = lay(segment, clock + 1);
    delta.push({ insert: { s: segment.id, p: segment.speaker } });
    if (laid.text !== '') delta.push({ insert: laid.text });
    for (const slot of laid.slots) slots.push(slot);
    clock += 1 + laid.text.length;
  }
  doc.transact(() => {
    // Written first, so that a character's clock is its place in the seed.
    text.applyDelta(text.length > 0 ? [{ retain: text.length }, ...delta] : delta);
    if (slots.length > 0) doc.getMap('timings').set(String(doc.clientID), encodeTimings(slots));
    writeSpeakers(doc, speakers, origin);
    if (about) writeAbout(doc, about, origin);
    if (tags) writeTags(doc, tags, origin);
  }, origin);
  return doc.clientID;
}

/** State of a new document; it becomes the first snapshot of a room. */
export function seedState(seed: Seed): Uint8Array {
  const doc = new Y.Doc();
  writeSeed(doc, seed, 'seed');
  const state = Y.encodeStateAsUpdate(doc);
  doc.destroy();
  return state;
}

/** State with the same character ids, so with all their times; `change` is made under a new client id. */
export function cloneState(state: Uint8Array, change?: (doc: Y.Doc) => void): Uint8Array {
  if (!change) return state.slice();
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  doc.transact(() => change(doc), 'clone');
  const cloned = Y.encodeStateAsUpdate(doc);
  doc.destroy();
  return cloned;
}
