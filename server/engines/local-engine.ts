import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OfferedModel } from '#shared/intake.ts';
import { EngineFailed, type Engine, type Heard } from './engine.ts';
import { readLocal, type LocalAnswer } from './local-answer.ts';
import type { FoundModel, Recogniser } from './models.ts';
import type { CutLimits } from './pieces.ts';

// Recordings are transcribed by models on this machine, in one process for each job that ends with it.

interface LocalModels {
  recogniser: Recogniser;
  activity: FoundModel<'activity'>;
  /** Null if speakers are not distinguished. */
  voices: FoundModel<'voices'> | null;
}

/** Setup of the process: paths of model files, and options. */
export interface Ears {
  recogniser:
    | { kind: 'whisper'; encoder: string; decoder: string; tokens: string }
    | { kind: 'transducer'; make: string; encoder: string; decoder: string; joiner: string; tokens: string };
  activity: string;
  voices: { segmentation: string; embedding: string } | null;
  language: string;
  threads: number;
}

export type ToEars = { open: Ears } | { samples: Uint8Array; speakers: number };
/** `until`: progress within the piece. */
export type FromEars = { ready: true } | { heard: LocalAnswer } | { until: number };

export interface LocalPace extends CutLimits {
  /** Time limit for a piece: `ms`, and `times` its length. */
  patience: { ms: number; times: number };
}

/** Speakers are distinguished within a piece, so that it is long if they are. */
const usual = (voices: boolean): LocalPace => ({
  firstMs: 60_000,
  mostMs: voices ? 600_000 : 120_000,
  patience: { ms: 600_000, times: 30 },
});

/** Reason why the speech runtime is not installed; null if it is. */
export function noSherpa(): string | null {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  let runtime;
  try {
    runtime = createRequire(import.meta.url).resolve('sherpa-onnx-node');
  } catch {
    return 'the package sherpa-onnx-node is not installed (npm ci --include=optional)';
  }
  try {
    // Resolved without loading: its native code belongs in the other process.
    createRequire(runtime).resolve(`sherpa-onnx-${platform}-${process.arch}/sherpa-onnx.node`);
    return null;
  } catch {
    return `sherpa-onnx-node is not made for ${process.platform} on ${process.arch}`;
  }
}

export function localEngine(models: LocalModels, offered: OfferedModel, given: Partial<LocalPace> = {}): Engine {
  const pace = { ...usual(models.voices !== null), ...given };
  return {
    offered,
    async transcribe(task) {
      const { cut } = task.sound;
      if (!cut) throw new EngineFailed('needs_ffmpeg', 'nothing here can read it');
      const ears = startEars(task.signal);
      try {
        await ears.ask({ open: setupOf(models, task.lang) }, pace.patience.ms);
        await cut(task.from, pace, async ({ from, to, samples, silent }) => {
          let segments: Heard['segments'] = [];
          if (!silent) {
            const patience = pace.patience.ms + (to - from) * pace.patience.times;
            const until = (ms: number) => task.progress?.(from + ms);
            const answer = await ears.ask({ samples, speakers: task.speakers }, patience, until);
            if ('heard' in answer) segments = moved(readLocal(answer.heard, to - from), from);
          }
          await task.heard({ from, to, segments });
        });
      } finally {
        await ears.end();
      }
    },
  };
}

function setupOf({ recogniser, activity, voices }: LocalModels, lang: string): Ears {
  const path = ({ folder }: { folder: string }, { name }: { name: string }) => join(folder, name);
  const { encoder, decoder, tokens } = recogniser.files;
  const files = {
    encoder: path(recogniser, encoder),
    decoder: path(recogniser, decoder),
    tokens: path(recogniser, tokens),
  };
  const [language = ''] = lang.split('-');
  return {
    recogniser:
      recogniser.kind === 'whisper'
        ? { kind: 'whisper', ...files }
        : { kind: 'transducer', make: recogniser.make, ...files, joiner: path(recogniser, recogniser.files.joiner) },
    activity: path(activity, activity.files.model),
    voices: voices && {
      segmentation: path(voices, voices.files.segmentation),
      embedding: path(voices, voices.files.embedding),
    },
    language: language === 'nb' ? 'no' : language,
    // The other half of the cores is for requests and for a second job.
    threads: Math.max(1, Math.floor(availableParallelism() / 2)),
  };
}

const moved = (segments: Heard['segments'], by: number): Heard['segments'] =>
  segments.map(({ speaker, words }) => ({
    speaker,
    words: words.map((word) => ({ ...word, from: word.from + by, to: word.to + by })),
  }));

const mostLastWords = 4096;

interface EarsProcess {
  ask(message: ToEars, patience: number, until?: (ms: number) => void): Promise<Exclude<FromEars, { until: number }>>;
  end(): Promise<void>;
}

function startEars(signal: AbortSignal): EarsProcess {
  signal.throwIfAborted();
  const written = import.meta.url.endsWith('.ts');
  const file = new URL(written ? './local-process.ts' : './local-process.js', import.meta.url);
  const child: ChildProcess = fork(fileURLToPath(file), [], {
    // TypeScript sources need tsx in the process, too.
    execArgv: written ? ['--import', import.meta.resolve('tsx')] : [],
    // No environment: the process handles foreign data and needs no keys.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-mostLastWords);
  });
  const gone = new Promise<Error>((resolve) => {
    child.once('error', resolve);
    child.once('close', (code, by) => resolve(new Error(`it ended with ${by ?? code}: ${lastWords.trim()}`)));
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });

  return {
    async ask(message, patience, until) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        kill();
      }, patience);
      let listen = (_answer: FromEars): void => {};
      try {
        const answered = new Promise<Exclude<FromEars, { until: number }>>((resolve) => {
          listen = (answer) => {
            if ('until' in answer) until?.(answer.until);
            else resolve(answer);
          };
          child.on('message', listen);
        });
        // If the process has ended, `gone` reports that instead.
        if (child.connected) child.send(message, () => {});
        const answer = await Promise.race([answered, gone]);
        signal.throwIfAborted();
        if (late) throw new EngineFailed('slow', 'it did not answer in time');
        if (answer instanceof Error) throw new EngineFailed('broken', 'its process ended', answer);
        return answer;
      } finally {
        clearTimeout(timer);
        child.off('message', listen);
      }
    },
    async end() {
      signal.removeEventListener('abort', kill);
      kill();
      await gone;
    },
  };
}
