import type { HeardSegment, HeardWord } from '#shared/meetings/heard.ts';
import { readAnswer } from './answer.ts';

// Output of the local recognizer: for each span of speech its text, and its tokens with the time of each.

/** A span of speech; times of tokens are seconds from its start. */
export interface Stretch {
  /** Milliseconds from the start of the piece. */
  from: number;
  to: number;
  text: string;
  tokens: string[];
  timestamps: number[];
  /** Absent for models that do not report it. */
  durations?: number[] | undefined;
  ys_log_probs?: number[] | undefined;
  segment_timestamps?: number[] | undefined;
  segment_durations?: number[] | undefined;
  segment_texts?: string[] | undefined;
}

/** The speaker between two times, in seconds of the piece. */
export interface Turn {
  start: number;
  end: number;
  speaker: number;
}

export interface LocalAnswer {
  stretches: Stretch[];
  turns: Turn[];
}

/** Maximum duration in seconds of a token without a reported duration. */
const longestToken = 0.4;

export function readLocal({ stretches, turns }: LocalAnswer, mostMs: number): HeardSegment[] {
  const segments = stretches.flatMap((stretch) => saidIn(stretch));
  const words = stretches.flatMap((stretch) => timedIn(stretch));
  // `readAnswer` would look for a text of the whole piece if there were no segments.
  if (!segments.some(({ text }) => text.trim() !== '')) return [];
  return bySpeaker(readAnswer({ segments, words }, mostMs) ?? [], turns);
}

function saidIn({ from, to, text, segment_texts, segment_timestamps, segment_durations }: Stretch) {
  const [begin, end] = [from / 1000, to / 1000];
  if (!segment_texts?.length || segment_texts.join('').trim() === '') return [{ text, start: begin, end }];
  return segment_texts.map((text, i) => {
    const start = Math.min(end, begin + (segment_timestamps?.[i] ?? 0));
    const duration = segment_durations?.[i] ?? 0;
    return { text, start, end: duration > 0 ? Math.min(end, start + duration) : end };
  });
}

function timedIn({ from, to, tokens, timestamps, durations, ys_log_probs }: Stretch) {
  // Models without times return an empty list.
  if (timestamps.length !== tokens.length) return [];
  return tokens.flatMap((token, i) => {
    const word = token.replaceAll('▁', ' ');
    const at = timestamps[i] ?? 0;
    // Skips partial UTF-8 bytes and control tokens.
    if (/^<.*>$/.test(word.trim())) return [];
    const next = timestamps[i + 1] ?? (to - from) / 1000;
    const duration = durations?.length === tokens.length ? (durations[i] ?? 0) : 0;
    const lasts = Math.min(duration > 0 ? duration : longestToken, Math.max(0, next - at));
    const logProbability = ys_log_probs?.length === tokens.length ? ys_log_probs[i] : undefined;
    const start = from / 1000 + at;
    return {
      word,
      start,
      end: Math.min(to / 1000, start + lasts),
      ...(logProbability !== undefined && { probability: Math.min(1, Math.exp(logProbability)) }),
    };
  });
}

/** Assigns each word to the speaker heard most during it; without one, to the nearest speaker. */
function bySpeaker(segments: readonly HeardSegment[], turns: readonly Turn[]): HeardSegment[] {
  if (turns.length === 0) return [...segments];
  const split: { speaker: string | null; words: HeardWord[] }[] = [];
  const names = new Map<number, string>();
  for (const { words } of segments)
    for (const word of words) {
      const before = split.at(-1)?.speaker ?? null;
      const speaker = speakerOf(word, turns, before, names);
      const open = split.at(-1);
      if (open && speaker === before) open.words.push(word);
      else split.push({ speaker, words: [word] });
    }
  return split;
}

function speakerOf(
  { from, to }: HeardWord,
  turns: readonly Turn[],
  before: string | null,
  names: Map<number, string>,
): string {
  const heard = new Map<number, number>();
  let nearest: { speaker: number; away: number } | null = null;
  for (const { start, end, speaker } of turns) {
    const [begin, until] = [start * 1000, end * 1000];
    const shared = Math.min(to, until) - Math.max(from, begin);
    if (shared > 0) heard.set(speaker, (heard.get(speaker) ?? 0) + shared);
    if (!nearest || -shared < nearest.away) nearest = { speaker, away: -shared };
  }
  let best: number | null = null;
  for (const [speaker, shared] of heard) {
    const most = best === null ? -1 : (heard.get(best) ?? 0);
    // The previous speaker wins a tie.
    if (shared > most || (shared === most && names.get(speaker) === before)) best = speaker;
  }
  return nameOf(best ?? nearest?.speaker ?? 0, names);
}

/** Names speakers in the order in which they are first heard. */
function nameOf(speaker: number, names: Map<number, string>): string {
  const known = names.get(speaker);
  if (known !== undefined) return known;
  const name = `voice ${names.size + 1}`;
  names.set(speaker, name);
  return name;
}
