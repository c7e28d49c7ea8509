import { anchorAt, saidIn, type Anchored } from '#shared/meetings/anchors.ts';

import type { Player } from '../player/player.ts';
import { toFlat } from '../transcript/flat.ts';
import type { OpenText } from '../transcript/open-text.ts';
import { sentenceAround } from '../words/sentences.ts';
import type { Words } from '../words/words.ts';

/**
 * What somebody means who has something to say: the words they selected, else the sentence of their caret, else the one
 * that is heard. Null where nothing was said there.
 */
export function meantStretch(
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
  const said = saidIn(reading, from, to);
  if (said.quote === '') return null;
  return { ...said, anchor: generation === null ? null : anchorAt(binding.doc, generation, from, to) };
}
