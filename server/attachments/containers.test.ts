import { describe, expect, it } from 'vitest';
import { webm } from '#tests/support/voice.ts';
import { readMp4, readWebm } from './containers.ts';

describe('a WebM', () => {
  it('of one voice, with how long it is by its last piece', () => {
    expect(readWebm(webm({ seconds: 2 }))).toEqual({ type: 'audio/webm', durationMs: 2000 });
    expect(readWebm(webm({ codec: 'A_VORBIS' }))).not.toBeNull();
  });

  it.each([
    ['with a picture', webm({ type: 1 })],
    ['of a sound no browser plays', webm({ codec: 'A_DTS' })],
    ['that is something else', webm({ docType: 'matroska' })],
    ['with a file put in', webm({ more: Buffer.from([0x19, 0x41, 0xa4, 0x69, 0x84, 1, 2, 3, 4]) })],
    ['with a page behind it', Buffer.concat([webm(), Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['of more pieces than a voice has', webm({ more: Buffer.from('ec80'.repeat(250_000), 'hex') })],
    ['that was begun and holds nothing', webm().subarray(0, 60)],
  ])('%s is none', (_, bytes) => {
    expect(readWebm(bytes)).toBeNull();
  });
});

const box = (name: string, ...content: Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + inner.length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, inner]);
};
const mp4 = ({ handler = 'soun', codec = 'mp4a', ms = 1500 } = {}): Buffer => {
  const mvhd = Buffer.alloc(100);
  mvhd.writeUInt32BE(1000, 12);
  mvhd.writeUInt32BE(ms, 16);
  const hdlr = Buffer.concat([Buffer.alloc(8), Buffer.from(handler)]);
  const stsd = Buffer.concat([Buffer.alloc(12), Buffer.from(codec)]);
  const media = box('mdia', box('hdlr', hdlr), box('minf', box('stbl', box('stsd', stsd))));
  return Buffer.concat([
    box('ftyp', Buffer.from('isom')),
    box('moov', box('mvhd', mvhd), box('trak', media)),
    box('mdat', Buffer.from('sound')),
  ]);
};

describe('an MP4', () => {
  it('of one voice, with how long it says it is', () => {
    expect(readMp4(mp4())).toEqual({ type: 'audio/mp4', durationMs: 1500 });
    expect(readMp4(mp4({ codec: 'Opus', ms: 0 }))).toEqual({ type: 'audio/mp4', durationMs: null });
  });

  it.each([
    ['with a picture', mp4({ handler: 'vide' })],
    ['of a sound no browser plays', mp4({ codec: 'ac-3' })],
    ['with a page behind it', Buffer.concat([mp4(), Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['that ends too early', mp4().subarray(0, -3)],
    ['with a box that goes beyond its end', Buffer.concat([mp4(), Buffer.from('\0\0\x7fmdatsound', 'latin1')])],
    ['of more pieces than a voice has', Buffer.concat([mp4(), ...Array.from({ length: 250_000 }, () => box('free'))])],
    ['that is nothing but its name', box('ftyp', Buffer.from('isom'))],
  ])('%s is none', (_, bytes) => {
    expect(readMp4(bytes)).toBeNull();
  });
});
