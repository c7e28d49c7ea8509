import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTranscriptReader } from '#server/intake/read-transcript.ts';
import type { CreatedView, PartView, Progress } from '#shared/intake.ts';
import type { TestHouse } from './house.ts';
import type { Answer, CallOptions, Person } from './people.ts';

export const zoomTranscript = `WEBVTT

1
00:00:00.000 --> 00:00:02.000
Maria Lopez: Thanks for joining, shall we start?

2
00:00:02.500 --> 00:00:04.000
Tom: Yes.

3
00:00:04.500 --> 00:00:06.000
Maria Lopez: Then the goal first.
`;

export interface FilePart {
  fileName: string;
  content: Uint8Array | string;
}

/** Encodes a form with files as a browser does. */
export function multipart(fields: Record<string, string | FilePart>): CallOptions {
  const boundary = `----test${randomBytes(12).toString('hex')}`;
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const file =
      typeof value === 'string' ? '' : `; filename="${value.fileName}"\r\nContent-Type: application/octet-stream`;
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      Buffer.from(typeof value === 'string' ? value : value.content),
      Buffer.from('\r\n'),
    ];
  });
  return {
    raw: new Uint8Array(Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

/** Tone as a recorder would write it; one second by default. */
export function tone(seconds = 1, rate = 8000): Buffer {
  const samples = Math.round(seconds * rate);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples * 2, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples * 2, 40);
  const sound = Buffer.alloc(samples * 2);
  for (let i = 0; i < samples; i += 1)
    sound.writeInt16LE(Math.round(Math.sin((i / rate) * 440 * 2 * Math.PI) * 20_000), i * 2);
  return Buffer.concat([head, sound]);
}

/** Sends a file part by part, as the API asks for; returns the upload's name. */
export async function sendFile(person: Person, fileName: string, content: Buffer): Promise<string> {
  const begun = await person.post('/api/multipart-uploads', { fileName, contentLength: content.length });
  let part = begun.body as PartView;
  if (begun.status !== 200) throw new Error(begun.text);
  while (part.length > 0) {
    const { offset, length, url, headers, multipartUploadId } = part;
    const slice = new Uint8Array(content.subarray(offset, offset + length));
    const put = await fetch(url, { method: 'PUT', body: slice, headers });
    if (!put.ok) throw new Error(`a part was refused with ${put.status}`);
    part = (await person.post(`/api/multipart-uploads/${multipartUploadId}/next`, { multipartUploadId }))
      .body as PartView;
  }
  return part.uploadId;
}

/** Form for a transcript that a person brings along, with further fields and files. */
export const external = (more: Record<string, string | FilePart> = {}): CallOptions =>
  multipart({
    title: 'Monday',
    model: 'external',
    lang: 'en-US',
    transcript: { fileName: 'meeting.vtt', content: zoomTranscript },
    transcriptType: 'ZOOM',
    ...more,
  });

export async function createMeeting(person: Person, form: CallOptions = external()): Promise<CreatedView> {
  const answer = await person.post('/api/meetings-fast', undefined, form);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as CreatedView;
}

export const beginProcessing = (person: Person, id: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  person.post(`/api/meetings/${id}/process`, { cost: 0, ...more });

/** Final progress of a recording; the limit of the test bounds the wait. */
export async function processed(person: Person, id: string): Promise<Progress> {
  for (;;) {
    const { status, body, text } = await person.get(`/api/meetings/${id}/about`);
    if (status !== 200) throw new Error(text);
    const progress = (body as { progress: Progress }).progress;
    if (progress.percentage === 100 || progress.failures_present) return progress;
    await sleep(50);
  }
}

/** Creates a recording with sound and without a transcript. */
export async function makeUntranscribed(person: Person, content: Uint8Array): Promise<string> {
  const file = { fileName: 'talk.mp3', content };
  const { id } = await createMeeting(person, multipart({ title: 'Talk', model: 'none', file }));
  await beginProcessing(person, id);
  await processed(person, id);
  return id;
}

/** The next transcript that is read finds as many of the person's waiting as are allowed. */
export function fillReadingQueue({ house }: TestHouse): void {
  const { transcripts } = house;
  const full = createTranscriptReader({ each: 0 });
  house.transcripts = {
    ...transcripts,
    read: (file) => {
      house.transcripts = transcripts;
      return full.read(file);
    },
  };
}
