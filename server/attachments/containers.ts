// Checks files that browsers record, from start to end, for installations without ffmpeg. A file with anything besides
// one audio track, such as a picture or an attached file, is refused.

interface Heard {
  type: string;
  /** Null if the file does not say. */
  durationMs: number | null;
}

/** Limit on elements, several times what the longest voice note has: a file of tiny elements could hold millions. */
const mostPieces = 200_000;

const ids = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackType: 0x83,
  codec: 0x86,
  cluster: 0x1f43b675,
  time: 0xe7,
  block: 0xa3,
};
const opened = new Set([ids.ebml, ids.segment, ids.info, ids.tracks, ids.track, ids.cluster]);
/** Elements that are skipped: indexes, padding, titles, encoder settings. */
const passedOver = new Set([
  0x114d9b74, 0xec, 0x1c53bb6b, 0x1254c367, 0xbf, 0xa0, 0xab, 0xa7, 0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4287, 0x4285,
  0x4489, 0x4d80, 0x5741, 0x4461, 0x7ba9, 0x73a4, 0xd7, 0x73c5, 0x9c, 0x22b59c, 0x22b59d, 0x536e, 0x63a2, 0x56aa,
  0x56bb, 0xe1, 0x23e383, 0xb9, 0x88, 0x55aa, 0x86, 0x258688,
]);

/** Reads an id or a length; a length of all ones means unknown. */
function numberAt(bytes: Buffer, at: number, keepMark: boolean): { value: number; next: number; open: boolean } | null {
  const first = bytes[at];
  if (first === undefined || first === 0) return null;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length || (keepMark && length > 4)) return null;
  let value = keepMark ? first : first & (0xff >> length);
  let open = (first | ((0xff << (8 - length)) & 0xff)) === 0xff;
  for (let i = 1; i < length; i += 1) {
    const byte = bytes[at + i] ?? 0;
    open &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return { value, next: at + length, open };
}

/** Reads a WebM file with a single Opus or Vorbis track; null for any other content. */
export function readWebm(bytes: Buffer): Heard | null {
  let scale = 1_000_000;
  let cluster = 0;
  let last = 0;
  let tracks = 0;
  let blocks = 0;
  let isWebm = false;
  let known = false;
  let pieces = 0;
  for (let at = 0; at < bytes.length;) {
    if ((pieces += 1) > mostPieces) return null;
    const id = numberAt(bytes, at, true);
    const length = id && numberAt(bytes, id.next, false);
    if (!id || !length) return null;
    const { next } = length;
    if (opened.has(id.value)) {
      if (id.value === ids.ebml && at !== 0) return null;
      if (id.value === ids.track) tracks += 1;
      at = next;
      continue;
    }
    if (length.open) return null;
    const end = next + length.value;
    const content = bytes.subarray(next, end);
    // The last block may be cut off where the recording ended.
    if (end > bytes.length && id.value !== ids.block) return null;
    const number = () => (content.length > 0 && content.length <= 6 ? content.readUIntBE(0, content.length) : -1);
    switch (id.value) {
      case ids.docType:
        isWebm = content.toString('latin1') === 'webm';
        break;
      case ids.scale:
        scale = number();
        break;
      case ids.trackType:
        if (number() !== 2) return null;
        break;
      case ids.codec:
        known = ['A_OPUS', 'A_VORBIS'].includes(content.toString('latin1'));
        break;
      case ids.time:
        cluster = number();
        break;
      case ids.block:
        if (content.length >= 4) last = Math.max(last, cluster + content.readInt16BE(1));
        blocks += 1;
        break;
      default:
        if (!passedOver.has(id.value)) return null;
    }
    at = end;
  }
  if (!isWebm || !known || tracks !== 1 || blocks === 0) return null;
  const durationMs = Math.round((last * scale) / 1e6);
  return { type: 'audio/webm', durationMs: durationMs > 0 ? durationMs : null };
}

const tops = new Set(['ftyp', 'moov', 'moof', 'mdat', 'mfra', 'free', 'skip', 'styp', 'sidx']);
const inside: Readonly<Record<string, string>> = { moov: 'trak', trak: 'mdia', mdia: 'minf', minf: 'stbl' };

/** Reads an MP4 file with a single AAC or Opus track; null for any other content. */
export function readMp4(bytes: Buffer): Heard | null {
  let sounds = 0;
  let seconds = 0;
  let wrong = false;
  let pieces = 0;
  const walk = (from: number, to: number, within: string): boolean => {
    let at = from;
    while (at + 8 <= to) {
      if ((pieces += 1) > mostPieces) return false;
      const small = bytes.readUInt32BE(at);
      const name = bytes.toString('latin1', at + 4, at + 8);
      const length = small === 0 && within === '' ? to - at : small;
      if (length < 8 || at + length > to) return false;
      if (within === '' && !tops.has(name)) return false;
      if (within === '' && at === 0 && name !== 'ftyp') return false;
      const [begin, end] = [at + 8, at + length];
      if (name === 'mvhd' && end - begin >= 32)
        seconds =
          bytes[begin] === 1
            ? Number(bytes.readBigUInt64BE(begin + 24)) / bytes.readUInt32BE(begin + 20)
            : bytes.readUInt32BE(begin + 16) / bytes.readUInt32BE(begin + 12);
      if (name === 'hdlr') {
        sounds += 1;
        wrong ||= bytes.toString('latin1', begin + 8, begin + 12) !== 'soun';
      }
      if (name === 'stsd') wrong ||= !['mp4a', 'Opus'].includes(bytes.toString('latin1', begin + 12, begin + 16));
      const goesIn =
        within === '' ? name === 'moov' : inside[within] === name || (within === 'moov' && name === 'trak');
      if (goesIn && !walk(begin, end, name)) return false;
      at = end;
    }
    return at === to;
  };
  if (!walk(0, bytes.length, '') || wrong || sounds !== 1) return null;
  return {
    type: 'audio/mp4',
    durationMs: Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null,
  };
}
