// A server that has speech models as their makers publish them, and the faults of a network.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Archives as the makers pack them, with a few letters in each file. */
const parakeet =
  'QlpoOTFBWSZTWQK2RcwAAbNfpt6QRiv/xQaQAID+f9/AAIAEAEAECggwATgAwAAAAGgAAAAAwAAAAGgAAAAARSImFMk8SNkhke0yUZNDJ4mUe1TicI349ics85pHOOuButBXX8YjumnFM4UJA2so7EpkkAMIkJsgLozp3ppT7pwShPJLEzN77cZSgO9KU0l8SQZ3J7kmIP12EXUImEB3Br29tN1ObqphKLk22boHQSlalVmSgmZYokmCVz1gdOHg7ZyZKEvIFfOXmyaFAnJBGrqTkn0SaST+mlP1s3/vArTfpTIlJKZPglNSbkr1N6W8vFKfGtcie1AE5AZQOacjn15mxO1ITKlrCQll9XTpjtqxT+a0mloGocyajw0YpopSJ41gaMMLBDdNQvUD/i7kinChIAVsi5g=';
const pyannote =
  'QlpoOTFBWSZTWcJvjtwAALhfhcqAQAv/wAAgCABm595gAAgAgAgIMAC6gSiiYTTA0jam0AAQYaGTIGRiDEyaGmAqimk2pohpoYj1Ggep4mp/Nd6ZTukiO2xEQcfCzF5Nxfx2d6aJIJBUYaDigvLc3L5PgpUog0lHkEGvIg5i+GK6Cq5ba5V9qqUllwjXCJ6kVZOypmloxaM2C1jcozZL30k+2lyw3qL2C1ksbVVjLXVXgl3NrVQ9HLnMBMf4u5IpwoSGE3x24A==';
const whisper =
  'QlpoOTFBWSZTWXTBujsAAZ7f0c6AQAP/wiYCEABub97AABAAAgBACAgwATgAwMgyAAxGgyGQGGBkGQAGI0GQyAwKlE0TImp+oTymno1HqBo81I3qmjr9O41KFlrhLXiR3+Hx4WdSxuHHuxZmy4pCKBQ/ROhkVTMqTmnInZNjA4mR50IsUEeHJ6WIz8r8FVHpw48MFbUsVuLbuWzbhKG2q/kS3inNPqnROiePM1xNDqkbj17KRQuT8poTJKpomJcTsdD+nUlxin3SPVIwSL03peFE9ifAPYnemBmUH7MjaZEYp7++tPLQ+dala7yu8zNTBtJvL0uM01Li8Mk8yH/F3JFOFCQdMG6OwA==';

export const parakeetArchive = Buffer.from(parakeet, 'base64');
export const parakeetFile = 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2';
export const whisperFile = 'sherpa-onnx-whisper-small.tar.bz2';
export const activityFile = 'silero_vad.onnx';

export const sumOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export type Answering = (incoming: IncomingMessage, outgoing: ServerResponse, bytes: Buffer) => void;

/** First byte that a request asks for. */
export const rangeOf = ({ headers }: IncomingMessage): number =>
  Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);

const plainly: Answering = (incoming, outgoing, bytes) => {
  const from = rangeOf(incoming);
  if (from >= bytes.length) return void outgoing.writeHead(416).end();
  writeHead(outgoing, from, bytes);
  outgoing.end(bytes.subarray(from));
};

/** Sends that many bytes, and the rest never. */
export const stallAfter =
  (count: number): Answering =>
  (incoming, outgoing, bytes) => {
    const from = rangeOf(incoming);
    writeHead(outgoing, from, bytes);
    outgoing.write(bytes.subarray(from, from + count));
  };

export function writeHead(outgoing: ServerResponse, from: number, bytes: Buffer): void {
  const range = { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  outgoing.writeHead(from > 0 ? 206 : 200, { 'Content-Length': bytes.length - from, ...(from > 0 && range) });
}

export type ModelMirror = Awaited<ReturnType<typeof openModelMirror>>;

export async function openModelMirror() {
  const files: Record<string, Buffer> = {};
  /** Answers to the first, second and further requests for a file; afterwards the normal one. */
  const mischief: Record<string, Answering[]> = {};
  /** Paths requested so far, each with its range. */
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const name = (incoming.url ?? '').slice(1);
    asked.push(incoming.headers.range ? `${name} ${incoming.headers.range}` : name);
    const bytes = files[name];
    if (!bytes) outgoing.writeHead(404).end();
    else (mischief[name]?.shift() ?? plainly)(incoming, outgoing, bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    mischief,
    asked,
    /** Publishes all files of `parakeet-v3`, `whisper-small` and `voices`. */
    publish(): void {
      files[parakeetFile] = parakeetArchive;
      files[whisperFile] = Buffer.from(whisper, 'base64');
      files['sherpa-onnx-pyannote-segmentation-3-0.tar.bz2'] = Buffer.from(pyannote, 'base64');
      files['3dspeaker_speech_campplus_sv_en_voxceleb_16k.onnx'] = randomBytes(5000);
      files[activityFile] = randomBytes(3000);
      this.sign();
    },
    /** Publishes the checksums of the files there are. */
    sign(): void {
      delete files['checksum.txt'];
      const sums = Object.entries(files).map(([name, bytes]) => `${name}\t${sumOf(bytes)}\n`);
      files['checksum.txt'] = Buffer.from(sums.join(''));
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
