import { z } from 'zod';
import { wordsOf } from '#shared/formats/spread.ts';
import type { HeardSegment, HeardWord } from '#shared/meetings/heard.ts';

// Answers of servers with OpenAI's API, and of those that nearly have it: words with times beside the segments or
// within them, no words, or only a text. The text of a segment has punctuation, its words often do not: so the text is
// used, with the times of the words.

const time = z.number().nullish();
const word = z.looseObject({
  word: z.string().nullish(),
  text: z.string().nullish(),
  start: time,
  end: time,
  probability: z.number().nullish(),
  confidence: z.number().nullish(),
  score: z.number().nullish(),
  speaker: z.string().nullish(),
});
const segment = z.looseObject({
  text: z.string().nullish(),
  start: time,
  end: time,
  speaker: z.string().nullish(),
  words: z.array(word).nullish(),
});
const answer = z.looseObject({
  text: z.string().nullish(),
  segments: z.array(segment).max(50_000).nullish(),
  words: z.array(word).max(500_000).nullish(),
});

interface Timed {
  letters: string;
  from: number;
  to: number;
  confidence: number | null;
  speaker: string | null;
}

interface Token {
  text: string;
  letters: string;
}

interface Part {
  tokens: Token[];
  speaker: string | null;
  from: number;
  to: number;
}

/** Reads an answer; null if it is no transcript. Times are relative to the piece, which is `mostMs` long. */
export function readAnswer(body: unknown, mostMs: number): HeardSegment[] | null {
  const parsed = answer.safeParse(body);
  if (!parsed.success) return null;
  const { text, segments, words } = parsed.data;
  if (text == null && segments == null) return null;
  const within = (seconds: number) => Math.round(Math.min(mostMs, Math.max(0, seconds * 1000)));
  const said = segments?.some((one) => one.text?.trim()) ? segments : [{ text, start: 0, end: mostMs / 1000 }];
  const timed = (words?.length ? words : said.flatMap((one) => ('words' in one ? (one.words ?? []) : []))).flatMap(
    (one): Timed[] => {
      const letters = lettersOf(one.word ?? one.text ?? '');
      if (letters === '' || one.start == null || !Number.isFinite(one.start)) return [];
      const from = within(one.start);
      const to = Math.max(from, within(one.end ?? one.start));
      const confidence = one.probability ?? one.confidence ?? one.score ?? null;
      const fits = confidence !== null && confidence >= 0 && confidence <= 1;
      return [{ letters, from, to, confidence: fits ? confidence : null, speaker: one.speaker ?? null }];
    },
  );
  let last = 0;
  const parts = said.map((one): Part => {
    const from = within(one.start ?? last / 1000);
    const to = Math.max(from, within(one.end ?? mostMs / 1000));
    last = to;
    const speaker = 'speaker' in one && typeof one.speaker === 'string' && one.speaker !== '' ? one.speaker : null;
    const tokens = wordsOf(one.text ?? '').map(({ w }) => ({ text: w, letters: lettersOf(w) }));
    return { tokens, speaker, from, to };
  });
  const found = align(
    parts.flatMap(({ tokens }) => tokens),
    timed,
  );
  let nth = 0;
  return parts.flatMap((part): HeardSegment[] => {
    const mine = found.slice(nth, (nth += part.tokens.length));
    return bySpeaker(part, timesIn(part, mine), mine);
  });
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '');

interface Place {
  from: number;
  to: number;
  confidence: number | null;
  speaker: string | null;
}

/** Words that may be skipped to find a match. */
const ahead = 8;

/** Times of each token whose letters are those of one or more words; null for tokens without a match. */
function align(tokens: readonly Token[], words: readonly Timed[]): (Place | null)[] {
  const places: (Place | null)[] = [];
  let word = 0;
  /** Letters of that word that are matched already. */
  let used = 0;
  for (const [nth, { letters }] of tokens.entries()) {
    if (letters === '') {
      places.push(null);
      continue;
    }
    let place: Place | null = null;
    if (used > 0) place = take(letters);
    if (!place) {
      if (used > 0) [word, used] = [word + 1, 0];
      place = take(letters);
      // Words written differently in the text, such as numbers, are skipped if this token follows them; a short token
      // must be followed by the next one, too.
      for (let skipped = 1; !place && skipped <= ahead && word + skipped < words.length; skipped += 1) {
        const next = tokens[nth + 1]?.letters;
        if (!begins(letters, word + skipped) || (next && letters.length < 4 && !begins(letters + next, word + skipped)))
          continue;
        word += skipped;
        place = take(letters);
      }
    }
    places.push(place);
  }
  return places;

  function begins(letters: string, at: number): boolean {
    let left = letters;
    for (let i = at; left !== ''; i += 1) {
      const there = words[i]?.letters;
      if (there === undefined) return false;
      if (left.length <= there.length) return there.startsWith(left);
      if (!left.startsWith(there)) return false;
      left = left.slice(there.length);
    }
    return true;
  }

  function take(letters: string): Place | null {
    let [at, from] = [word, used];
    let left = letters;
    let place: Place | null = null;
    while (left !== '') {
      const one = words[at];
      if (!one) return null;
      const rest = one.letters.slice(from);
      const common = Math.min(rest.length, left.length);
      if (rest.slice(0, common) !== left.slice(0, common)) return null;
      const share = (letter: number) => one.from + Math.round(((one.to - one.from) * letter) / one.letters.length);
      const { confidence, speaker } = one;
      place ??= { from: share(from), to: 0, confidence, speaker };
      place.to = share(from + common);
      if (confidence !== null) place.confidence = Math.min(place.confidence ?? 1, confidence);
      left = left.slice(common);
      from += common;
      if (from === one.letters.length) [at, from] = [at + 1, 0];
    }
    [word, used] = [at, from];
    return place;
  }
}

/** Words without times share the time between their neighbours in proportion to their letters. */
function timesIn({ tokens, from, to }: Part, places: readonly (Place | null)[]): HeardWord[] {
  const words: HeardWord[] = [];
  let before = from;
  for (let nth = 0; nth < tokens.length;) {
    const place = places[nth];
    if (place) {
      const begin = Math.max(before, place.from);
      before = Math.max(begin, place.to);
      const confidence = place.confidence === null ? {} : { confidence: place.confidence };
      words.push({ text: tokens[nth]?.text ?? '', from: begin, to: before, ...confidence });
      nth += 1;
      continue;
    }
    let end = nth;
    while (end < tokens.length && !places[end]) end += 1;
    const until = Math.max(before, places[end]?.from ?? to);
    const run = tokens.slice(nth, end);
    const weight = (list: readonly Token[]) => list.reduce((sum, { text }) => sum + text.length + 1, 0);
    const at = (passed: number) => Math.round(before + ((until - before) * passed) / weight(run));
    for (const [i, { text }] of run.entries()) {
      const passed = weight(run.slice(0, i));
      words.push({ text, from: at(passed), to: at(passed + text.length), estimated: true });
    }
    before = until;
    nth = end;
  }
  return words;
}

/** Splits a segment by speaker, for servers that report the speaker of each word. */
function bySpeaker(part: Part, words: readonly HeardWord[], places: readonly (Place | null)[]): HeardSegment[] {
  const segments: { speaker: string | null; words: HeardWord[] }[] = [];
  for (const [i, word] of words.entries()) {
    const open = segments.at(-1);
    const speaker = places[i]?.speaker ?? (places[i] ? part.speaker : (open?.speaker ?? part.speaker));
    if (open && open.speaker === speaker) open.words.push(word);
    else segments.push({ speaker, words: [word] });
  }
  return segments;
}
