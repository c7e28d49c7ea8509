// Transcription engines: one contract for all of them, on real speech, and the faults of an engine behind an address.
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { EngineFailed, type Engine, type Heard, type Sound, type Task } from '#server/engines/engine.ts';
import { localEngine, noSherpa } from '#server/engines/local-engine.ts';
import { findModels } from '#server/engines/models.ts';
import { urlEngine, type Pace } from '#server/engines/url-engine.ts';
import type { OfferedModel } from '#shared/intake.ts';
import {
  noFfmpeg,
  noSpeech,
  openRecogniser,
  recorded,
  silence,
  soundOf,
  speak,
  type Recogniser,
} from '#tests/support/speech.ts';
import { root } from '../house/files.ts';

const offered: OfferedModel = { name: 'speech', title: 'Speech', minutePrice: 0, onlyAutoSpeakers: true };
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Everything an engine recognises, and the end of each piece. */
async function listen(engine: Engine, wav: Buffer, more: Partial<Task> = {}): Promise<Heard[]> {
  const { folder, ...sound } = await soundOf(wav, more.signal);
  folders.push(folder);
  const pieces: Heard[] = [];
  await engine.transcribe({
    sound,
    from: 0,
    lang: 'en-US',
    speakers: 0,
    vocabulary: '',
    signal: new AbortController().signal,
    heard: async (piece) => void pieces.push(piece),
    ...more,
  });
  return pieces;
}

const wordsOf = (pieces: readonly Heard[]) => pieces.flatMap(({ segments }) => segments.flatMap(({ words }) => words));
const textOf = (pieces: readonly Heard[]) =>
  wordsOf(pieces)
    .map(({ text }) => text)
    .join(' ');
/** Removes capitals and punctuation, which only some engines write. */
const plain = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');

/** Timeout: recognition is slow on a slow machine. */
const heavy = { timeout: 300_000 };

interface Setup {
  engine: Engine;
  close(): Promise<void>;
}

/** Pieces of a few seconds, so that a short recording has several. */
const short: Partial<Pace> = { pause: 1, firstMs: 5000, mostMs: 6000 };

async function behindAnAddress(): Promise<Setup> {
  const server = await openRecogniser();
  const config = { url: server.url, key: 'a-key', model: 'sphinx' };
  return { engine: urlEngine(config, offered, short), close: () => server.close() };
}

const { DATA_DIR, MODELS_DIR } = process.env;
const { recognisers, activity, voices } = findModels(readConfig({ DATA_DIR, MODELS_DIR }, root).modelsDir);
/** A recogniser that reports the times of words. */
const recogniser = recognisers.find(({ kind }) => kind === 'transducer');
const noModels = recogniser && activity ? null : 'no models of speech on this machine (npm run models -- parakeet-v3)';

async function onThisMachine(): Promise<Setup> {
  if (!recogniser || !activity) throw new Error('there are no models');
  return { engine: localEngine({ recogniser, activity, voices }, offered, short), close: async () => {} };
}

const engines: [name: string, without: string | null, open: () => Promise<Setup>][] = [
  ['behind an address', noSpeech(), behindAnAddress],
  ['on this machine', noModels ?? noSherpa() ?? noSpeech(), onThisMachine],
];

describe.each(engines)('an engine %s', (_name, without, open) => {
  const sentences = [
    'i think that is a very good question',
    'the weather was very good and the children played in the garden',
  ];
  let setup: Setup;
  let voices: Buffer[];
  let talk: Buffer;
  beforeAll(async () => {
    if (without) return;
    setup = await open();
    voices = await Promise.all(sentences.map(speak));
    talk = recorded(silence(1), voices[0] ?? silence(0), silence(2), voices[1] ?? silence(0), silence(0.5));
  });
  afterAll(() => setup?.close());

  test('finds each word at its time, in consecutive pieces', heavy, async ({ skip }) => {
    if (without) return skip(without);
    const pieces = await listen(setup.engine, talk);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces[0]?.from).toBe(0);
    for (const [i, { to }] of pieces.entries()) if (pieces[i + 1]) expect(pieces[i + 1]?.from).toBe(to);
    expect(pieces.at(-1)?.to).toBe(Math.round((talk.length - 44) / 32));
    expect(plain(textOf(pieces))).toBe(sentences.join(' '));
    const words = wordsOf(pieces);
    const [first = 0, second = 0] = voices.map((samples) => samples.length / 32);
    const begins = 1000 + first + 2000;
    const spans = [
      [1000, 1000 + first, sentences[0]],
      [begins, begins + second, sentences[1]],
    ] as const;
    let nth = 0;
    for (const [from, to, sentence] of spans)
      for (const text of sentence?.split(' ') ?? []) {
        const word = words[nth++];
        expect(plain(word?.text ?? '')).toBe(text);
        // Recognisers let a word begin slightly early.
        expect(word?.from).toBeGreaterThanOrEqual(from - 250);
        expect(word?.to).toBeLessThanOrEqual(to + 250);
        expect(word?.estimated).toBeUndefined();
      }
    for (const [i, word] of words.entries()) expect(word.from).toBeGreaterThanOrEqual(words[i - 1]?.to ?? 0);
  });

  test('continues from the end of a piece, with the same words as in one go', heavy, async ({ skip }) => {
    if (without) return skip(without);
    const whole = await listen(setup.engine, talk);
    const from = whole[0]?.to ?? 0;
    const rest = await listen(setup.engine, talk, { from });
    expect(rest).toEqual(whole.slice(1));
  });

  test('finds no words in silence', async ({ skip }) => {
    if (without) return skip(without);
    const pieces = await listen(setup.engine, recorded(silence(7)));
    expect([wordsOf(pieces), pieces.at(-1)?.to]).toEqual([[], 7000]);
  });

  test('waits until a piece is accepted, and stops when aborted', heavy, async ({ skip }) => {
    if (without) return skip(without);
    const stop = new AbortController();
    const reason = new Error('enough');
    const heard: Heard[] = [];
    const listening = listen(setup.engine, talk, {
      signal: stop.signal,
      heard: async (piece) => {
        heard.push(piece);
        stop.abort(reason);
      },
    });
    await expect(listening).rejects.toBe(reason);
    expect(heard).toHaveLength(1);
  });
});

describe('the engine behind an address', () => {
  const without = noFfmpeg();
  let server: Recogniser;
  afterEach(() => server?.close());
  const open = async (answers: Recogniser['answers'], pace: Partial<Pace> = {}, url = '') => {
    server = await openRecogniser(answers);
    const config = { url: url || server.url, key: 'a-key', model: 'whisper' };
    return urlEngine(config, offered, { ...short, ...pace });
  };
  /** Noise loud enough to be sent. */
  const noise = (seconds: number): Buffer => {
    const samples = silence(seconds);
    for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(at % 64 < 32 ? 9000 : -9000, at);
    return samples;
  };
  const good = {
    body: {
      text: 'Good morning.',
      segments: [{ start: 0.1, end: 1, text: ' Good morning.' }],
      words: [
        { word: 'Good', start: 0.1, end: 0.4 },
        { word: 'morning', start: 0.5, end: 1 },
      ],
    },
  };
  const failing = async (listening: Promise<unknown>): Promise<string> => {
    const error = await listening.then(
      () => null,
      (why: unknown) => why,
    );
    if (!(error instanceof EngineFailed)) throw new Error('it did not fail as an engine does', { cause: error });
    return error.failure;
  };

  test('receives the key, the model, the language, what to listen for and the preceding words', async ({ skip }) => {
    if (without) return skip(without);
    const engine = await open(() => good);
    const vocabulary = 'Colloquy\n  Dr. Żółć,  Ann  Lee\n';
    const pieces = await listen(engine, recorded(noise(8)), { lang: 'nb-NO', vocabulary });
    expect(server.asked.length).toBe(pieces.length);
    const [first, second] = server.asked;
    expect(first?.authorization).toBe('Bearer a-key');
    expect(first?.fields).toEqual({
      model: ['whisper'],
      language: ['no'],
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['word', 'segment'],
      temperature: ['0'],
      prompt: ['Colloquy, Dr. Żółć, Ann Lee.'],
    });
    expect(second?.fields['prompt']).toEqual(['Colloquy, Dr. Żółć, Ann Lee. Good morning.']);
    expect(first?.wav.toString('latin1', 0, 4)).toBe('RIFF');
    // Words of a later piece have later times.
    expect(wordsOf(pieces.slice(1, 2))[0]?.from).toBe((pieces[1]?.from ?? 0) + 100);
  });

  test('keeps punctuation, and marks estimated times', async ({ skip }) => {
    if (without) return skip(without);
    const engine = await open(() => ({
      body: {
        segments: [{ start: 0, end: 3, text: ' Well, 20 people, I’d say.' }],
        words: [
          { word: 'well', start: 0, end: 0.4, probability: 0.9 },
          { word: 'twenty', start: 0.5, end: 1 },
          { word: 'people', start: 1.2, end: 1.6, probability: 0.4 },
          { word: "I'd", start: 1.8, end: 2 },
          { word: 'say', start: 2, end: 2.4 },
        ],
      },
    }));
    expect(wordsOf(await listen(engine, recorded(noise(3))))).toEqual([
      { text: 'Well,', from: 0, to: 400, confidence: 0.9 },
      { text: '20', from: 400, to: 933, estimated: true },
      { text: 'people,', from: 1200, to: 1600, confidence: 0.4 },
      { text: 'I’d', from: 1800, to: 2000 },
      { text: 'say.', from: 2000, to: 2400 },
    ]);
  });

  test.for<[string, unknown, string[], number]>([
    [
      'words within the segments',
      {
        segments: [
          {
            text: 'Yes. No.',
            words: [
              { text: 'Yes', start: 0.2, end: 0.5, speaker: 'A' },
              { text: 'No', start: 1, end: 1.2, speaker: 'B' },
            ],
          },
        ],
      },
      ['A: Yes.', 'B: No.'],
      0,
    ],
    [
      'a speaker of each segment, no words',
      {
        segments: [
          { text: 'Yes.', start: 0, end: 1, speaker: 'A' },
          { text: 'No.', start: 1, end: 2 },
        ],
      },
      ['A: Yes.', 'null: No.'],
      2,
    ],
    ['only a text', { text: 'Yes and no.' }, ['null: Yes and no.'], 3],
    [
      'no blanks between words',
      {
        segments: [{ text: '我们开始吧。', start: 0, end: 2 }],
        words: [
          { word: '我们', start: 0, end: 0.5 },
          { word: '开始', start: 0.6, end: 1 },
          { word: '吧', start: 1, end: 1.2 },
        ],
      },
      ['null: 我们 开始 吧。'],
      0,
    ],
    [
      'times after the end, backwards, or missing',
      {
        segments: [{ text: 'one two three', start: -5, end: 900 }],
        words: [
          { word: 'one', start: 800, end: 1 },
          { word: 'two', start: null, end: 2 },
          { word: 'three', start: 1, end: 0 },
        ],
      },
      ['null: one two three'],
      1,
    ],
    ['silence', { text: '', segments: [], words: [] }, [], 0],
  ])('understands %s', async ([, body, said, estimated], { skip }) => {
    if (without) return skip(without);
    const engine = await open(() => ({ body }));
    const pieces = await listen(engine, recorded(noise(3)));
    const segments = pieces.flatMap((piece) => piece.segments);
    expect(segments.map(({ speaker, words }) => `${speaker}: ${words.map(({ text }) => text).join(' ')}`)).toEqual(
      said,
    );
    expect(wordsOf(pieces).filter((word) => word.estimated)).toHaveLength(estimated);
    for (const { from, to } of wordsOf(pieces)) {
      expect(from).toBeLessThanOrEqual(to);
      expect(to).toBeLessThanOrEqual(3000);
    }
  });

  test('tries again after a rate limit, a server error or a broken connection', async ({ skip }) => {
    if (without) return skip(without);
    const stumbles = [
      { status: 429, headers: { 'Retry-After': '0' }, body: {} },
      { status: 503, body: 'busy' },
      'cut',
      { status: 200, body: '<html>' },
    ] as const;
    const engine = await open((_asked, nth) => stumbles[nth - 1] ?? good);
    expect(textOf(await listen(engine, recorded(noise(2))))).toBe('Good morning.');
    expect(server.asked).toHaveLength(stumbles.length + 1);
  });

  test.for<[string, Recogniser['answers'], string, number]>([
    ['the server is always busy', () => ({ status: 429, body: {} }), 'unreachable', 7],
    ['its answer always breaks off', () => 'cut', 'unreachable', 7],
    ['the key is wrong', () => ({ status: 401, body: { error: 'no' } }), 'refused', 1],
    ['it redirects', () => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/' }, body: '' }), 'refused', 1],
    ['its answer has another shape', () => ({ body: { choices: [] } }), 'answer', 2],
    ['its answer is no JSON', () => ({ body: 'Hello' }), 'answer', 2],
    ['its words are invalid', () => ({ body: { text: 'a', words: [{ word: 5 }] } }), 'answer', 2],
    ['it never answers', () => 'hang', 'slow', 2],
  ])('fails where %s', async ([, answers, failure, times], { skip }) => {
    if (without) return skip(without);
    const engine = await open(answers, {
      patience:
        answers({ authorization: '', fields: {}, wav: silence(0) }, 1) === 'hang'
          ? { ms: 200, times: 0 }
          : { ms: 60_000, times: 0 },
    });
    expect(await failing(listen(engine, recorded(noise(2))))).toBe(failure);
    expect(server.asked).toHaveLength(times);
  });

  test('fails where no server listens', async ({ skip }) => {
    if (without) return skip(without);
    const engine = await open(() => good, {}, 'http://127.0.0.1:1/v1');
    expect(await failing(listen(engine, recorded(noise(2))))).toBe('unreachable');
  });

  test('delivers each result before the next request, and fails after the last one', async ({ skip }) => {
    if (without) return skip(without);
    const engine = await open((_asked, nth) => (nth === 1 ? good : { status: 400, body: {} }));
    const heard: Heard[] = [];
    const failure = await failing(
      listen(engine, recorded(noise(9)), { heard: async (piece) => void heard.push(piece) }),
    );
    expect([failure, textOf(heard)]).toEqual(['refused', 'Good morning.']);
  });

  test('without a program to cut it, a short recording is sent whole and a long one is refused', async () => {
    const engine = await open(() => good);
    const { folder, ...sound } = await soundOf(recorded(noise(2)));
    folders.push(folder);
    const wholly: Sound = { ...sound, cut: null };
    const pieces = await listen(engine, recorded(noise(2)), { sound: wholly });
    expect([textOf(pieces), pieces[0]?.to]).toEqual(['Good morning.', 2000]);
    const long: Sound = { ...wholly, file: { ...wholly.file, bytes: 30_000_000 } };
    expect(await failing(listen(engine, recorded(noise(2)), { sound: long }))).toBe('needs_ffmpeg');
  });
});
