import { accessSync, constants, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import type { Stretch, Turn } from './local-answer.ts';
import type { Ears, FromEars, ToEars } from './local-engine.ts';
import { joinSpeech, quietRate } from './speech.ts';

// Child process of local-engine.ts, because the runtime is native, computes for minutes without a pause, and ends its
// process if a model is invalid.

interface Sherpa {
  Vad: new (
    config: object,
    seconds: number,
  ) => {
    acceptWaveform(samples: Float32Array): void;
    isEmpty(): boolean;
    front(external: boolean): { start: number; samples: Float32Array };
    pop(): void;
    flush(): void;
    reset(): void;
  };
  OfflineRecognizer: new (config: object) => {
    createStream(): { acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void };
    decodeAsync(stream: object): Promise<Omit<Stretch, 'from' | 'to'>>;
  };
  OfflineSpeakerDiarization: new (config: object) => {
    sampleRate: number;
    process(samples: Float32Array): Turn[];
    setConfig(config: { clustering: object }): void;
  };
}

/** Window size that the silero model requires. */
const windowSize = 512;
/**
 * Voices less similar than this are two speakers; the value is from users of these models, tested on English and
 * Chinese conversations.
 */
const otherVoice = 0.5;

const say = (message: FromEars) => process.send?.(message);

// The parent is gone, so the result has no use. SIGKILL, because a plain exit would wait for native threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Requests have priority; if memory runs out, this process is killed first.
const polite = [() => setPriority(10), () => writeFileSync('/proc/self/oom_score_adj', '800')];
for (const one of polite)
  try {
    one();
  } catch {
    // Not supported on this system.
  }

let ears: ReturnType<typeof open> | null = null;
let busy = Promise.resolve();
process.on('message', (message: ToEars) => {
  busy = busy.then(async () => {
    if ('open' in message) {
      ears = open(message.open);
      say({ ready: true });
    } else if (ears) say({ heard: await ears.hear(message.samples, message.speakers) });
  });
  // Errors end the process; the parent reads them from stderr.
  busy.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () => process.exit(1));
  });
});

function open({ recogniser, activity, voices, language, threads }: Ears) {
  // sherpa-onnx reports a missing file only on stderr, and then recognizes nothing.
  const { encoder, decoder, tokens } = recogniser;
  const joiner = recogniser.kind === 'transducer' ? [recogniser.joiner] : [];
  for (const file of [activity, encoder, decoder, tokens, ...joiner, ...Object.values(voices ?? {})])
    accessSync(file, constants.R_OK);

  const sherpa = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
  const shared = { numThreads: threads, provider: 'cpu', debug: 0 };
  const vad = new sherpa.Vad(
    {
      sileroVad: {
        model: activity,
        threshold: 0.5,
        minSpeechDuration: 0.1,
        minSilenceDuration: 0.3,
        maxSpeechDuration: 20,
        windowSize,
      },
      sampleRate: quietRate,
      numThreads: 1,
      debug: 0,
    },
    60,
  );
  const recognizer = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: quietRate, featureDim: 80 },
    decodingMethod: 'greedy_search',
    modelConfig: {
      ...shared,
      tokens: recogniser.tokens,
      ...(recogniser.kind === 'whisper'
        ? {
            whisper: {
              encoder: recogniser.encoder,
              decoder: recogniser.decoder,
              language,
              task: 'transcribe',
              tailPaddings: -1,
              // Only some models report the times of words; all report those of sentences.
              enableTokenTimestamps: 1,
              enableSegmentTimestamps: 1,
            },
          }
        : {
            transducer: {
              encoder: recogniser.encoder,
              decoder: recogniser.decoder,
              joiner: recogniser.joiner,
            },
            modelType: recogniser.make,
          }),
    },
  });
  const diarization =
    voices &&
    new sherpa.OfflineSpeakerDiarization({
      segmentation: { pyannote: { model: voices.segmentation }, ...shared },
      embedding: { model: voices.embedding, ...shared },
      clustering: { numClusters: -1, threshold: otherVoice },
      minDurationOn: 0.2,
      minDurationOff: 0.5,
    });
  if (diarization && diarization.sampleRate !== quietRate)
    throw new Error(`the model of voices wants ${diarization.sampleRate} samples a second`);

  function speechIn(samples: Float32Array): { from: number; to: number }[] {
    const found: { from: number; to: number }[] = [];
    const take = () => {
      for (; !vad.isEmpty(); vad.pop()) {
        const { start, samples: said } = vad.front(false);
        found.push({ from: start, to: start + said.length });
      }
    };
    vad.reset();
    for (let at = 0; at + windowSize <= samples.length; at += windowSize) {
      vad.acceptWaveform(samples.subarray(at, at + windowSize));
      take();
    }
    vad.flush();
    take();
    return found;
  }

  function turnsIn(samples: Float32Array, speakers: number): Turn[] {
    if (!diarization || speakers === 1) return [];
    diarization.setConfig({ clustering: { numClusters: -1, threshold: otherVoice } });
    const turns = diarization.process(samples);
    const many = new Set(turns.map(({ speaker }) => speaker)).size;
    if (speakers === 0 || many <= speakers) return turns;
    // Not everyone speaks in every piece: the given number of speakers is a maximum.
    diarization.setConfig({ clustering: { numClusters: speakers, threshold: otherVoice } });
    return diarization.process(samples);
  }

  return {
    async hear(bytes: Uint8Array, speakers: number) {
      // Copied, because the received bytes may not be aligned to samples.
      const whole = new Int16Array(new Uint8Array(bytes).buffer);
      const samples = Float32Array.from(whole, (sample) => sample / 32_768);
      const stretches: Stretch[] = [];
      for (const { from, to } of joinSpeech(speechIn(samples), samples.length)) {
        const stream = recognizer.createStream();
        stream.acceptWaveform({ samples: samples.slice(from, to), sampleRate: quietRate });
        const heard = await recognizer.decodeAsync(stream);
        const ms = (sample: number) => Math.round(sample / (quietRate / 1000));
        stretches.push({ ...heard, from: ms(from), to: ms(to) });
        say({ until: ms(to) });
      }
      return { stretches, turns: stretches.length > 0 ? turnsIn(samples, speakers) : [] };
    },
  };
}
