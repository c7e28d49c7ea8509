// `npm run models`, against a local server that imitates faulty networks.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findModels, readModel } from '#server/engines/models.ts';
import { catalogue, type Entry } from '#server/models/catalogue.ts';
import { installModel, workFolder, wrongWith } from '#server/models/install.ts';
import { fromOf, sumIn, type From } from '#server/outside/model-files.ts';
import {
  openModelMirror,
  parakeetArchive,
  rangeOf,
  sumOf,
  writeHead,
  type Answering,
  type ModelMirror,
} from '#tests/support/model-mirror.ts';
import { root } from '../house/files.ts';

let folder: string;
let models: string;
let mirror: ModelMirror;
let address: string;
let asked: string[];
let files: ModelMirror['files'];
let mischief: ModelMirror['mischief'];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colloquy-models-'));
  models = join(folder, 'models');
  mirror = await openModelMirror();
  ({ address, asked, files, mischief } = mirror);
});

afterEach(async () => {
  await mirror.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Breaks the connection after that many bytes. */
const cutAfter =
  (count: number): Answering =>
  (incoming, outgoing, bytes) => {
    const from = rangeOf(incoming);
    writeHead(outgoing, from, bytes);
    outgoing.write(bytes.subarray(from, from + count));
    const target = join(workFolder(models), (incoming.url ?? '').slice(1));
    const look = setInterval(() => {
      if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) < from + count) return;
      clearInterval(look);
      outgoing.destroy();
    }, 5);
    outgoing.on('close', () => clearInterval(look));
  };
const saying =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (_incoming, outgoing) =>
    void outgoing.writeHead(status, headers).end();
/** Address of this machine that is not recognised as local. */
const elsewhere = () => `${address.replace('127.0.0.1', '0.0.0.0')}/model.onnx`;
const never: Answering = () => {};

/** Offers a model of one file, as its makers do. */
function offer(bytes = randomBytes(200_000), more: Partial<Entry['sources'][number]> = {}): Entry {
  files['model.onnx'] = bytes;
  files['checksum.txt'] ??= Buffer.from(`other.onnx\t${sumOf('other')}\nmodel.onnx\t${sumOf(bytes)}\n`);
  const source = {
    url: `${address}/model.onnx`,
    megabytes: 1,
    sha256: null,
    checksums: `${address}/checksum.txt`,
    files: { model: /./ },
    ...more,
  };
  return {
    ...{
      name: 'activity',
      title: 'Activity',
      about: 'finds speech',
      kind: 'activity',
      licence: 'MIT',
      credit: 'nobody',
    },
    ...{ needs: [], sources: [source] },
  };
}

let said: string[];
const install = (entry: Entry, from: From = { kind: 'makers' }, silence = 60_000) => {
  said = [];
  const options = {
    folder: models,
    from,
    signal: new AbortController().signal,
    say: (text: string) => said.push(text),
  };
  return installModel(entry, { ...options, pace: { tries: 3, pause: 1, silence } });
};
const failing = (installing: Promise<unknown>): Promise<string> =>
  installing.then(
    () => 'it was installed',
    (error: unknown) => {
      if (error instanceof Error && error.name === 'Failed') return error.message;
      throw error;
    },
  );

describe('a model', () => {
  test('is fetched, compared with the checksum its makers publish, and installed', async () => {
    const entry = offer();
    expect(await install(entry)).toBe('published');
    const bytes = files['model.onnx'] ?? Buffer.alloc(0);
    expect(findModels(models)).toMatchObject({
      wrong: [],
      activity: {
        licence: 'MIT',
        verified: 'published',
        files: { model: { name: 'model.onnx', bytes: bytes.length, sha256: sumOf(bytes) } },
      },
    });
    expect(readFileSync(join(models, 'activity/model.onnx'))).toEqual(bytes);
    expect(readdirSync(workFolder(models))).toEqual([]);
    expect(await wrongWith(join(models, 'activity'))).toBeNull();
    writeFileSync(join(models, 'activity/model.onnx'), Buffer.alloc(bytes.length));
    expect(findModels(models).wrong).toEqual([]);
    expect(await wrongWith(join(models, 'activity'))).toBe('its file model.onnx was changed or damaged');
    writeFileSync(join(models, 'activity/model.onnx'), 'short');
    expect(findModels(models).wrong).toEqual([`activity: its file model.onnx has 5 bytes instead of ${bytes.length}`]);
  });

  test('is compared with the checksum of this repository, where it has one', async () => {
    const bytes = randomBytes(1000);
    expect(await install(offer(bytes, { sha256: sumOf(bytes) }))).toBe('pinned');
    expect(asked).toEqual(['model.onnx']);
    const wrong = offer(bytes, { sha256: sumOf('other') });
    expect(await failing(install(wrong))).toBe(
      `model.onnx is not what it should be: its SHA-256 is ${sumOf(bytes)}, and this repository says ${sumOf('other')}`,
    );
  });

  test('without a published checksum is accepted, and that is printed and recorded', async () => {
    const bytes = randomBytes(1000);
    expect(await install(offer(bytes, { checksums: null }))).toBe('recorded');
    expect(said.at(-1)).toBe(
      `model.onnx: nobody publishes what it should be; its SHA-256 is ${sumOf(bytes)}, which is written down beside it`,
    );
    expect(readModel(join(models, 'activity'))).toMatchObject({
      verified: 'recorded',
      source: expect.stringContaining(sumOf(bytes)),
    });
  });

  test('continues after a broken connection, however often it breaks', async () => {
    const entry = offer();
    mischief['model.onnx'] = [cutAfter(50_000), cutAfter(50_000), cutAfter(50_000), cutAfter(20_000)];
    await install(entry);
    const parts = asked
      .filter((one) => one.startsWith('model.onnx'))
      .map((one) => Number(/=(\d+)-/.exec(one)?.[1] ?? 0));
    expect(parts).toHaveLength(5);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(parts.at(-1)).toBeGreaterThan(0);
    expect(await wrongWith(join(models, 'activity'))).toBeNull();
  });

  test('continues where another command stopped', async () => {
    const entry = offer();
    mkdirSync(workFolder(models), { recursive: true });
    writeFileSync(
      join(workFolder(models), 'model.onnx'),
      (files['model.onnx'] ?? Buffer.alloc(0)).subarray(0, 150_000),
    );
    await install(entry);
    expect(asked).toEqual(['checksum.txt', 'model.onnx bytes=150000-']);
  });

  test.for([
    ['belongs to another version', randomBytes(150_000)],
    ['is as long as the whole file', randomBytes(200_000)],
    ['is longer than the whole file', randomBytes(250_000)],
  ] as const)('is fetched anew if its partial file %s', async ([, there]) => {
    const entry = offer();
    mkdirSync(workFolder(models), { recursive: true });
    writeFileSync(join(workFolder(models), 'model.onnx'), there);
    expect(await install(entry)).toBe('published');
    expect(asked.at(-1)).toBe('model.onnx');
    expect(readFileSync(join(models, 'activity/model.onnx'))).toEqual(files['model.onnx']);
  });

  test('is fetched whole from a server that ignores ranges', async () => {
    const entry = offer();
    const whole: Answering = (_incoming, outgoing, bytes) => void outgoing.writeHead(200).end(bytes);
    mischief['model.onnx'] = [cutAfter(50_000), whole];
    expect(await install(entry)).toBe('published');
  });

  test.for<[why: string, ways: Answering[], says: RegExp]>([
    ['the server fails', [saying(503), saying(500), saying(502)], /could not be fetched: it answers 502\.$/],
    ['the file is gone', [saying(404)], /model\.onnx is not there any more$/],
    ['the connection always breaks', [cutAfter(10), cutAfter(0), cutAfter(0)], /is kept: ask again and it goes on\.$/],
    [
      'it is redirected to an insecure address',
      [(_incoming, outgoing) => void outgoing.writeHead(302, { Location: elsewhere() }).end()],
      /^http:\/\/0\.0\.0\.0:\d+\/model\.onnx is no https: address$/,
    ],
    ['no bytes arrive', [never, never, never], /could not be fetched: .+/],
    [
      'the disk has no room',
      [(_i, o) => void o.writeHead(200, { 'Content-Length': '900000000000000' }).write('a')],
      /^there is no room for model\.onnx: it takes 900000000 MB more, and .+ has \d+ MB$/,
    ],
  ])('is not installed where %s', async ([, ways, says]) => {
    const entry = offer();
    mischief['model.onnx'] = [...ways];
    expect(await failing(install(entry, undefined, ways[0] === never ? 200 : 60_000))).toMatch(says);
    expect(findModels(models)).toMatchObject({ activity: null, wrong: [] });
  });

  test('with a wrong checksum is deleted, and the installed one stays', async () => {
    const entry = offer();
    await install(entry);
    const good = files['model.onnx'];
    files['model.onnx'] = randomBytes(100);
    expect(await failing(install(entry))).toMatch(
      /^model\.onnx is not what it should be: its SHA-256 is .+ and http.+checksum\.txt says /,
    );
    expect(readFileSync(join(models, 'activity/model.onnx'))).toEqual(good);
    expect(existsSync(join(workFolder(models), 'model.onnx'))).toBe(false);
  });

  test('is not fetched if its checksum cannot be read', async () => {
    const entry = offer();
    delete files['checksum.txt'];
    expect(await failing(install(entry))).toMatch(
      /^the sums to compare model\.onnx with could not be read at .+: it answers 404$/,
    );
    files['checksum.txt'] = Buffer.from(`other.onnx ${sumOf('other')}`);
    expect(await failing(install(entry))).toMatch(/checksum\.txt has no SHA-256 of model\.onnx$/);
    expect(asked).toEqual(['checksum.txt', 'checksum.txt']);
  });

  test('is not installed where files cannot be written, and the reason is printed', async () => {
    const entry = offer();
    writeFileSync(join(folder, 'a file'), '');
    models = join(folder, 'a file/models');
    expect(await failing(install(entry))).toBe(`${models} cannot be written: a part of it is no folder`);
  });

  test('is not installed where the disk is full', async ({ skip }) => {
    if (!existsSync('/dev/full')) return skip('this machine has no /dev/full');
    const entry = offer();
    mkdirSync(workFolder(models), { recursive: true });
    symlinkSync('/dev/full', join(workFolder(models), 'model.onnx'));
    expect(await failing(install(entry))).toMatch(/model\.onnx cannot be written: the disk is full$/);
  });

  test('that is damaged within its archive is not installed', async () => {
    const bytes = parakeetArchive;
    const entry = offer(bytes, { checksums: null, url: `${address}/all.tar.bz2` });
    files['all.tar.bz2'] = bytes.subarray(0, -20);
    expect(await failing(install(entry))).toMatch(/^all\.tar\.bz2 cannot be unpacked: ./);
    files['all.tar.bz2'] = bytes;
    const [source] = entry.sources;
    if (source) source.files = { model: /there-is-none\.onnx$/ };
    expect(await failing(install(entry))).toBe('all.tar.bz2 cannot be unpacked: there is no model in it');
    expect(findModels(models)).toMatchObject({ activity: null, wrong: [] });
  });
});

test('checksums are read in either order, and of exactly that file', () => {
  const list = `${sumOf('a')} *a.onnx\nb.onnx\t${sumOf('b').toUpperCase()}\nxa.onnx ${sumOf('x')}\n`;
  expect([sumIn(list, 'a.onnx'), sumIn(list, 'b.onnx'), sumIn(list, 'onnx')]).toEqual([sumOf('a'), sumOf('b'), null]);
});

test('files are fetched only over connections that others cannot change', () => {
  expect(() => fromOf('http://models.example/')).toThrow('http://models.example is no https: address');
  expect(() => fromOf('ftp://models.example/')).toThrow('is no https: address');
  expect(fromOf('https://models.example/x/')).toEqual({ kind: 'mirror', url: 'https://models.example/x' });
  expect(fromOf('./here')).toEqual({ kind: 'folder', path: './here' });
});

test('offered models have unique names, need only offered models, and come over https', () => {
  const names = catalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { needs, sources, licence } of catalogue) {
    for (const name of needs) expect(names).toContain(name);
    for (const { url, checksums } of sources) {
      expect(new URL(url).protocol).toBe('https:');
      if (checksums !== null) expect(new URL('.', checksums).href).toBe(new URL('.', url).href);
    }
    expect(licence).toMatch(/^(?:(?:MIT|Apache-2\.0|CC-BY-4\.0)(?:, |$))+$/);
  }
});

describe('the command', () => {
  const npm = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const command = [join(root, 'scripts/models.mjs'), ...args];
      const options = { cwd: root, env: { PATH: process.env['PATH'], MODELS_DIR: models, ...env } };
      const child = execFile(process.execPath, command, options, (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, output: out + err }),
      );
    });
  test('lists all models', async () => {
    const { code, output } = await npm([]);
    expect(code).toBe(0);
    for (const { name, licence } of catalogue)
      expect(output).toMatch(new RegExp(`^  ${name} .*\\(${licence}\\)$`, 'm'));
  });

  test('fetches models from a mirror with those they need, reports it, and checks them again', async () => {
    mirror.publish();
    mischief['silero_vad.onnx'] = [cutAfter(1000)];
    const { code, output } = await npm(['parakeet-v3', 'voices', '--from', address]);
    expect(output).toContain('They are offered where a recording is added.');
    expect(code).toBe(0);
    expect(output).toContain('nobody publishes what it should be');
    const { recognisers, activity, voices, wrong } = findModels(models);
    expect(wrong).toEqual([]);
    expect(recognisers).toMatchObject([
      {
        name: 'parakeet-v3',
        make: 'nemo_transducer',
        verified: 'published',
        files: { encoder: { bytes: 5000 }, joiner: { bytes: 200 } },
      },
    ]);
    expect(activity?.verified).toBe('published');
    expect(voices).toMatchObject({
      verified: 'recorded',
      files: { segmentation: { name: 'model.onnx', bytes: 1000 } },
    });
    expect(readdirSync(models).toSorted()).toEqual(['activity', 'parakeet-v3', 'voices']);
    expect(readdirSync(join(models, 'parakeet-v3'))).toHaveLength(5);

    expect(await npm(['--check'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('voices: as it was fetched'),
    });
    writeFileSync(join(models, 'voices/model.onnx'), 'X'.repeat(1000));
    expect(await npm(['--check'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('voices: its file model.onnx was changed or damaged'),
    });
    expect((await npm([])).output).toMatch(/^  parakeet-v3 .* - here$/m);
  });

  test('takes files from a folder, without a network', async () => {
    mirror.publish();
    const there = join(folder, 'downloads');
    mkdirSync(there);
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(there, name), bytes);
    expect(await npm(['activity', '--from', there])).toMatchObject({ code: 0 });
    writeFileSync(join(there, 'silero_vad.onnx'), randomBytes(3000));
    const wrong = await npm(['activity', '--from', there]);
    expect(wrong).toMatchObject({
      code: 1,
      output: expect.stringContaining('silero_vad.onnx is not what it should be'),
    });
    const missing = await npm(['whisper-base', '--from', there]);
    expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('sherpa-onnx-whisper-base.tar.bz2') });
    expect(asked).toEqual([]);
  });

  test.for([
    [['parrot'], 'There is no model "parrot". There are: parakeet-v3, '],
    [['--fron', 'x'], 'npm run models -- <name> ...'],
    [['activity', '--from', 'http://models.example'], 'http://models.example is no https: address'],
  ] as const)('prints one line about the error: %s', async ([args, line]) => {
    const { code, output } = await npm([...args]);
    expect([code, output]).toEqual([1, expect.stringContaining(line)]);
    expect(output).not.toContain('    at ');
  });
});
