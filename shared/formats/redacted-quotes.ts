import type * as Y from 'yjs';
import { hiddenWords, redactedWord, type Stretch } from './redact.ts';
import { longestQuote, placesOf, saidIn, type Anchored } from '../meetings/anchors.ts';
import { segmentsOf, speakerOf } from '../meetings/transcript.ts';
import { readWords, type Reading } from '../meetings/words.ts';

interface Quoted {
  quote: string;
  /** Seconds. */
  start: number;
  end: number;
}

/** Passages of annotations in the words there are now, without what stands in braces. */
export function quotesOf(doc: Y.Doc, generation: number, items: readonly Anchored[]): Quoted[] {
  const reading = readWords(doc);
  const changed = segmentsOf(doc);
  const hidden = hiddenWords(
    reading.segments.map((segment) => ({
      ...{ text: segment.text, words: segment.words },
      speaker: segment.id === null ? '' : speakerOf(changed, { s: segment.id, p: segment.speaker }),
    })),
  );
  const places = placesOf(doc, reading, generation, items);
  return items.map((item, nth) => {
    const place = places[nth];
    if (!place) return { quote: '', start: item.start, end: item.end };
    const { start, end } = saidIn(reading, place.from, place.to);
    return { quote: shownIn(reading, hidden, place), start, end };
  });
}

/** Text of a range; hidden parts are replaced by one word. */
function shownIn({ segments, starts }: Reading, hidden: readonly Stretch[][], { from, to }: Stretch): string {
  const texts = segments.flatMap(({ text }, nth) => {
    const begin = starts[nth] ?? 0;
    const [first, last] = [Math.max(0, from - begin), Math.min(text.length, to - begin)];
    if (last <= first) return [];
    let shown = '';
    let at = first;
    for (const part of hidden[nth] ?? []) {
      if (part.to <= at || part.from >= last) continue;
      shown += text.slice(at, Math.max(at, part.from)) + redactedWord;
      at = Math.min(last, part.to);
    }
    return [shown + text.slice(at, last)];
  });
  return texts.join(' ').replace(/\s+/g, ' ').trim().slice(0, longestQuote);
}
