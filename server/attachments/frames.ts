// Splits an mp3 into frames. Only frames are stored, because anything else in the file is not audio.

const kbits = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const rates = [44_100, 48_000, 32_000];

interface Frame {
  /** In bytes, header included. */
  length: number;
  seconds: number;
  sampleRate: number;
}

/** Reads a frame header: MPEG 1, 2 or 2.5 layer III with a valid rate; null for anything else. */
function frameAt(bytes: Buffer, at: number): Frame | null {
  const [sync = 0, second = 0, third = 0] = bytes.subarray(at, at + 4);
  const version = (second >> 3) & 3;
  const first = version === 3;
  const rate = rates[(third >> 2) & 3];
  const bits = kbits[first ? 1 : 2][(third >> 4) - 1];
  if (sync !== 0xff || (second & 0xe6) !== 0xe2 || version === 1 || rate === undefined || bits === undefined)
    return null;
  const sampleRate = rate / (first ? 1 : version === 2 ? 2 : 4);
  const samples = first ? 1152 : 576;
  const length = Math.floor((samples / 8) * ((bits * 1000) / sampleRate)) + ((third >> 1) & 1);
  return { length, seconds: samples / sampleRate, sampleRate };
}

/** Offset of the first frame, after a leading ID3 tag. */
function behindTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = [...bytes.subarray(6, 10)].reduce((sum, byte) => sum * 128 + (byte & 127), 0);
  return 10 + size + ((bytes[5] ?? 0) & 0x10 ? 10 : 0);
}

/**
 * Frames of an mp3 and their duration; null for a file with anything between or after them except a tag or a last frame
 * that is cut off.
 */
export function framesOf(bytes: Buffer): { bytes: Buffer; durationMs: number } | null {
  const from = behindTag(bytes);
  const first = frameAt(bytes, from);
  if (!first) return null;
  let at = from;
  let seconds = 0;
  let count = 0;
  for (;;) {
    const frame = frameAt(bytes, at);
    if (!frame || frame.sampleRate !== first.sampleRate) break;
    if (at + frame.length > bytes.length) return ended();
    at += frame.length;
    seconds += frame.seconds;
    count += 1;
  }
  const rest = bytes.subarray(at);
  const tagged = rest.length === 128 && rest.toString('latin1', 0, 3) === 'TAG';
  return rest.length === 0 || tagged ? ended() : null;

  function ended() {
    // A single frame header may occur in any file by chance.
    return count < 2 ? null : { bytes: bytes.subarray(from, at), durationMs: Math.round(seconds * 1000) };
  }
}
