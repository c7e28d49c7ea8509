interface Figures {
  median: number;
  /** 95 of 100 are below. */
  high: number;
  text: string;
}

/** Summarizes times in ms for people: median, 95 % and worst. */
export function figures(times: number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const shown = (time: number) => (time < 100 ? time.toFixed(2) : time.toFixed(0));
  const [median, high, worst] = [at(0.5), at(0.95), at(1)];
  return {
    median,
    high,
    text: `median ${shown(median)} ms, 95 % ${shown(high)} ms, worst ${shown(worst)} ms (${times.length} times)`,
  };
}
