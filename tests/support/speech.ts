// Speech, and a server that transcribes it: flite speaks, pocketsphinx recognises, behind an API in the shape of
// OpenAI's. Where these programs are not installed, the server answers what a test scripts.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { findPrograms, type Programs } from '#server/media/ffmpeg.ts';
import { asWav, cutFile, pieceRate } from '#server/engines/pieces.ts';
import type { Sound } from '#server/engines/engine.ts';

const run = promisify(execFile);
const path = process.env['PATH'] ?? '';
export const find = (program: string) =>
  path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** Reason why nothing can speak and recognise here; null where both work. */
export function noSpeech(): string | null {
  const missing = ['flite', 'pocketsphinx_continuous', 'ffmpeg'].filter((program) => !find(program));
  return missing.length === 0 ? null : `no ${missing.join(', ')} on this machine (Debian: flite, pocketsphinx, ffmpeg)`;
}

export const noFfmpeg = (): string | null => (find('ffmpeg') ? null : 'no ffmpeg on this machine');

export const silence = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * pieceRate) * 2);

/** Samples of flite saying a text. */
export async function speak(text: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-voice-'));
  try {
    const file = join(folder, 'said.wav');
    await run(find('flite') ?? '', ['-voice', 'slt', '-t', text, '-o', file]);
    return (await readFile(file)).subarray(44);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Joins samples into one recording. */
export const recorded = (...samples: Buffer[]): Buffer => asWav(Buffer.concat(samples));

export const programs = async (): Promise<Programs | null> => findPrograms(path);

/** Sound in the form in which a job passes it to an engine. */
export async function soundOf(wav: Buffer, signal = new AbortController().signal): Promise<Sound & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-sound-'));
  const file = join(folder, 'talk.wav');
  await writeFile(file, wav);
  const found = await programs();
  return {
    folder,
    durationMs: Math.round((wav.length - 44) / 2 / (pieceRate / 1000)),
    file: { path: file, name: 'talk.wav', type: 'audio/wav', bytes: wav.length },
    cut: found
      ? (from, limits, take) => cutFile(found, { path: file, kind: 'wav', folder, signal }, from, limits, take)
      : null,
  };
}

interface SpokenWord {
  word: string;
  start: number;
  end: number;
  probability: number;
}

async function hear(wav: Buffer): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-ears-'));
  try {
    const file = join(folder, 'said.wav');
    await writeFile(file, wav);
    const { stdout } = await run(find('pocketsphinx_continuous') ?? '', ['-time', 'yes', '-infile', file]);
    const segments: { text: string; start: number; end: number }[] = [];
    const words: SpokenWord[] = [];
    for (const line of stdout.split('\n')) {
      const [, word = '', start, end, probability] =
        /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+(?:e-\d+)?)$/.exec(line) ?? [];
      const last = segments.at(-1);
      if (start === undefined) {
        if (line.trim() !== '') segments.push({ text: ` ${line.trim()}`, start: -1, end: 0 });
      } else if (!/^[<[+]/.test(word) && last) {
        words.push({
          word: word.replace(/\(\d+\)$/, ''),
          start: Number(start),
          end: Number(end),
          // Pocketsphinx rounds upwards, sometimes above 1.
          probability: Math.min(1, Number(probability)),
        });
        if (last.start < 0) last.start = Number(start);
        last.end = Number(end);
      }
    }
    return {
      task: 'transcribe',
      language: 'english',
      text: segments.map(({ text }) => text).join(''),
      segments,
      words,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Request of the engine. */
export interface Asked {
  authorization: string | undefined;
  fields: Record<string, string[]>;
  wav: Buffer;
}

/** `hear` runs the recogniser, `cut` breaks the line within the answer, `hang` never answers. */
type Answering = 'hear' | 'cut' | 'hang' | { status?: number; headers?: Record<string, string>; body: unknown };

export interface Recogniser {
  url: string;
  asked: Asked[];
  /** Answer to each request; by default that of the recogniser. */
  answers: (asked: Asked, nth: number) => Answering | Promise<Answering>;
  close(): Promise<void>;
}

export async function openRecogniser(answers: Recogniser['answers'] = () => 'hear'): Promise<Recogniser> {
  const asked: Asked[] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const say = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      outgoing.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (incoming.method !== 'POST' || incoming.url !== '/v1/audio/transcriptions') return say(404, {});
    const headers = { 'Content-Type': incoming.headers['content-type'] ?? '' };
    const form = await new Response(new Uint8Array(await buffer(incoming)), { headers }).formData();
    const fields: Record<string, string[]> = {};
    let wav = Buffer.alloc(0);
    for (const [name, value] of form) {
      if (typeof value === 'string') (fields[name] ??= []).push(value);
      else wav = Buffer.from(await value.arrayBuffer());
    }
    const one = { authorization: incoming.headers.authorization, fields, wav };
    asked.push(one);
    const wanted = await server.answers(one, asked.length);
    if (wanted === 'hang') return;
    if (wanted === 'cut') {
      outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      outgoing.write('{"text":"half of', () => outgoing.destroy());
    } else if (wanted === 'hear') say(200, await hear(wav));
    else say(wanted.status ?? 200, wanted.body, wanted.headers);
  };
  const listening = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const server: Recogniser = {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`,
    asked,
    answers,
    close: async () => {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
  return server;
}
