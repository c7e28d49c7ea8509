import { describe, expect, it } from 'vitest';
import { webm } from '#tests/support/voice.ts';
import { readMp4, readWebm } from './containers.ts';

describe('readWebm', () => {
  it('reads one audio track and takes the duration from the last block', () => {
    expect(readWebm(webm({ seconds: 2 }))).toEqual({ type: 'audio/webm', durationMs: 2000 });
    expect(readWebm(webm({ codec: 'A_VORBIS' }))).not.toBeNull();
  });

  it.each([
    ['with a picture', webm({ type: 1 })],
    ['with a codec that no browser plays', webm({ codec: 'A_DTS' })],
    ['of another document type', webm({ docType: 'matroska' })],
    ['with an attached file', webm({ more: Buffer.from([0x19, 0x41, 0xa4, 0x69, 0x84, 1, 2, 3, 4]) })],
    ['with a page after it', Buffer.concat([webm(), Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['with too many elements', webm({ more: Buffer.from('ec80'.repeat(250_000), 'hex') })],
    ['without audio', webm().subarray(0, 60)],
  ])('refuses a file %s', (_, bytes) => {
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

describe('readMp4', () => {
  it('reads one audio track and its stated duration', () => {
    expect(readMp4(mp4())).toEqual({ type: 'audio/mp4', durationMs: 1500 });
    expect(readMp4(mp4({ codec: 'Opus', ms: 0 }))).toEqual({ type: 'audio/mp4', durationMs: null });
  });

  it.each([
    ['with a picture', mp4({ handler: 'vide' })],
    ['with a codec that no browser plays', mp4({ codec: 'ac-3' })],
    ['with a page after it', Buffer.concat([mp4(), Buffer.from('<!doctype html><script>alert(1)</script>')])],
    ['that ends too early', mp4().subarray(0, -3)],
    ['with a box that exceeds the file', Buffer.concat([mp4(), Buffer.from('\0\0\x7fmdatsound', 'latin1')])],
    ['with too many boxes', Buffer.concat([mp4(), ...Array.from({ length: 250_000 }, () => box('free'))])],
    ['with only a type box', box('ftyp', Buffer.from('isom'))],
  ])('refuses a file %s', (_, bytes) => {
    expect(readMp4(bytes)).toBeNull();
  });
});
