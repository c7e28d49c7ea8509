import { createReadStream } from 'node:fs';
import { request as insecure } from 'node:http';
import { request as secure } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainHeard } from '#shared/meetings/heard.ts';
import type { OfferedModel } from '#shared/intake.ts';
import { EngineFailed, type Engine, type Heard, type Task } from './engine.ts';
import { readAnswer } from './answer.ts';
import { asWav } from './pieces.ts';

// Engine for any server with OpenAI's API: POST <url>/audio/transcriptions. The operator configures its address, and
// redirects to other addresses are not followed.

interface UrlEngineConfig {
  /** Address without a final slash. */
  url: string;
  key: string | null;
  /** The server's name of the model. */
  model: string;
}

export interface Pace {
  /** Milliseconds before the second attempt, doubled for each further one. */
  pause: number;
  /** Time limit for a piece: `ms`, and `times` its length. */
  patience: { ms: number; times: number };
  firstMs: number;
  mostMs: number;
}

/** Five minutes of samples are less than half of the upload limit of OpenAI's server. */
const usual: Pace = { pause: 1000, patience: { ms: 120_000, times: 6 }, firstMs: 60_000, mostMs: 300_000 };

/** Attempts for each kind of temporary error. */
const tries = { unreachable: 7, answer: 2, slow: 2 } as const;
const longestPause = 60_000;
const mostAnswer = 32 * 1024 * 1024;
/** Maximum size of a file sent unchanged. */
const mostBytes = 25_000_000;
const ownKinds = /\.(?:flac|m4a|mp3|mp4|ogg|wav)$/i;
/** Maximum letters of a prompt: servers read only its end, some 220 tokens. */
const longestTerms = 500;
const longestContext = 200;

/** An error that may not occur on the next attempt. */
class Stumbled extends EngineFailed {
  override readonly failure: keyof typeof tries;
  /** Milliseconds requested by the server. */
  readonly wait: number;

  constructor(failure: keyof typeof tries, why: string, cause?: unknown, wait = 0) {
    super(failure, why, cause);
    this.failure = failure;
    this.wait = wait;
  }
}

export function urlEngine(config: UrlEngineConfig, offered: OfferedModel, given: Partial<Pace> = {}): Engine {
  const pace = { ...usual, ...given };

  async function ask(task: Task, file: { bytes: Buffer; name: string; type: string }, ms: number, before: string) {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name);
    form.set('model', config.model);
    form.set('language', codeOf(task.lang));
    form.set('response_format', 'verbose_json');
    form.append('timestamp_granularities[]', 'word');
    form.append('timestamp_granularities[]', 'segment');
    form.set('temperature', '0');
    const prompt = promptOf(task.vocabulary, before);
    if (prompt !== '') form.set('prompt', prompt);
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const body = Buffer.from(await encoded.arrayBuffer());

    const stumbles = { unreachable: 0, answer: 0, slow: 0 };
    for (let nth = 1; ; nth += 1) {
      task.signal.throwIfAborted();
      try {
        return await once(task.signal, { type, body }, ms);
      } catch (error) {
        task.signal.throwIfAborted();
        if (!(error instanceof Stumbled) || ++stumbles[error.failure] >= tries[error.failure]) throw error;
        const pause = Math.max(error.wait, pace.pause * 2 ** (nth - 1));
        await sleep(Math.min(longestPause, pause), undefined, { signal: task.signal });
      }
    }
  }

  async function once(signal: AbortSignal, { type, body }: { type: string; body: Buffer }, ms: number) {
    const late = AbortSignal.timeout(pace.patience.ms + ms * pace.patience.times);
    try {
      const { status, headers, content } = await post(
        `${config.url}/audio/transcriptions`,
        {
          'Content-Type': type,
          Accept: 'application/json',
          ...(config.key !== null && { Authorization: `Bearer ${config.key}` }),
        },
        body,
        AbortSignal.any([signal, late]),
      );
      const why = `it answered ${status}: ${content.toString('utf8', 0, 300)}`;
      if (status === 429 || status === 408 || status >= 500)
        throw new Stumbled('unreachable', why, undefined, waitOf(headers['retry-after']));
      if (status !== 200) throw new EngineFailed('refused', why);
      const heard = readAnswer(parse(content), ms);
      if (!heard) throw new Stumbled('answer', `it answered no transcript: ${content.toString('utf8', 0, 300)}`);
      return heard;
    } catch (error) {
      if (error instanceof EngineFailed) throw error;
      if (late.aborted) throw new Stumbled('slow', 'it did not answer in time', error);
      throw new Stumbled('unreachable', 'the line to it broke', error);
    }
  }

  async function inPieces(task: Task, cut: NonNullable<Task['sound']['cut']>): Promise<void> {
    let before = '';
    await cut(task.from, pace, async ({ from, to, samples, silent }) => {
      const file = { bytes: asWav(samples), name: 'piece.wav', type: 'audio/wav' };
      const segments = silent ? [] : await ask(task, file, to - from, before);
      before = plainHeard(segments).slice(-longestContext);
      await task.heard({ from, to, segments: moved(segments, from) });
    });
  }

  return {
    offered,
    async transcribe(task) {
      const { cut, file, durationMs } = task.sound;
      if (cut) return inPieces(task, cut);
      if (durationMs === null || file.bytes > mostBytes || !ownKinds.test(file.name))
        throw new EngineFailed('needs_ffmpeg', 'nothing here can cut it');
      if (task.from >= durationMs) return;
      const bytes = await buffer(createReadStream(file.path));
      const segments = await ask(task, { ...file, bytes }, durationMs, '');
      await task.heard({ from: task.from, to: durationMs, segments });
    },
  };
}

const moved = (segments: Heard['segments'], by: number): Heard['segments'] =>
  segments.map(({ speaker, words }) => ({
    speaker,
    words: words.map((word) => ({ ...word, from: word.from + by, to: word.to + by })),
  }));

/** ISO 639-1 code as servers know it. */
const codeOf = (lang: string): string => {
  const [code = ''] = lang.split('-');
  return code === 'nb' ? 'no' : code;
};

/** Terms first, then the previous words: servers that shorten a prompt keep its end. */
function promptOf(vocabulary: string, before: string): string {
  const terms = vocabulary
    .split(/[\n,;]+/)
    .map((term) => term.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
  let prompt = '';
  for (const term of terms) {
    if (prompt.length + term.length + 2 > longestTerms) break;
    prompt += prompt === '' ? term : `, ${term}`;
  }
  return [prompt === '' ? '' : `${prompt}.`, before.replace(/\s+/g, ' ').trim()].filter(Boolean).join(' ');
}

/** Milliseconds of a Retry-After header in seconds; 0 for other forms. */
const waitOf = (header: string | undefined): number => (/^\d{1,4}$/.test(header ?? '') ? Number(header) * 1000 : 0);

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString()) as unknown;
  } catch {
    return null;
  }
}

/** Replaces `fetch`, which gives up on a server that needs five minutes. */
async function post(url: string, headers: Record<string, string>, body: Buffer, signal: AbortSignal) {
  const ask = url.startsWith('https:') ? secure : insecure;
  return new Promise<{ status: number; headers: Record<string, string | undefined>; content: Buffer }>(
    (resolve, reject) => {
      const all = { ...headers, 'Content-Length': String(body.length) };
      const asking = ask(url, { method: 'POST', headers: all, signal, agent: false }, (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on('data', (piece: Buffer) => {
          size += piece.length;
          pieces.push(piece);
          if (size > mostAnswer) answer.destroy(new Error('it says too much'));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const wait = answer.headers['retry-after'];
          resolve({
            status: answer.statusCode ?? 0,
            headers: { 'retry-after': wait },
            content: Buffer.concat(pieces),
          });
        });
      });
      asking.on('error', reject);
      asking.end(body);
    },
  );
}
