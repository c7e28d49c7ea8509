import { differences, type Edit } from './transcript.ts';

// Smallest difference of two texts, word by word: a word that stays is never written anew, so it keeps its characters,
// and with them its time, the carets in it, and concurrent edits.

/** Replaces the tokens `from` up to `to` by `nowFrom` up to `nowTo` of the other list. */
interface Hunk {
  from: number;
  to: number;
  nowFrom: number;
  nowTo: number;
}

/** Tokens: words, blanks, and each other sign; in scripts without blanks each character. */
const blankless = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const token = new RegExp(String.raw`[${blankless}]|(?:(?![${blankless}])[\p{L}\p{N}\p{M}'’])+|\s+|.`, 'gsu');

export const tokensIn = (text: string): string[] => text.match(token) ?? [];

/** Limit of the comparison; texts that differ more are replaced as a whole. */
const mostDifferences = 1500;

/** Smallest difference of two lists, by Myers' greedy algorithm; `same` compares an index of each. */
export function hunksBetween(before: number, now: number, same: (i: number, j: number) => boolean): Hunk[] {
  let head = 0;
  while (head < before && head < now && same(head, head)) head += 1;
  let tail = 0;
  while (tail < before - head && tail < now - head && same(before - 1 - tail, now - 1 - tail)) tail += 1;
  const [old, fresh] = [before - head - tail, now - head - tail];
  if (old === 0 && fresh === 0) return [];
  const pairs = old > 0 && fresh > 0 ? keptBetween(old, fresh, (i, j) => same(head + i, head + j)) : [];
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...pairs, [old, fresh] as const]) {
    if (x > i || y > j) hunks.push({ from: head + i, to: head + x, nowFrom: head + j, nowTo: head + y });
    [i, j] = [x + 1, y + 1];
  }
  return hunks;
}

type Pair = readonly [i: number, j: number];

/** Pairs that stay; none if too much differs. */
function keptBetween(old: number, fresh: number, same: (i: number, j: number) => boolean): Pair[] {
  const most = Math.min(old + fresh, mostDifferences);
  const middle = most + 1;
  // Furthest index on each diagonal; `rounds` keeps the state at the start of each round, to trace the way back.
  const reached = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= most; d += 1) {
    rounds.push(reached.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const [left, right] = [reached[middle + k - 1] ?? 0, reached[middle + k + 1] ?? 0];
      let i = k === -d || (k !== d && left < right) ? right : left + 1;
      while (i < old && i - k < fresh && same(i, i - k)) i += 1;
      reached[middle + k] = i;
      if (i >= old && i - k >= fresh) return wayBack(rounds, old, fresh);
    }
  }
  return [];
}

function wayBack(rounds: readonly Int32Array[], old: number, fresh: number): Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [old, fresh];
  for (let d = rounds.length - 1; d >= 0; d -= 1) {
    const k = i - j;
    const at = (diagonal: number) => rounds[d]?.[diagonal + d + 1] ?? 0;
    const from = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const [beganI, beganJ] = [at(from), at(from) - from];
    while (i > beganI && j > beganJ) {
      [i, j] = [i - 1, j - 1];
      pairs.push([i, j]);
    }
    [i, j] = [beganI, beganJ];
  }
  return pairs.toReversed();
}

/** Edits that turn the text `before`, which begins at `at`, into `after`. */
export function wordEdits(at: number, before: string, after: string): Edit[] {
  const [old, now] = [tokensIn(before), tokensIn(after)];
  const [oldAt, nowAt] = [startsOf(old), startsOf(now)];
  return hunksBetween(old.length, now.length, (i, j) => old[i] === now[j]).flatMap(({ from, to, nowFrom, nowTo }) => {
    const gone = before.slice(oldAt[from], oldAt[to]);
    const put = after.slice(nowAt[nowFrom], nowAt[nowTo]);
    return differences(at + (oldAt[from] ?? 0), gone === '' ? [] : [gone], put === '' ? [] : [put]);
  });
}

/** Start of each token, and the end of the last. */
export function startsOf(tokens: readonly string[]): number[] {
  let at = 0;
  return [0, ...tokens.map((one) => (at += one.length))];
}
