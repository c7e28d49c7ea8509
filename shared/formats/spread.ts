import { newId } from '../ids.ts';
import type { Seed, SeedSegment, WireWord } from '../meetings/seed.ts';
import { speakerColors } from '../meetings/palette.ts';
import type { ImportNote } from './notes.ts';
import { InvalidTranscript, most } from './source.ts';
import { Joined, saysSomething, speakerKey, speakerName, voicesOf, type Parsed, type Piece } from './turns.ts';

// Spreads words over time. A file gives the start of a segment, sometimes its end; its words are spread by their
// letters and marked as estimated, so that an aligner may replace their times. No word crosses a time the file gives.

export interface Imported {
  seed: Seed;
  notes: ImportNote[];
  /** End of the last word, in milliseconds. */
  until: number;
  words: number;
}

export interface Around {
  /** Length of the recording, if known. */
  mediaMs?: number | undefined;
  id?: () => string;
}

/** Upper limit of the average time of a word, pauses included. */
const slowestWord = 450;
const grace = 1000;
/** Tolerance for media slightly shorter than the transcript. */
const tolerance = 2000;
const forgivenSteps = 2;

/** Scripts without blanks between words. */
const blankless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
let segmenter: Intl.Segmenter | null = null;

/** The segmenter takes quadratic time for a run, so that it gets a page at a time, cut behind punctuation if possible. */
const page = 400;

function* pagesOf(run: string): Generator<string> {
  for (let at = 0; at < run.length;) {
    let end = at + page;
    if (end < run.length) {
      for (let back = end; back > at + page / 2; back -= 1)
        if (/[\p{P}\p{Z}]/u.test(run.charAt(back - 1))) {
          end = back;
          break;
        }
      // Never between the halves of a character.
      if (/[\uDC00-\uDFFF]/.test(run.charAt(end))) end += 1;
    }
    yield run.slice(at, end);
    at = end;
  }
}

/** Words of a text with their positions. */
export function wordsOf(text: string): { at: number; w: string }[] {
  const words: { at: number; w: string }[] = [];
  for (const { 0: run, index } of text.matchAll(/\S+/g)) {
    // Stops above the limit; the caller refuses such a text.
    if (words.length > most.words) break;
    if (!blankless.test(run)) {
      words.push({ at: index, w: run });
      continue;
    }
    segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
    let before: { at: number; w: string } | null = null;
    let begins = index;
    for (const part of pagesOf(run)) {
      if (words.length > most.words) break;
      for (const { segment, index: within, isWordLike } of segmenter.segment(part)) {
        // Punctuation belongs to the word before it.
        if (!isWordLike && before) before.w += segment;
        else words.push((before = { at: begins + within, w: segment }));
      }
      begins += part.length;
    }
  }
  return words;
}

/** Letters of a word, and of the pause after it. */
function weightOf(word: string): { said: number; pause: number } {
  const said = Math.max(1, word.replace(/[\p{P}\p{S}]/gu, '').length);
  const pause = endsSentence(word) ? 3 : /[,;:，；：、–—-]$/u.test(word) ? 1.5 : 0.3;
  return { said, pause };
}

/** Whether there is a full stop in the punctuation at the end, read backwards: once for each character. */
function endsSentence(word: string): boolean {
  for (let at = word.length - 1; at >= 0 && /\p{P}/u.test(word.charAt(at)); at -= 1)
    if (/[.!?…。！？]/.test(word.charAt(at))) return true;
  return false;
}

/** Text between two known times, or after the last known one. */
interface Run {
  pieces: SpreadPiece[];
  from: number;
  to: number;
}

interface SpreadPiece extends Piece {
  line: number;
  words: { at: number; w: string }[];
  times: { from: number; to: number }[];
}

export function toSeed(parsed: Parsed, { mediaMs, id = newId }: Around = {}): Imported {
  const notes: ImportNote[] = [];
  const turns = parsed.turns.filter(saysSomething);
  let count = 0;
  const pieces = turns.map((turn) =>
    turn.pieces
      .filter(({ text }) => text !== '')
      .map((piece): SpreadPiece => {
        const words = wordsOf(piece.text);
        count += words.length;
        if (count > most.words) throw new InvalidTranscript(turn.line, `at most ${most.words} words`);
        return { ...piece, line: turn.line, words, times: [] };
      }),
  );
  const all = pieces.flat();
  if (!parsed.overlapping) forward(all, notes);
  if (all.every(({ from }) => from === null)) notes.push({ code: 'untimed' });
  for (const run of runsOf(all, mediaMs)) spread(run);

  const voices = voicesOf(turns);
  const ids = new Map(voices.map(({ key }) => [key, id()]));
  const speakers = voices.map(({ key, name }, i) => ({
    id: ids.get(key) ?? '',
    name,
    color: i % speakerColors,
    sortId: i,
  }));
  const segments = turns.map((turn, i): SeedSegment => ({
    id: id(),
    speaker: ids.get(speakerKey(speakerName(turn.speaker))) ?? '',
    ...textAndWords(pieces[i] ?? []),
  }));
  const until = all.reduce((last, { times }) => Math.max(last, times.at(-1)?.to ?? 0), 0);
  const begun = all.findLast(({ from }) => from !== null);
  if (mediaMs !== undefined && begun && Math.max(begun.from ?? 0, begun.to ?? 0) > mediaMs + tolerance)
    notes.push({ code: 'beyond', line: begun.line });
  if (parsed.skipped > 0) notes.push({ code: 'skipped', count: parsed.skipped });
  const { title, lang } = parsed;
  const about = { ...(title && { title }), ...(lang && { lang }) };
  return { seed: { about, speakers, segments }, notes, until, words: count };
}

function textAndWords(pieces: readonly SpreadPiece[]): Pick<SeedSegment, 'text' | 'words'> {
  const text = new Joined();
  const words: WireWord[] = [];
  let end = 0;
  for (const piece of pieces) {
    const base = text.add(piece.text);
    piece.words.forEach(({ at, w }, i) => {
      const { from = 0, to = 0 } = piece.times[i] ?? {};
      const tight = words.length > 0 && base + at === end;
      words.push({ w, f: from / 1000, t: to / 1000, estimated: true, ...(tight && { p: true }) });
      end = base + at + w.length;
    });
  }
  return { text: text.whole, words };
}

/**
 * Corrects times that run backwards. One or two jumps are slips; more mean a wrong file. If a single time is ahead of
 * those that follow, it is the wrong one, and its words lie between their neighbours.
 */
function forward(pieces: readonly SpreadPiece[], notes: ImportNote[]): void {
  const timed = pieces.flatMap((piece) => (piece.from === null ? [] : [{ piece, at: piece.from }]));
  let last = 0;
  let before = 0;
  let steps = 0;
  timed.forEach(({ piece, at }, i) => {
    const above = timed[i - 1];
    if (above && at < above.at) {
      const ahead = (timed[i + 1]?.at ?? Infinity) < above.at && at >= before;
      const slip = ahead ? above.piece : piece;
      steps += 1;
      if (steps > forgivenSteps) throw new InvalidTranscript(slip.line, 'times that do not run backwards');
      notes.push({ code: 'backwards', line: slip.line });
      if (ahead) {
        slip.from = null;
        slip.to = null;
        last = before;
      }
    }
    if (at < last) {
      piece.from = last;
      if (piece.to !== null) piece.to = Math.max(piece.to, last);
    }
    before = last;
    last = Math.max(at, last);
  });
}

const longest = ({ words }: SpreadPiece): number => slowestWord * words.length;

/** Runs begin at a known time and end before the next one. */
function runsOf(pieces: readonly SpreadPiece[], mediaMs: number | undefined): Run[] {
  const runs: Run[] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (!run || piece.from !== null || run.pieces.at(-1)?.to != null) {
      const from = piece.from ?? run?.pieces.at(-1)?.to ?? 0;
      runs.push({ pieces: [piece], from, to: from });
    } else run.pieces.push(piece);
  }
  runs.forEach((run, i) => {
    const next = runs[i + 1]?.from ?? mediaMs ?? Infinity;
    const given = run.pieces.at(-1)?.to ?? null;
    const spoken = run.from + run.pieces.reduce((sum, piece) => sum + longest(piece), 0) + grace;
    // Without any time, only the length of the recording limits it.
    const cap = run.pieces[0]?.from == null ? (mediaMs ?? spoken) : spoken;
    // An end given by the file may reach into the next segment: people interrupt each other.
    run.to = Math.max(run.from, given ?? Math.min(cap, next));
  });
  return runs;
}

function spread({ pieces, from, to }: Run): void {
  const weights = pieces.map(({ words }) => words.map(({ w }) => weightOf(w)));
  // The pause after the last word is not part of it.
  const last = weights.at(-1)?.at(-1);
  if (last) last.pause = 0;
  const all = weights.flat().reduce((sum, { said, pause }) => sum + said + pause, 0);
  const at = (passed: number) => from + Math.round(((to - from) * passed) / all);
  let passed = 0;
  pieces.forEach((piece, i) => {
    piece.times = (weights[i] ?? []).map(({ said, pause }) => {
      const times = { from: at(passed), to: at(passed + said) };
      passed += said + pause;
      return times;
    });
  });
}
