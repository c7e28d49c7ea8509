import { anchorAt, placesOf, saidIn, type Anchored } from '#shared/meetings/anchors.ts';
import type { Reading, WordPlace } from '#shared/meetings/words.ts';

import type { Player } from '../../sound/player.ts';
import { toFlat } from '../../text/flat.ts';
import type { OpenText } from '../../open/open-text.ts';
import { sentenceAround } from '../../text/sentences.ts';
import type { Words } from '../../text/words.ts';

/**
 * Passage for a new annotation: the selected words, else the sentence at the caret, else the one being played. Null if
 * that has no words.
 */
export function passageToAnnotate(
  { editor, binding }: OpenText,
  words: Words,
  player: Player,
  generation: number | null,
): Anchored | null {
  const { doc, selection } = editor.state;
  const reading = words.reading();
  let [from, to] = [toFlat(doc, selection.from), toFlat(doc, selection.to)];
  if (from === to) {
    const place = (editor.isFocused ? words.placeAt(selection.from) : null) ?? words.wordAt(player.ms);
    const segment = place && reading.segments[place.segment];
    if (!place || !segment) return null;
    const [first, last] = sentenceAround(segment.words, Math.max(0, place.word));
    const [begin, end] = [segment.words[first], segment.words[last]];
    if (!begin || !end) return null;
    const start = reading.starts[place.segment] ?? 0;
    [from, to] = [start + begin.at, start + end.at + end.text.length];
  }
  // Trims whitespace at both ends.
  while (from < to && isBlank(reading, from)) from += 1;
  while (from < to && isBlank(reading, to - 1)) to -= 1;
  return anchored(binding, reading, generation, from, to);
}

/** Passage of quoted words, nearest to the time at which they were said; null if the text has none. */
export function passageOfQuote(
  { binding }: Pick<OpenText, 'binding'>,
  words: Words,
  generation: number | null,
  quoted: Anchored,
): Anchored | null {
  const reading = words.reading();
  const [place] = placesOf(binding.doc, reading, generation, [quoted]);
  return place && place.by !== 'time' ? anchored(binding, reading, generation, place.from, place.to) : null;
}

/** Passage of the words that are said between two times in milliseconds, and its place in the flat text. */
export function passageBetween(
  { binding }: Pick<OpenText, 'binding'>,
  words: Words,
  generation: number | null,
  begins: number,
  ends: number,
): { passage: Anchored; from: number } | null {
  const reading = words.reading();
  const place = ({ segment, word }: WordPlace) => {
    const found = reading.segments[segment]?.words[word];
    const at = (reading.starts[segment] ?? 0) + (found?.at ?? 0);
    return found ? [at, at + found.text.length] : null;
  };
  const [first, last] = [words.wordAt(begins), words.wordAt(Math.max(begins, ends - 1))];
  const from = first && place(first)?.[0];
  const to = last && place(last)?.[1];
  if (from == null || to == null || to <= from) return null;
  const passage = anchored(binding, reading, generation, from, to);
  return passage && { passage, from };
}

function anchored(
  binding: OpenText['binding'],
  reading: Reading,
  generation: number | null,
  from: number,
  to: number,
): Anchored | null {
  const passage = saidIn(reading, from, to);
  if (passage.quote === '') return null;
  return { ...passage, anchor: generation === null ? null : anchorAt(binding.doc, generation, from, to) };
}

/** Whether a position holds whitespace, or the border between segments. */
function isBlank({ segments, starts }: Reading, at: number): boolean {
  const index = starts.findLastIndex((start) => start <= at);
  const letter = segments[index]?.text[at - (starts[index] ?? 0)];
  return letter === undefined || letter.trim() === '';
}
