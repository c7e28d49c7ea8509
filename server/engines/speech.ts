// Spans of speech in a piece, each for one call of a recognizer. Times are samples.

export const quietRate = 16_000;
/** Margin around speech, because the first and last sounds of a word are often too soft for detection. */
const margin = 0.2 * quietRate;
/** Longest pause within a span. */
const pause = 1 * quietRate;
/** Longest span: Whisper models process 30 seconds at once and lose the rest. */
const longest = 25 * quietRate;

export interface Span {
  from: number;
  to: number;
}

/** Joins speech separated by short pauses, and adds margins; no span is longer than a recognizer accepts. */
export function joinSpeech(found: readonly Span[], end: number): Span[] {
  const joined: Span[] = [];
  for (const { from, to } of found) {
    const open = joined.at(-1);
    if (open && from - open.to <= pause && to - open.from <= longest - 2 * margin) open.to = to;
    else joined.push({ from, to });
  }
  return joined.flatMap(({ from, to }, i) => {
    // Close spans share the gap, so that nothing is recognized twice.
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
