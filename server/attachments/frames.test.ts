import { describe, expect, it } from 'vitest';
import { spoken } from '#tests/support/voice.ts';
import { framesOf } from './frames.ts';

describe('the frames of an mp3', () => {
  const sound = spoken(3);

  it('are all of it, and tell how long it is', () => {
    expect(framesOf(sound)).toEqual({ bytes: sound, durationMs: 3004 });
  });

  it('stay alone: tags before and behind go', () => {
    const before = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x0a', 'latin1'), Buffer.from('<script>//')]);
    const behind = Buffer.alloc(128);
    behind.write('TAG<script>');
    expect(framesOf(Buffer.concat([before, sound, behind]))?.bytes.equals(sound)).toBe(true);
  });

  it('end before one that was cut off', () => {
    expect(framesOf(sound.subarray(0, -10))?.bytes.equals(sound.subarray(0, -208))).toBe(true);
  });

  it.each([
    ['a page with a sound behind it', Buffer.concat([Buffer.from('<!doctype html><script>alert(1)</script>'), sound])],
    ['a sound with a page behind it', Buffer.concat([sound, Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['a page between two sounds', Buffer.concat([sound, Buffer.from('<svg onload=alert(1)>'), sound])],
    ['one head', sound.subarray(0, 208)],
    ['a head with a rate there is not', Buffer.from([0xff, 0xfb, 0xf0, 0xc0, ...Buffer.alloc(800)])],
    ['a tag that says it is longer than the file', Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1')],
    ['nothing', Buffer.alloc(0)],
  ])('are not found in %s', (_, bytes) => {
    expect(framesOf(bytes)).toBeNull();
  });
});
