import type { PlainSegment } from './plain.ts';

// Figures of a conversation, computed from its transcript alone. Times in seconds.

export interface SpeakerFigures {
  speaker: string;
  /** Speaking time in seconds, and its share of all speaking time. */
  talk: number;
  share: number;
  /** Number of turns (a turn is a run of consecutive segments), and the longest one in seconds. */
  turns: number;
  longestTurn: number;
  words: number;
  /** Words a minute. */
  pace: number;
  questions: number;
}

export interface Analytics {
  speakers: SpeakerFigures[];
  /** Time from the first word to the last, or the length of the media when known. */
  duration: number;
  /** Seconds without speech. */
  silence: number;
  /** Speaking time of each speaker in equal parts of the recording. */
  overTime: { from: number; to: number; talk: Record<string, number> }[];
}

const questionEnds = /[?？؟;]+(?=[\s\p{Pe}\p{Pf}"'’]|$)|[？؟]/gu;
const isGreek = /\p{sc=Grek}/u;

export function questionsIn(text: string): number {
  const marks = text.match(questionEnds) ?? [];
  // The Greek question mark looks like a semicolon, and is often typed as one.
  return marks.filter((mark) => mark !== ';' || isGreek.test(text)).length;
}

/** Excludes bare punctuation: a comma alone is no word. */
const isWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

export function analyse(
  segments: readonly PlainSegment[],
  { length, parts = 20 }: { length?: number; parts?: number } = {},
): Analytics {
  const spoken = segments.filter(({ words }) => words.length > 0);
  const begin = length === undefined ? Math.min(...spoken.map(({ start }) => start), Infinity) : 0;
  const last = Math.max(0, ...spoken.map(({ end }) => end));
  const from = Number.isFinite(begin) ? begin : 0;
  const end = Math.max(from, length ?? last, last);
  const figures = new Map<string, SpeakerFigures>();
  const step = (end - from) / parts;
  const overTime =
    step > 0
      ? Array.from({ length: parts }, (_, i) => ({
          from: from + i * step,
          to: from + (i + 1) * step,
          talk: {} as Record<string, number>,
        }))
      : [];

  const turn: { speaker: string | null; talk: number } = { speaker: null, talk: 0 };
  for (const { speaker, start, end: stop, text, words } of spoken) {
    const figure = figures.get(speaker) ?? {
      speaker,
      talk: 0,
      share: 0,
      turns: 0,
      longestTurn: 0,
      words: 0,
      pace: 0,
      questions: 0,
    };
    figures.set(speaker, figure);
    const talk = Math.max(0, stop - start);
    if (turn.speaker === speaker) turn.talk += talk;
    else {
      Object.assign(turn, { speaker, talk });
      figure.turns += 1;
    }
    figure.longestTurn = Math.max(figure.longestTurn, turn.talk);
    figure.talk += talk;
    figure.words += words.filter(({ w }) => isWord(w)).length;
    figure.questions += questionsIn(text);
    for (let i = Math.max(0, Math.floor((start - from) / step)); i < overTime.length; i += 1) {
      const part = overTime[i];
      if (!part || part.from >= stop) break;
      part.talk[speaker] =
        (part.talk[speaker] ?? 0) + Math.max(0, Math.min(stop, part.to) - Math.max(start, part.from));
    }
  }
  const total = [...figures.values()].reduce((sum, { talk }) => sum + talk, 0);
  for (const figure of figures.values()) {
    figure.share = total > 0 ? figure.talk / total : 0;
    figure.pace = figure.talk > 0 ? figure.words / (figure.talk / 60) : 0;
  }
  return {
    speakers: [...figures.values()].sort((a, b) => b.talk - a.talk),
    duration: end - from,
    silence: silenceIn(spoken, from, end),
    overTime,
  };
}

/** Silence counts only where nobody speaks: speakers may overlap. */
function silenceIn(spoken: readonly PlainSegment[], from: number, to: number): number {
  let [silent, filled] = [0, from];
  for (const { start, end } of [...spoken].sort((a, b) => a.start - b.start)) {
    if (start > filled) silent += start - filled;
    filled = Math.max(filled, end);
  }
  return silent + Math.max(0, to - filled);
}

interface Tagged {
  type: string;
  start: number;
}

/** Tagged passages of each part by type, in order of time. Passages outside all parts count in the nearest one. */
export function taggedOverTime<T extends Tagged>(
  parts: readonly { from: number; to: number }[],
  tagged: readonly T[],
): Map<string, T[][]> {
  const found = new Map<string, T[][]>();
  if (parts.length === 0) return found;
  for (const one of tagged.toSorted((a, b) => a.start - b.start)) {
    const lane = found.get(one.type) ?? parts.map((): T[] => []);
    found.set(one.type, lane);
    const at = parts.findIndex(({ to }) => one.start < to);
    lane.at(at)?.push(one);
  }
  return found;
}
