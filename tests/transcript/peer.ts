import type * as Y from 'yjs';
import type { Scope } from '#shared/meetings/transcript.ts';

export interface Place {
  segment: number;
  offset: number;
}

export interface Shown {
  id: string | null;
  speaker: string;
  text: string;
}

/** A person who edits, independent of the model of the document. */
export interface Peer {
  readonly doc: Y.Doc;
  readonly composing: boolean;
  shown(): Shown[];
  type(at: Place, text: string): void;
  erase(from: Place, to: Place): void;
  typeOver(from: Place, to: Place, text: string): void;
  split(at: Place): void;
  /** Joins a segment to the one before it. */
  merge(segment: number, backward: boolean): void;
  paste(from: Place, to: Place, paragraphs: string[]): void;
  replaceAll(found: { at: Place; length: number; text: string }[]): void;
  speak(segment: number, scope: Scope, speaker: string): void;
  undo(): void;
  redo(): void;
  compose(): void;
  composed(): void;
  /** Describes what is wrong with the document now; null if nothing is. */
  wrong(): string | null;
  truth(): string;
}

/** A model of the document, and how people edit it. */
export interface Model {
  start(segments: readonly Shown[]): Uint8Array;
  peer(clientId: number, start: Uint8Array): Peer;
}
