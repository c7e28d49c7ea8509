import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTimings, encodeTimings, slotAt, slotFrom, type Slot } from './timings.ts';

const steps = fc.array(
  fc.record({
    gap: fc.oneof(fc.nat(3), fc.nat(100_000)),
    length: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5000 })),
    pause: fc.oneof(fc.nat(2000), fc.integer({ min: -3000, max: 300_000 })),
    duration: fc.oneof(fc.nat(600), fc.nat(100_000)),
    confidence: fc.option(fc.nat(100).map((n) => n / 100)),
    flags: fc.nat(31),
  }),
  { maxLength: 60 },
);

/** Any valid table; words may overlap, as when people interrupt each other. */
const tables = fc.tuple(steps, fc.constantFrom(1, 1, 10, 20)).map(([list, unit]) => {
  let [clock, time] = [0, 0];
  return list.map(({ gap, length, pause, duration, confidence, flags }): Slot => {
    const at = clock + gap;
    const from = Math.max(0, time + pause * unit);
    clock = at + length;
    time = from + duration * unit;
    return { at, length, from, to: time, confidence, flags };
  });
});

const readBack = (bytes: Uint8Array): Slot[] | null => {
  const slots = decodeTimings(bytes);
  return slots && Array.from({ length: slots.count }, (_, i) => slotAt(slots, i) as Slot);
};

describe('the table of word times', () => {
  it('reads back what was written', () => {
    fc.assert(
      fc.property(tables, (slots) => {
        expect(readBack(encodeTimings(slots))).toEqual(slots);
      }),
    );
  });

  it('takes about five bytes a word of ordinary speech', () => {
    let [at, from] = [1, 0];
    const slots = Array.from({ length: 10_000 }, (_, i): Slot => {
      const slot = { at, length: 2 + (i % 8), from, to: from + 120 + (i % 30) * 10, confidence: 0.9, flags: 0 };
      at += slot.length + 1;
      from = slot.to + (i % 5 === 0 ? 400 : 0);
      return slot;
    });
    expect(encodeTimings(slots).byteLength / slots.length).toBeLessThan(5.5);
  });

  it('accepts only whole tables, and never throws', () => {
    fc.assert(
      fc.property(tables, fc.nat(), fc.integer({ min: 1, max: 255 }), (slots, place, flip) => {
        const bytes = encodeTimings(slots);
        expect(decodeTimings(bytes.slice(0, place % bytes.length))).toBeNull();
        expect(decodeTimings(Uint8Array.from([...bytes, 0]))).toBeNull();
        const bent = bytes.slice();
        bent[place % bent.length] = (bent[place % bent.length] ?? 0) ^ flip;
        const read = readBack(bent) ?? [];
        let clock = 0;
        for (const slot of read) {
          expect(slot.at).toBeGreaterThanOrEqual(clock);
          expect(slot.length).toBeGreaterThan(0);
          expect(slot.to).toBeGreaterThanOrEqual(slot.from);
          clock = slot.at + slot.length;
        }
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        decodeTimings(bytes);
      }),
    );
    for (const garbage of [null, undefined, 'text', 7, {}, [], new Uint8Array(0)])
      expect(decodeTimings(garbage)).toBeNull();
  });

  it.each([
    ['an unknown version', [2, 0, 1, 0]],
    ['a count the bytes cannot hold', [1, 0, 1, 255, 255, 255, 255, 7]],
    ['a unit of nothing', [1, 0, 0, 0]],
    ['a time before the beginning', [1, 0, 1, 1, 0x10, 1, 5]],
    ['a confidence of more than all', [1, 1, 1, 1, 0x10, 0, 5, 101]],
    ['an unknown flag', [1, 0, 1, 1, 0x18, 32, 0, 5]],
  ])('refuses %s', (_, bytes) => expect(decodeTimings(Uint8Array.from(bytes))).toBeNull());

  const word: Slot = { at: 5, length: 3, from: 100, to: 200, confidence: null, flags: 0 };
  it.each([
    ['overlap', [word, { ...word, at: 7 }]],
    ['have no character', [{ ...word, length: 0 }]],
    ['end before they begin', [{ ...word, to: 99 }]],
    ['begin at a fraction', [{ ...word, from: 1.5 }]],
    ['have no time', [{ ...word, from: Number.NaN }]],
  ])('writes no words that %s', (_, slots) => expect(() => encodeTimings(slots)).toThrow(RangeError));

  it('finds the word at a clock', () => {
    const slots = decodeTimings(encodeTimings([word, { ...word, at: 8 }, { ...word, at: 12 }]));
    if (!slots) throw new Error('not read');
    expect([0, 5, 7, 8, 10, 11, 12, 14, 15].map((clock) => slotFrom(slots, clock))).toEqual([
      0, 0, 0, 1, 1, 2, 2, 2, 3,
    ]);
  });
});
