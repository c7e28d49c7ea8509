import type { Passage, PassageKind } from '#shared/finding/passages.ts';

// Memory of what this process has indexed, so that a change costs what it changes and not the whole room. The tables decide:
// it counts only for the version at which they are still as this process left them.

/** Kinds whose words name something: a recording that has them there ranks before others. */
export const naming: readonly PassageKind[] = ['tag', 'speaker', 'chapter', 'outcome'];
/** A word is said often from so many times on, and in one of so many words. */
export const often = { times: 8, in: 2500 };

/** Positions that PostgreSQL keeps of a lexeme, and the last of them. */
const mostPositions = 256;
const lastPosition = 16_383;

/** Number of these positions that a vector has. */
export function positionsKept(positions: readonly number[]): number {
  const last = positions.findIndex((one) => one >= lastPosition);
  return Math.min(mostPositions, last === -1 ? positions.length : last + 1);
}

/** Lexemes of a passage, with the number of their places. */
export interface Said {
  braces: boolean;
  kind: PassageKind;
  lexemes: Iterable<readonly [lexeme: string, times: number]>;
}

/** Lexemes that come to a row of words and go from it. */
export interface WordChange {
  braces: boolean;
  lexeme: string;
  /** 0: absent, 1: said, 2: said often or naming something. */
  was: number;
  now: number;
}

/** How often a room says its words. */
export class WordCounts {
  private readonly counts = new Map<string, { times: number; names: number }>();
  private words = 0;

  get size(): number {
    return this.counts.size;
  }

  add(said: Said, sign: 1 | -1 = 1): void {
    const names = naming.includes(said.kind) ? sign : 0;
    for (const [lexeme, times] of said.lexemes) {
      const key = (said.braces ? '{' : ' ') + lexeme;
      const count = this.counts.get(key) ?? { times: 0, names: 0 };
      count.times += sign * times;
      count.names += names;
      if (!said.braces) this.words += sign * times;
      if (count.times === 0) this.counts.delete(key);
      else this.counts.set(key, count);
    }
  }

  /** Changes that come with passages that go and others that come. */
  change(gone: readonly Said[], come: readonly Said[]): WordChange[] {
    const loudFrom = this.loudFrom();
    const was = new Map<string, number>();
    for (const { braces, lexemes } of [...gone, ...come])
      for (const [lexeme] of lexemes) {
        const key = (braces ? '{' : ' ') + lexeme;
        if (!was.has(key)) was.set(key, this.markOf(key, loudFrom));
      }
    for (const one of gone) this.add(one, -1);
    for (const one of come) this.add(one);
    const loudNow = this.loudFrom();
    // A word may be said often only because less is said now, or no longer because more is.
    if (loudNow !== loudFrom)
      for (const key of this.counts.keys()) if (!was.has(key)) was.set(key, this.markOf(key, loudFrom));
    return [...was].flatMap(([key, before]) => {
      const now = this.markOf(key, loudNow);
      return now === before ? [] : { braces: key.startsWith('{'), lexeme: key.slice(1), was: before, now };
    });
  }

  private loudFrom(): number {
    return Math.ceil(Math.max(often.times, this.words / often.in));
  }

  private markOf(key: string, loudFrom: number): number {
    const count = this.counts.get(key);
    if (!count) return 0;
    return count.names > 0 || count.times >= loudFrom ? 2 : 1;
  }
}

/** A room as this process has indexed it. */
export interface KnownRoom {
  generation: number;
  version: number;
  rules: number;
  lang: string;
  /** Digest of each passage's source, by its id. */
  passages: Map<string, string>;
  counts: WordCounts;
}

/** Passages and words that are remembered, of all rooms. */
const mostKnown = 300_000;

const weightOf = ({ passages, counts }: KnownRoom): number => passages.size + counts.size;

/** Rooms by name; those that were indexed longest ago are forgotten first. */
export class KnownRooms {
  private readonly rooms = new Map<string, { room: KnownRoom; weight: number }>();
  private weight = 0;

  /** Gives a room away, so that nobody else counts on what one who fails leaves half changed. */
  take(name: string): KnownRoom | null {
    const room = this.rooms.get(name)?.room ?? null;
    this.forget(name);
    return room;
  }

  set(name: string, room: KnownRoom): void {
    this.forget(name);
    const weight = weightOf(room);
    this.rooms.set(name, { room, weight });
    this.weight += weight;
    for (const [oldest] of this.rooms) {
      if (this.weight <= mostKnown) break;
      this.forget(oldest);
    }
  }

  private forget(name: string): void {
    this.weight -= this.rooms.get(name)?.weight ?? 0;
    this.rooms.delete(name);
  }
}

/** The parts of a passage's id. */
export function passageNamed(id: string): Pick<Passage, 'kind' | 'key' | 'braces'> {
  const [kind = '', braces = '', ...key] = id.split(' ');
  return { kind: kind as PassageKind, braces: braces === '1', key: key.join(' ') };
}
