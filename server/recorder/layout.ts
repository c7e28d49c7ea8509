import type { Gap, Track } from '#shared/recorder.ts';

/** A take with its measured length. */
interface Span {
  id: string;
  track: Track;
  /** Milliseconds from the start of the recording, by the recording device. */
  offsetMs: number;
  ms: number;
}

export interface Placed extends Span {
  /** Milliseconds from the start of the file. */
  startMs: number;
}

export interface Layout {
  placed: Placed[];
  ms: number;
  gaps: Gap[];
}

/** Longest pause that stays as it was. */
const mostPauseMs = 2000;
/** Length for a longer one. */
const shownPauseMs = 1000;

/** Places takes in one file: time in which no take ran is shortened, and takes of a track never overlap. */
export function layOut(spans: readonly Span[]): Layout {
  const placed: Placed[] = [];
  const gaps: Gap[] = [];
  const trackEnds = new Map<Track, number>();
  // Until when there is sound, by the device, and by how much the file is behind the device.
  let until: number | null = null;
  let cut = 0;
  let ms = 0;
  for (const span of spans.toSorted((one, other) => one.offsetMs - other.offsetMs)) {
    if (until === null) cut = span.offsetMs;
    else if (span.offsetMs - until > mostPauseMs) {
      const pause = Math.round(span.offsetMs - until);
      gaps.push({ atMs: Math.round(until - cut), ms: pause });
      cut += pause - shownPauseMs;
    }
    const startMs = Math.max(span.offsetMs - cut, trackEnds.get(span.track) ?? 0);
    placed.push({ ...span, startMs });
    trackEnds.set(span.track, startMs + span.ms);
    ms = Math.max(ms, startMs + span.ms);
    until = Math.max(until ?? 0, startMs + cut + span.ms);
  }
  return { placed, ms, gaps };
}
