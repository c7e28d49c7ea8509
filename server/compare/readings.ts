import type { Database } from '#db/open.ts';
import { inOrder } from '#shared/meetings/annotations.ts';
import { readGrades, type SheetGrade } from '#shared/meetings/grades.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Documents } from '../rooms/documents.ts';
import { versionOf } from '../rooms/version.ts';
import { each, OutcomesReader, type AuthorOutcomes, type ComparedOutcome } from './outcomes.ts';

/** A recording, or one of its layers. */
interface Place {
  meetingId: string;
  layerId: string | null;
}

/** Outcomes that all who read a recording or layer share, by their authors, and the grades of a layer's sheet. */
export interface Reading {
  authors: ReadonlyMap<string, AuthorOutcomes>;
  grades: readonly SheetGrade[];
}

interface Kept extends State {
  reading: Reading;
  reader: OutcomesReader;
}

const nothing: Reading = { authors: new Map(), grades: [] };

/** Outcomes of all authors, in the order of the transcript. */
export function outcomesIn({ authors }: Reading): readonly ComparedOutcome[] {
  const [first, ...others] = authors.values();
  if (others.length === 0) return first?.outcomes ?? [];
  return [...authors.values()].flatMap(({ outcomes }) => outcomes).sort(inOrder);
}

/** Types of a reading, some more than once. */
export const typesIn = ({ authors, grades }: Reading): string[] => [
  ...[...authors.values()].flatMap(({ types }) => [...types]),
  ...grades.map(({ type }) => type),
];

/** State of a room that is stored. */
interface State {
  generation: number;
  seq: number;
  version: number;
}

/** Whether a later state has all values that one had, unless they were changed: nothing was restored or set aside between. */
const continues = (one: State, later: State): boolean =>
  one.generation === later.generation && one.version - one.seq === later.version - later.seq && one.seq <= later.seq;

/** Characters that are kept; 20 assessments with 1,000 passages of 300 characters each have 12 million. */
const mostKept = 40_000_000;

const sizeOf = ({ authors, grades }: Reading): number =>
  [...authors.values()].reduce((size, one) => size + one.size, each) +
  grades.reduce((size, { words }) => size + each + words.length, 0);

/**
 * Readings of recordings and layers for comparisons. One is kept in memory while nothing in its room changes, and of a room
 * that has changed the changes alone are read; what a caller may read is decided before.
 */
export class Readings {
  private readonly documents: Pick<Documents, 'read'>;
  private readonly ask: Database['ask'];
  private readonly most: number;
  private readonly kept = new Map<string, Kept>();
  private size = 0;
  /** Number of rooms that were read; tests check that none is read twice. */
  made = 0;

  constructor(documents: Pick<Documents, 'read'>, ask: Database['ask'], most = mostKept) {
    this.documents = documents;
    this.ask = ask;
    this.most = most;
  }

  /** Reads all of these at once, each as it is stored at the time of the call or later. */
  async read(places: readonly Place[]): Promise<Reading[]> {
    const named = places.map((place) => ({ ...place, name: nameOf(place) }));
    const stored = await this.statesOf(named.map(({ name }) => name));
    return Promise.all(
      named.map(async ({ name, ...place }) => {
        const state = stored.get(name);
        if (!state) return nothing;
        return this.find(name, state) ?? (await this.make(name, place));
      }),
    );
  }

  /** States of the rooms that somebody has written to. */
  private async statesOf(names: readonly string[]): Promise<Map<string, State>> {
    const rows = await this.ask(
      (sql) => sql<{ name: string; generation: number; seq: string; base: string; mends: number }[]>`
        select name, generation, seq, base, mends from rooms where name = any(${[...names]}::text[]) and seq > 0`,
    );
    return new Map(
      rows.map(({ name, generation, mends, ...row }) => {
        const [seq, base] = [Number(row.seq), Number(row.base)];
        return [name, { generation, seq, version: versionOf({ base, seq, mends }) }];
      }),
    );
  }

  private find(name: string, { generation, seq, version }: State): Reading | null {
    const found = this.kept.get(name);
    // The sequence is less than the version says where a process could not read all of the room.
    if (found?.version !== version || found.generation !== generation || found.seq !== seq) return null;
    // Inserted again, so that the least recently used one makes room for others.
    this.kept.delete(name);
    this.kept.set(name, found);
    return found.reading;
  }

  private async make(name: string, { meetingId, layerId }: Place): Promise<Reading> {
    this.made += 1;
    const made = await this.documents.read(
      meetingId,
      (doc, { generation, seq, version }): Kept => {
        const state = { generation, seq, version };
        const before = this.kept.get(name);
        const reader = before && continues(before, state) ? before.reader : new OutcomesReader();
        const grades = layerId === null ? [] : [...readGrades(doc).values()];
        return { ...state, reader, reading: { authors: reader.read(doc), grades } };
      },
      roomOf(layerId),
    );
    this.forget(name);
    this.kept.set(name, made);
    this.size += sizeOf(made.reading);
    for (const [oldest] of this.kept) {
      if (this.size <= this.most) break;
      this.forget(oldest);
    }
    return made.reading;
  }

  private forget(name: string): void {
    const found = this.kept.get(name);
    if (!found) return;
    this.size -= sizeOf(found.reading);
    this.kept.delete(name);
  }
}

const roomOf = (layerId: string | null) =>
  layerId === null ? ({ part: 'outcomes', of: null } as const) : ({ part: 'layer', of: layerId } as const);

const nameOf = ({ meetingId, layerId }: Place): string => {
  const { part, of } = roomOf(layerId);
  return roomName(meetingId, part, of);
};
