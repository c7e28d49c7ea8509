import { expect, test } from 'vitest';
import { cutSamples, pieceRate, type Piece } from './pieces.ts';

const limits = { firstMs: 4000, mostMs: 8000 };

/** A tone with silent pauses, each from one second to another. */
function sound(seconds: number, pauses: readonly (readonly [number, number])[] = []): Buffer {
  const samples = Buffer.alloc(seconds * pieceRate * 2);
  for (let i = 0; i < samples.length / 2; i += 1) {
    const at = i / pieceRate;
    if (!pauses.some(([from, to]) => at >= from && at < to))
      samples.writeInt16LE(Math.round(Math.sin(i / 7) * 9000), i * 2);
  }
  return samples;
}

async function* chunks(samples: Buffer, size: number) {
  for (let at = 0; at < samples.length; at += size) yield samples.subarray(at, at + size);
}

async function cut(samples: Buffer, from = 0, size = 65_536): Promise<Piece[]> {
  const pieces: Piece[] = [];
  await cutSamples(chunks(samples, size), from, limits, async (piece) => void pieces.push(piece));
  return pieces;
}

const bounds = (pieces: readonly Piece[]) => pieces.map(({ from, to }) => [from, to]);

test('pieces end in pauses, without gaps between them', async () => {
  const pieces = await cut(
    sound(20, [
      [3, 3.5],
      [10, 10.5],
      [10.8, 10.9],
    ]),
  );
  const [[, first = 0] = [], [, second = 0] = [], ...rest] = bounds(pieces);
  expect(first).toBeGreaterThanOrEqual(3000);
  expect(first).toBeLessThanOrEqual(3500);
  expect(second).toBeGreaterThanOrEqual(10_000);
  expect(second).toBeLessThanOrEqual(10_500);
  expect(rest.at(-1)?.[1]).toBe(20_000);
  for (const [i, { from, samples, to }] of pieces.entries()) {
    expect(from).toBe(pieces[i - 1]?.to ?? 0);
    expect(samples.length).toBe((to - from) * (pieceRate / 1000) * 2);
    expect(to - from).toBeLessThanOrEqual(limits.mostMs);
  }
});

test('pieces hold every sample, whatever the size of chunks', async () => {
  const samples = sound(13, [[6, 6.4]]);
  const pieces = await cut(samples);
  expect(Buffer.concat(pieces.map((piece) => piece.samples)).equals(samples)).toBe(true);
  for (const size of [1001, 333_333, samples.length])
    expect(bounds(await cut(samples, 0, size))).toEqual(bounds(pieces));
});

test('resuming at the end of a piece finds the same further pieces', async () => {
  const samples = sound(25, [
    [9, 9.3],
    [17, 17.2],
  ]);
  const pieces = await cut(samples);
  expect(pieces.length).toBeGreaterThan(3);
  for (const [i, { to }] of pieces.entries())
    expect(bounds(await cut(samples, to, 777))).toEqual(bounds(pieces.slice(i + 1)));
});

test('silence is detected, and an odd last byte is dropped', async () => {
  expect((await cut(Buffer.alloc(pieceRate * 2 + 1))).map(({ silent, to }) => [silent, to])).toEqual([[true, 1000]]);
  expect((await cut(sound(1))).map(({ silent }) => silent)).toEqual([false]);
  expect(await cut(Buffer.alloc(0))).toEqual([]);
});
