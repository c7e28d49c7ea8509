import { expect } from 'vitest';
import { multipart } from './intake.ts';
import type { Person } from './people.ts';

const frameLength = 208;
const framesASecond = 44_100 / 1152;

/** Silent mp3; the given secret is in its last frames, where nobody hears it. */
export function spoken(seconds = 1, secret = ''): Buffer {
  const count = Math.ceil(seconds * framesASecond);
  const frames = Array.from({ length: count }, (_, i) => {
    const frame = Buffer.alloc(frameLength);
    // MPEG 1, layer III, 64 kbit/s, 44.1 kHz, mono.
    frame.set([0xff, 0xfb, 0x50, 0xc0]);
    if (i > 0) frame.write(secret, 40, 'latin1');
    return frame;
  });
  return Buffer.concat(frames);
}

/** Start of a WebM with one track, as browsers record it. */
export function webm({
  codec = 'A_OPUS',
  type = 2,
  docType = 'webm',
  more = Buffer.alloc(0),
  seconds = 2,
} = {}): Buffer {
  const size = (length: number) => Buffer.from([0x40 | (length >> 8), length & 0xff]);
  const element = (id: number[], content: Buffer | string | number[]) => {
    const bytes = Buffer.from(content as string);
    return Buffer.concat([Buffer.from(id), size(bytes.length), bytes]);
  };
  const open = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  const track = Buffer.concat([element([0xd7], [1]), element([0x83], [type]), element([0x86], codec)]);
  const block = (ms: number) => element([0xa3], [0x81, ms >> 8, ms & 0xff, 0x80, 1, 2, 3]);
  return Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], docType)),
    Buffer.from([0x18, 0x53, 0x80, 0x67]),
    open,
    element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40])),
    element([0x16, 0x54, 0xae, 0x6b], element([0xae], track)),
    more,
    Buffer.from([0x1f, 0x43, 0xb6, 0x75]),
    open,
    element([0xe7], [0]),
    ...Array.from({ length: seconds * 10 + 1 }, (_, i) => block(i * 100)),
  ]);
}

/** Uploads a voice note; returns its address. */
export async function sendVoice(person: Person, id: string, content: Buffer = spoken(), type = 'vcomment') {
  const form = multipart({ file: { fileName: 'voice', content }, type });
  const { status, body, text } = await person.post(`/api/meetings/${id}/attachment`, undefined, {
    ...form,
    headers: { ...form.headers },
  });
  expect(status, text).toBe(200);
  return (body as { url: string }).url;
}
