// The engine of this machine, with the real runtime for its models and models small enough to calculate by hand.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { EngineFailed, type Heard, type Task } from '#server/engines/engine.ts';
import { createEngines } from '#server/engines/engines.ts';
import { localEngine, noSherpa, type LocalPace } from '#server/engines/local-engine.ts';
import { findModels } from '#server/engines/models.ts';
import { alive, gone, processesIn } from '#tests/support/processes.ts';
import { deep, layModels, shrill, tone } from '#tests/support/models.ts';
import { noFfmpeg, recorded, silence, soundOf } from '#tests/support/speech.ts';

const without = noSherpa() ?? noFfmpeg();
const heavy = { timeout: 300_000 };

let folder: string;
const folders: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colloquy-models-'));
  folders.push(folder);
});
afterEach(() => {
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

const short: Partial<LocalPace> = { firstMs: 4000, mostMs: 5000 };
function engineOf(pace: Partial<LocalPace> = short) {
  const { recognisers, activity, voices, wrong } = findModels(folder);
  const [recogniser] = recognisers;
  if (!recogniser || !activity) throw new Error(`no models: ${wrong.join()}`);
  const offered = { name: 'local-beeps', title: 'Beeps', minutePrice: 0, onlyAutoSpeakers: voices === null };
  return localEngine({ recogniser, activity, voices }, offered, pace);
}

const talk = recorded(
  ...[silence(1), tone(deep, 1), silence(1.5), tone(shrill, 1), silence(1.5), tone(deep, 0.8), silence(1.2)],
  ...[tone(shrill, 1), tone(deep, 1), silence(1)],
);
/** Expected words, each with its start and end. */
const words = [
  ['low', 1000, 2000],
  ['high', 3500, 4500],
  ['low', 6000, 6800],
  ['high', 8000, 9000],
  ['low', 9000, 10_000],
] as const;

async function listen(engine: ReturnType<typeof engineOf>, wav: Buffer, more: Partial<Task> = {}): Promise<Heard[]> {
  const { folder: there, ...sound } = await soundOf(wav, more.signal);
  folders.push(there);
  const pieces: Heard[] = [];
  await engine.transcribe({
    ...{ sound, from: 0, lang: 'en-US', speakers: 0, vocabulary: '', signal: new AbortController().signal },
    heard: async (piece) => void pieces.push(piece),
    ...more,
  });
  return pieces;
}
const segmentsOf = (pieces: readonly Heard[]) => pieces.flatMap(({ segments }) => segments);
const saidBy = (pieces: readonly Heard[]) =>
  segmentsOf(pieces).map(({ speaker, words: said }) => `${speaker}: ${said.map(({ text }) => text).join(' ')}`);

const failing = async (listening: Promise<unknown>): Promise<EngineFailed> => {
  const error = await listening.then(
    () => null,
    (why: unknown) => why,
  );
  if (!(error instanceof EngineFailed)) throw new Error('it did not fail as an engine does', { cause: error });
  return error;
};

/** Transcription processes of this process, or of another. */
function listeners(parent = process.pid): number[] {
  const found: number[] = [];
  for (const { pid, command } of processesIn('local-process'))
    if (command.includes('local-process') && parentOf(pid) === parent) found.push(pid);
  return found;
}

function parentOf(pid: number): number {
  try {
    if (process.platform !== 'linux')
      return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

describe('the transcript of this machine', () => {
  test('has words at their times, in consecutive pieces, with their speakers', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity', 'voices']);
    const passed: number[] = [];
    const pieces = await listen(engineOf(), talk, { progress: (until) => void passed.push(until) });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces[0]?.from).toBe(0);
    for (const [i, { to }] of pieces.entries()) if (pieces[i + 1]) expect(pieces[i + 1]?.from).toBe(to);
    expect(pieces.at(-1)?.to).toBe(11_000);
    const heard = segmentsOf(pieces).flatMap((segment) => segment.words);
    expect(heard.map(({ text }) => text)).toEqual(words.map(([text]) => text));
    for (const [i, [, from, to]] of words.entries()) {
      expect(heard[i]?.from).toBeGreaterThanOrEqual(from - 100);
      expect(heard[i]?.from).toBeLessThanOrEqual(from + 200);
      expect(heard[i]?.to).toBeLessThanOrEqual(to + 100);
      expect(heard[i]?.confidence).toBeGreaterThan(0.5);
      expect(heard[i]?.estimated).toBeUndefined();
    }
    // One speaker is deep and one shrill, and they are told apart in every piece.
    for (const { segments } of pieces) {
      const voices = new Map<string, Set<string | null>>();
      for (const { speaker, words: said } of segments)
        for (const { text } of said) voices.set(text, (voices.get(text) ?? new Set()).add(speaker));
      const [low, high] = ['low', 'high'].map((text) => [...(voices.get(text) ?? [])]);
      for (const one of [low, high]) expect(one?.length ?? 0).toBeLessThanOrEqual(1);
      if (low?.[0] && high?.[0]) expect(low[0]).not.toBe(high[0]);
    }
    expect(passed.length).toBeGreaterThanOrEqual(pieces.length);
    expect(passed).toEqual(passed.toSorted((a, b) => a - b));
    expect(passed.at(-1)).toBeLessThanOrEqual(11_000);
    expect(listeners()).toEqual([]);
  });

  test('is complete in pieces of minutes, too, which reach the process in parts', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity']);
    const minute = Array.from({ length: 10 }, (_, i) => [silence(2.5), tone(i % 2 ? shrill : deep, 1.5), silence(2)]);
    const pieces = await listen(engineOf({}), recorded(...Array.from({ length: 4 }, () => minute).flat(2)));
    expect(pieces.length).toBeGreaterThan(1);
    const heard = segmentsOf(pieces).flatMap((segment) => segment.words.map(({ text }) => text));
    expect(heard).toEqual(Array.from({ length: 40 }, (_, i) => (i % 2 ? 'high' : 'low')));
  });

  test('is the same after a piece that was transcribed before', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity', 'voices']);
    const whole = await listen(engineOf(), talk);
    expect(await listen(engineOf(), talk, { from: whole[0]?.to ?? 0 })).toEqual(whole.slice(1));
  });

  test('is empty where nothing is said', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity', 'voices']);
    const soft = Buffer.concat([silence(2), tone(deep, 1).map((byte, i) => (i % 2 === 0 ? byte : 0)), silence(4)]);
    const pieces = await listen(engineOf(), recorded(soft));
    expect([segmentsOf(pieces), pieces.at(-1)?.to]).toEqual([[], 7000]);
  });

  test('has at most as many speakers as the caller states', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity', 'voices']);
    const both = recorded(silence(0.5), tone(deep, 1.5), silence(1), tone(shrill, 1.5), silence(0.5));
    const engine = engineOf({});
    const apart = ['voice 1: low', 'voice 2: high'];
    expect(saidBy(await listen(engine, both, { speakers: 0 }))).toEqual(apart);
    expect(saidBy(await listen(engine, both, { speakers: 2 }))).toEqual(apart);
    expect(saidBy(await listen(engine, both, { speakers: 7 }))).toEqual(apart);
    expect(saidBy(await listen(engine, both, { speakers: 1 }))).toEqual(['null: low high']);
  });

  test('has no speakers without a model that tells them apart', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity']);
    const said = saidBy(await listen(engineOf({}), talk));
    expect(said.map((one) => one.split(': ')[0])).not.toContain('voice 1');
    expect(said.map((one) => one.split(': ')[1]).join(' ')).toBe(words.map(([text]) => text).join(' '));
  });

  test('waits until a piece is accepted, and ends with its job, together with its process', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity']);
    const stop = new AbortController();
    const reason = new Error('enough');
    let [heard, busy] = [0, 0];
    const listening = listen(engineOf(), talk, {
      signal: stop.signal,
      heard: async () => {
        heard += 1;
        busy = listeners().length;
        stop.abort(reason);
      },
    });
    await expect(listening).rejects.toBe(reason);
    expect([heard, busy, listeners()]).toEqual([1, 1, []]);
    await expect(listen(engineOf(), talk, { signal: stop.signal })).rejects.toBe(reason);
  });
});

test('a transcription process ends with the process it works for, however that ends', heavy, async ({ skip }) => {
  if (without) return skip(without);
  layModels(folder, ['beeps', 'activity']);
  const { folder: there, file } = await soundOf(talk);
  folders.push(there);
  const waits = join(import.meta.dirname, '../support/listen.ts');
  const parent = spawn(process.execPath, ['--import', 'tsx', waits, folder, file.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const said of parent.stdout) if (String(said).includes('heard')) break;
    const [listener] = listeners(parent.pid);
    if (!listener) throw new Error('nobody listens');
    parent.kill('SIGKILL');
    await gone(listener);
    expect(alive(listener)).toBe(false);
  } finally {
    parent.kill('SIGKILL');
  }
});

describe('a transcription fails', () => {
  const files = ['encoder.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt'].map((name) => `beeps/${name}`);
  files.push('activity/model.onnx', 'voices/segmentation.onnx', 'voices/embedding.onnx');

  test.for(files)('when %s is damaged or missing, and says so', heavy, async (file, { skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity', 'voices']);
    const engine = engineOf();
    const path = join(folder, file);
    writeFileSync(path, Buffer.alloc(readFileSync(path).length, 'x'));
    const error = await failing(listen(engine, talk));
    expect([error.failure, listeners()]).toEqual(['broken', []]);
    expect((error.cause as Error).message).toMatch(/^it ended with .+: .+/s);
    rmSync(path);
    const missing = await failing(listen(engine, talk));
    expect([missing.failure, listeners()]).toEqual(['broken', []]);
    expect((missing.cause as Error).message).toContain(path);
  });

  test('when another program ends its process', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity']);
    const heard: Heard[] = [];
    const listening = listen(engineOf(), talk, {
      heard: async (piece) => {
        heard.push(piece);
        for (const pid of listeners()) process.kill(pid, 'SIGKILL');
      },
    });
    const error = await failing(listening);
    expect([error.failure, heard.length]).toEqual(['broken', 1]);
    expect((error.cause as Error).message).toContain('it ended with SIGKILL');
  });

  test('when it takes longer than its time limit', heavy, async ({ skip }) => {
    if (without) return skip(without);
    layModels(folder, ['beeps', 'activity']);
    const error = await failing(listen(engineOf({ patience: { ms: 1, times: 0 } }), talk));
    expect([error.failure, listeners()]).toEqual(['slow', []]);
  });

  test('when no program here can read a recording', async () => {
    layModels(folder, ['beeps', 'activity']);
    const { folder: there, ...sound } = await soundOf(recorded(silence(1)));
    folders.push(there);
    const listening = listen(engineOf(), talk, { sound: { ...sound, cut: null } });
    expect((await failing(listening)).failure).toBe('needs_ffmpeg');
  });
});

describe('models are offered', () => {
  const offered = (env: Record<string, string> = {}) => {
    const warnings: string[] = [];
    const config = readConfig({ MODELS_DIR: folder, ...env }, folder);
    const engines = createEngines(config, (why) => warnings.push(why));
    return { offers: engines().map((engine) => engine.offered), warnings };
  };

  test('with their names and languages, after the engine behind an address', ({ skip }) => {
    const missing = noSherpa();
    if (missing) return skip(missing);
    layModels(folder, ['beeps', 'activity'], ['en', 'pt']);
    const local = {
      name: 'local-beeps',
      title: 'Beeps',
      minutePrice: 0,
      onlyAutoSpeakers: true,
      languages: ['en-US', 'en-GB', 'en-AU', 'en-IN', 'pt-BR', 'pt-PT'],
    };
    expect(offered()).toEqual({ offers: [local], warnings: [] });
    expect(offered({ TRANSCRIBE_LOCAL_PRICE: '0.02' }).offers).toEqual([{ ...local, minutePrice: 20_000 }]);
    expect(offered({ TRANSCRIBE_URL: 'http://localhost/v1' }).offers.map(({ name }) => name)).toEqual([
      'speech',
      'local-beeps',
    ]);
    layModels(folder, ['voices']);
    expect(offered().offers).toEqual([{ ...local, onlyAutoSpeakers: false }]);
  });

  test('only if they are configured, complete and able to run', () => {
    expect(offered()).toEqual({ offers: [], warnings: [] });
    layModels(folder, ['beeps']);
    expect(offered()).toEqual({
      offers: [],
      warnings: ['models of speech cannot be used: the model that finds speech is missing (npm run models)'],
    });
    layModels(folder, ['activity']);
    expect(offered({ TRANSCRIBE_LOCAL: 'off' })).toEqual({ offers: [], warnings: [] });
    rmSync(join(folder, 'beeps/joiner.onnx'));
    expect(offered()).toEqual({ offers: [], warnings: ['the model beeps: its file joiner.onnx is missing'] });
    rmSync(join(folder, 'beeps/model.json'));
    expect(offered().warnings).toEqual(['the model beeps: it has no model.json: fetching it was not finished']);
    writeFileSync(join(folder, 'beeps/model.json'), '{"kind":"transducer"}');
    expect(offered().warnings[0]).toMatch(/^the model beeps: its model\.json says nothing usable: /);
  });
});
