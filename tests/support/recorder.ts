import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { consentVersion, writePiece, type LiveInput, type TakeInput, type TakeMessage } from '#shared/recorder.ts';
import type { Answer, Person } from './people.ts';
import { find } from './speech.ts';
import { Waiting } from './waiting.ts';

const run = promisify(execFile);

export const liveForm = (more: Partial<Record<keyof LiveInput, unknown>> = {}) => ({
  title: 'Monday',
  tracks: ['mic'],
  language: 'en-US',
  model: 'none',
  consent: consentVersion,
  ...more,
});

export async function beginLive(person: Person, more: Partial<Record<keyof LiveInput, unknown>> = {}): Promise<string> {
  const answer = await person.post('/api/meetings/live', liveForm(more));
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.body as { id: string }).id;
}

const webmType = 'audio/webm;codecs=opus';

export const takeForm = (more: Partial<TakeInput> = {}) => ({ track: 'mic', type: webmType, offset: 0, ...more });

export async function beginTake(person: Person, id: string, more: Partial<TakeInput> = {}): Promise<string> {
  const answer = await person.post(`/api/meetings/${id}/takes`, takeForm(more));
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.body as { take: string }).take;
}

export const putPiece = (person: Person, take: string, n: number, bytes: Uint8Array): Promise<Answer> =>
  person.put(`/api/takes/${take}/pieces/${n}`, undefined, {
    raw: bytes,
    headers: { 'Content-Type': 'application/octet-stream' },
  });

export const endTake = (person: Person, take: string, pieces: number): Promise<Answer> =>
  person.post(`/api/takes/${take}/end`, { pieces });

export const endLive = (person: Person, id: string): Promise<Answer> => person.post(`/api/meetings/${id}/live/end`);

/** The socket of a take, as the page opens it. */
export class TakeSocket extends Waiting {
  readonly ws: WebSocket;
  kept = -1;
  readonly stops: string[] = [];
  /** Code of the close, or the status of a refusal. */
  ended: number | null = null;

  constructor(person: Person, take: string, headers: Record<string, string> = {}) {
    super();
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    this.ws = new WebSocket(`${person.origin.replace('http', 'ws')}/sync/take/${take}`, {
      headers: { Origin: person.origin, Cookie: cookie, ...headers },
    });
    this.ws.on('message', (data) => {
      const said = JSON.parse((data as Buffer).toString()) as TakeMessage;
      if ('kept' in said) this.kept = said.kept;
      else this.stops.push(said.stop);
      this.wake();
    });
    this.ws.on('error', () => {});
    this.ws.on('unexpected-response', (_, response) => this.end(response.statusCode ?? 0));
    this.ws.on('close', (code) => this.end(code));
  }

  private end(code: number): void {
    this.ended ??= code;
    this.wake();
  }

  opened = () => this.until(() => this.kept >= 0 || this.ended !== null);
  send = (n: number, bytes: Uint8Array): void => this.ws.send(writePiece(n, bytes));
  finish = (pieces: number): void => this.ws.send(JSON.stringify({ end: pieces }));
  untilKept = (n: number) => this.until(() => this.kept >= n || this.ended !== null);
  untilEnded = () => this.until(() => this.ended !== null);
  close = (): void => this.ws.terminate();
}

/** Sound as a browser records it: Opus in WebM, whose header does not say how long it is. */
export async function recordTone(seconds: number, hertz = 440): Promise<Buffer> {
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=48000:duration=${seconds}`];
  const live = ['-c:a', 'libopus', '-b:a', '32k', '-live', '1', '-cluster_time_limit', '1000', '-f', 'webm', 'pipe:1'];
  const { stdout } = await run(find('ffmpeg') ?? '', ['-v', 'error', ...sound, ...live], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Pieces of a recording, each of about a quarter of a second. */
export function cut(sound: Buffer, seconds: number): Buffer[] {
  const length = Math.ceil(sound.length / (seconds * 4));
  return Array.from({ length: Math.ceil(sound.length / length) }, (_, i) =>
    sound.subarray(i * length, (i + 1) * length),
  );
}

const rate = 8000;

/** Decodes a file, and tells for each tenth of a second which of these tones is heard in it; '.' for silence. */
export async function tonesIn(file: Uint8Array, tones: Readonly<Record<string, number>>): Promise<string> {
  const decoding = run(
    find('ffmpeg') ?? '',
    ['-v', 'error', '-i', 'pipe:0', '-ac', '1', '-ar', String(rate), '-f', 's16le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 },
  );
  decoding.child.stdin?.on('error', () => {});
  decoding.child.stdin?.end(file);
  const { stdout } = await decoding;
  const step = rate / 10;
  let heard = '';
  for (let from = 0; from + step <= stdout.length / 2; from += step) {
    const powers = Object.entries(tones).map(([name, hertz]) => ({ name, power: powerOf(stdout, from, step, hertz) }));
    const loudest = powers.filter(({ power }) => power > 0.05);
    heard += loudest.length === 0 ? '.' : loudest.length > 1 ? '+' : loudest[0]?.name;
  }
  return heard;
}

/** Strength of one frequency in some samples, from 0 to 1 of a tone of an eighth of full scale. */
function powerOf(samples: Buffer, from: number, count: number, hertz: number): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const value = samples.readInt16LE((from + i) * 2) / 4096;
    re += value * Math.cos((2 * Math.PI * hertz * i) / rate);
    im += value * Math.sin((2 * Math.PI * hertz * i) / rate);
  }
  return Math.sqrt(re * re + im * im) / (count / 2);
}
