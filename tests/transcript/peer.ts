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

/** Somebody who edits, whatever the document is made of. */
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
  /** What is wrong with the document now. */
  wrong(): string | null;
  truth(): string;
}

/** What a document is made of, and how it is edited. */
export interface Model {
  start(segments: readonly Shown[]): Uint8Array;
  peer(clientId: number, start: Uint8Array): Peer;
}
