import type { Awareness } from 'y-protocols/awareness';
import { wordAtIndex, type WordPlace } from '#shared/meetings/words.ts';
import type { Person } from '#sync/client/presence.ts';

import { decodePosition } from '../text/carets.ts';
import type { Words } from '../text/words.ts';

type Doing = 'typing' | 'listening' | 'reading';

export const doingOf = ({ typing, listening }: Pick<Person, 'typing' | 'listening'>): Doing =>
  typing ? 'typing' : listening ? 'listening' : 'reading';

/** Flat position of a person's caret; null while it is not in the transcript. */
export function caretOf(awareness: Awareness, words: Words, person: Person): number | null {
  const cursor = awareness.getStates().get(person.client)?.['cursor'] as { head?: unknown } | null | undefined;
  return decodePosition(words.doc, cursor?.head);
}

/** Word at a person's position: where they type or read, or what they play. */
function placeOf(awareness: Awareness, words: Words, person: Person): WordPlace | null {
  const heard = person.at === null ? null : words.wordAt(person.at * 1000);
  if (doingOf(person) === 'listening' && heard) return heard;
  const caret = caretOf(awareness, words, person);
  return caret === null ? heard : wordAtIndex(words.reading(), caret);
}

/** Time of that word in milliseconds; null in transcripts without times. */
export function timeOf(awareness: Awareness, words: Words, person: Person): number | null {
  if (doingOf(person) === 'listening' && person.at !== null) return person.at * 1000;
  const place = words.timed ? placeOf(awareness, words, person) : null;
  return (place && words.word(place)?.from) ?? null;
}
