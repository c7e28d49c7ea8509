import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { findDrift, keepTimes, moveTimes, noteDrift, readDrift } from './drift.ts';
import type { Peaks } from './media.ts';
import { writeSeed } from './seed.ts';
import { textOf } from './transcript.ts';
import { readWords } from './words.ts';

interface Timed {
  from: number;
  to: number;
}
const demo = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../server/demo/${name}`, import.meta.url), 'utf8'));
/** Three minutes of synthetic speech, with the exact time of each word. */
const peaks = demo('talk.peaks.json') as Peaks;
const talk = (demo('talk.json') as { segments: { words: { f: number; t: number }[] }[] }).segments.map(({ words }) =>
  words.map(({ f, t }) => ({ from: f, to: t })),
);
const words = talk.flat();
const moved = (list: readonly Timed[], by: (time: number) => number): Timed[] =>
  list.map(({ from, to }) => ({ from: Math.max(0, from + by(from)), to: Math.max(0, to + by(to)) }));
/** Transcript with start times only, as some programs export it: words are spread over each segment. */
const spread = talk.flatMap((turn) => {
  const from = Math.floor((turn[0]?.from ?? 0) / 1000) * 1000;
  const each = ((turn.at(-1)?.to ?? 0) - from) / turn.length;
  return turn.map((_, i) => ({ from: from + i * each, to: from + (i + 1) * each }));
});

/** Reproducible pseudo-random numbers. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}
/** Words with pauses between sentences, and matching sound. */
function made(minutes: number, seed: number, noise = 3): { words: Timed[]; peaks: Peaks } {
  const roll = dice(seed);
  const list: Timed[] = [];
  for (let at = 500; at < minutes * 60_000;) {
    const count = 3 + Math.floor(roll() * 12);
    for (let i = 0; i < count; i += 1) {
      const to = at + 120 + roll() * 400;
      list.push({ from: at, to });
      at = to + roll() * 60;
    }
    at += 200 + roll() * 1800;
  }
  const sound = Array.from({ length: minutes * 60 * 20 }, () => Math.floor(roll() * noise));
  for (const { from, to } of list)
    for (let i = Math.floor(from / 50); i * 50 < to && i < sound.length; i += 1)
      sound[i] = 40 + Math.floor(roll() * 200);
  return { words: list, peaks: { perSecond: 20, peaks: sound } };
}

describe('a spoken talk', () => {
  it.each([5000, -4000, 2600, 31_000])('whose text lies %i ms off', (by) => {
    // A text that is late by some time has sound that is early by as much.
    const found = findDrift(
      peaks,
      moved(words, () => by),
    );
    expect(found?.start).toBeGreaterThan(-by - 400);
    expect(found?.start).toBeLessThan(-by + 400);
    expect(found?.end).toBe(found?.start);
  });
  it.each([0, 1000, -1200])('whose text lies %i ms off gives no result', (by) => {
    expect(
      findDrift(
        peaks,
        moved(words, () => by),
      ),
    ).toBeNull();
  });
  it('whose text drifts away', () => {
    const found = findDrift(
      peaks,
      moved(words, (time) => time * 0.03),
    );
    expect(Math.abs(found?.start ?? 9999)).toBeLessThan(700);
    expect(found?.end).toBeGreaterThan(-6000);
    expect(found?.end).toBeLessThan(-4000);
  });
  it('with times in whole seconds', () => {
    expect(findDrift(peaks, spread)).toBeNull();
    const found = findDrift(
      peaks,
      moved(spread, () => 5000),
    );
    expect(Math.abs((found?.start ?? 9999) + 5000)).toBeLessThan(1200);
  });
  it('with the transcript of another recording', () => {
    for (let seed = 1; seed < 9; seed += 1) expect(findDrift(peaks, made(3, seed).words)).toBeNull();
  });
});

describe('an hour', () => {
  const { words: hour, peaks: sound } = made(60, 77);
  it('fits', () => expect(findDrift(sound, hour)).toBeNull());
  it('begins half a minute late', () => {
    const found = findDrift(
      sound,
      moved(hour, () => -30_000).filter(({ to }) => to > 0),
    );
    expect(Math.abs((found?.start ?? 0) - 30_000)).toBeLessThan(300);
  });
  it('drifts by five seconds', () => {
    const found = findDrift(
      sound,
      moved(hour, (time) => (time / 3_600_000) * 5000),
    );
    expect(Math.abs(found?.start ?? 9999)).toBeLessThan(600);
    expect(Math.abs((found?.end ?? 0) + 5000)).toBeLessThan(600);
  });
  it('with music in one half', () => {
    const roll = dice(5);
    const half = sound.peaks.map((peak, i) => (i < sound.peaks.length / 2 ? 150 + Math.floor(roll() * 80) : peak));
    expect(findDrift({ perSecond: 20, peaks: half }, hour)).toBeNull();
    const found = findDrift(
      { perSecond: 20, peaks: half },
      moved(hour, () => 5000),
    );
    expect(Math.abs((found?.end ?? 0) + 5000)).toBeLessThan(600);
  });
});

it('music, noise, silence, a beat and short recordings give no result', () => {
  const text = moved(made(10, 3).words, () => 4000);
  const roll = dice(9);
  const of = (level: (i: number) => number): Peaks => ({
    perSecond: 20,
    peaks: Array.from({ length: 12_000 }, (_, i) => level(i)),
  });
  expect(
    findDrift(
      of(() => 0),
      text,
    ),
  ).toBeNull();
  expect(
    findDrift(
      of(() => 120),
      text,
    ),
  ).toBeNull();
  expect(
    findDrift(
      of(() => Math.floor(roll() * 255)),
      text,
    ),
  ).toBeNull();
  expect(
    findDrift(
      of((i) => (i % 10 < 3 ? 250 : 20)),
      text,
    ),
  ).toBeNull();
  expect(findDrift({ perSecond: 20, peaks: [] }, text)).toBeNull();
  expect(findDrift(peaks, [])).toBeNull();
  const short = made(1, 4);
  expect(
    findDrift(
      { perSecond: 20, peaks: short.peaks.peaks.slice(0, 400) },
      moved(short.words, () => 5000),
    ),
  ).toBeNull();
});

describe('in the document', () => {
  const drift = { start: -5000, end: -5000, over: 100_000 };
  function written(): Y.Doc {
    const doc = new Y.Doc();
    const spoken = [
      { w: 'Good', f: 6, t: 6.4 },
      { w: 'morning', f: 6.4, t: 7.25 },
      { w: 'all', f: 30, t: 31 },
    ];
    writeSeed(doc, { speakers: [], segments: [{ id: 'a', speaker: 'x', words: spoken }] }, 'seed');
    noteDrift(doc, drift, 'seed');
    doc.clientID = 4711;
    return doc;
  }
  const times = (doc: Y.Doc) =>
    readWords(doc).segments.flatMap(({ words: list }) => list.map(({ from, text }) => `${text} ${from}`));

  it('all times are moved and edits stay; undo restores everything', () => {
    const doc = written();
    textOf(doc).insert(5, ' fine');
    const text = textOf(doc).toString();
    const before = times(doc);
    const takeBack = moveTimes(doc, drift, 'me');
    expect(textOf(doc).toString()).toBe(text);
    expect(times(doc).filter((one) => !one.startsWith('fine'))).toEqual(['Good 1000', 'morning 1400', 'all 25000']);
    expect(readDrift(doc)).toBeNull();
    takeBack();
    expect(times(doc)).toEqual(before);
    expect(readDrift(doc)).toEqual(drift);
  });

  it('two people who do it at the same time do it once', () => {
    const [one, other] = [written(), new Y.Doc()];
    Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
    moveTimes(one, drift, 'me');
    moveTimes(other, drift, 'me');
    const [mine, theirs] = [Y.encodeStateAsUpdate(one), Y.encodeStateAsUpdate(other)];
    Y.applyUpdate(one, theirs);
    Y.applyUpdate(other, mine);
    expect(times(one)).toEqual(['Good 1000', 'morning 1400', 'all 25000']);
    expect(times(other)).toEqual(times(one));
  });

  it('accepting the times ends the question; no time is negative', () => {
    const doc = written();
    moveTimes(doc, { start: -20_000, end: -20_000, over: 100_000 }, 'me');
    expect(times(doc)).toEqual(['Good 0', 'morning 0', 'all 10000']);
    const kept = written();
    keepTimes(kept, 'me');
    expect(readDrift(kept)).toBeNull();
    kept.getMap('about').set('drift', { start: 'x', end: 1, over: 0 });
    expect(readDrift(kept)).toBeNull();
  });
});
