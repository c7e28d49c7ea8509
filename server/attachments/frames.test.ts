import { describe, expect, it } from 'vitest';
import { spoken } from '#tests/support/voice.ts';
import { framesOf } from './frames.ts';

describe('framesOf', () => {
  const sound = spoken(3);

  it('returns all frames and their duration', () => {
    expect(framesOf(sound)).toEqual({ bytes: sound, durationMs: 3004 });
  });

  it('drops tags before and after the frames', () => {
    const before = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x0a', 'latin1'), Buffer.from('<script>//')]);
    const behind = Buffer.alloc(128);
    behind.write('TAG<script>');
    expect(framesOf(Buffer.concat([before, sound, behind]))?.bytes.equals(sound)).toBe(true);
  });

  it('drops a last frame that is cut off', () => {
    expect(framesOf(sound.subarray(0, -10))?.bytes.equals(sound.subarray(0, -208))).toBe(true);
  });

  it.each([
    ['a page followed by audio', Buffer.concat([Buffer.from('<!doctype html><script>alert(1)</script>'), sound])],
    ['audio followed by a page', Buffer.concat([sound, Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['a page between two recordings', Buffer.concat([sound, Buffer.from('<svg onload=alert(1)>'), sound])],
    ['a single frame', sound.subarray(0, 208)],
    ['a header with an invalid rate', Buffer.from([0xff, 0xfb, 0xf0, 0xc0, ...Buffer.alloc(800)])],
    ['a tag that says it is longer than the file', Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1')],
    ['an empty file', Buffer.alloc(0)],
  ])('refuses %s', (_, bytes) => {
    expect(framesOf(bytes)).toBeNull();
  });
});
