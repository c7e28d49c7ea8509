// Where somebody speaks in a piece, as stretches that a recogniser is given one by one. Times are samples.

export const quietRate = 16_000;
/** The first and last sounds of a word are often too soft for who looks for speech. */
const margin = 0.2 * quietRate;
/** A pause that belongs to a sentence. */
const pause = 1 * quietRate;
/** Recognisers of the make of Whisper hear 30 seconds at once, and lose what is beyond. */
const longest = 25 * quietRate;

export interface Span {
  from: number;
  to: number;
}

/** With a little before and behind, and together where they are one breath; none longer than a recogniser takes. */
export function joinSpeech(found: readonly Span[], end: number): Span[] {
  const joined: Span[] = [];
  for (const { from, to } of found) {
    const open = joined.at(-1);
    if (open && from - open.to <= pause && to - open.from <= longest - 2 * margin) open.to = to;
    else joined.push({ from, to });
  }
  return joined.flatMap(({ from, to }, i) => {
    // Where two are close, the gap is shared: nothing is heard twice.
    const before = Math.floor((from - (joined[i - 1]?.to ?? -end)) / 2);
    const behind = Math.floor(((joined[i + 1]?.from ?? 2 * end) - to) / 2);
    return inParts({
      from: Math.max(0, from - Math.min(margin, before)),
      to: Math.min(end, to + Math.min(margin, behind)),
    });
  });
}

function inParts({ from, to }: Span): Span[] {
  const parts = Math.max(1, Math.ceil((to - from) / longest));
  const size = Math.ceil((to - from) / parts);
  return Array.from({ length: parts }, (_, i) => ({ from: from + i * size, to: Math.min(to, from + (i + 1) * size) }));
}
