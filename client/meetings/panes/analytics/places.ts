import { questionsIn } from '#shared/meetings/analytics.ts';
import type { PlainSegment } from '#shared/meetings/plain.ts';

// Passages behind the figures, so that a chart can be played. Times in milliseconds.

export interface VoicePlaces {
  /** Start of the longest turn, and of the fastest segment. */
  longest: number | null;
  fastest: number | null;
  turns: number[];
  questions: number[];
}

export interface Places {
  voices: ReadonlyMap<string, VoicePlaces>;
  /** Start of the longest silence. */
  silence: number | null;
}

/** Fewest words needed to measure a pace. */
const fewestWords = 8;

const inMs = (seconds: number) => Math.round(seconds * 1000);

export function placesOf(segments: readonly PlainSegment[]): Places {
  const spoken = segments.filter(({ words }) => words.length > 0);
  const voices = new Map<string, VoicePlaces>();
  const most = new Map<string, { turn: number; pace: number }>();
  let turn = null as { speaker: string; from: number; talk: number } | null;
  for (const { speaker, start, end, text, words } of spoken) {
    const own = voices.get(speaker) ?? { longest: null, fastest: null, turns: [], questions: [] };
    voices.set(speaker, own);
    const best = most.get(speaker) ?? { turn: 0, pace: 0 };
    most.set(speaker, best);
    const talk = Math.max(0, end - start);
    if (turn?.speaker === speaker) turn.talk += talk;
    else {
      turn = { speaker, from: start, talk };
      own.turns.push(inMs(start));
    }
    if (turn.talk > best.turn) [best.turn, own.longest] = [turn.talk, inMs(turn.from)];
    const pace = talk > 0 && words.length >= fewestWords ? words.length / talk : 0;
    if (pace > best.pace) [best.pace, own.fastest] = [pace, inMs(start)];
    if (questionsIn(text) > 0) own.questions.push(inMs(start));
  }
  return { voices, silence: longestSilence(spoken) };
}

function longestSilence(spoken: readonly PlainSegment[]): number | null {
  let found = null as { from: number; length: number } | null;
  let filled = 0;
  for (const { start, end } of spoken.toSorted((one, other) => one.start - other.start)) {
    if (start - filled > (found?.length ?? 0)) found = { from: filled, length: start - filled };
    filled = Math.max(filled, end);
  }
  return found && inMs(found.from);
}

/** Next place after a time; after the last one, the first again. */
export function nextAfter(places: readonly number[], ms: number): number | null {
  // Playback stops near a place, not always exactly at it.
  return places.find((place) => place > ms + 50) ?? places[0] ?? null;
}
