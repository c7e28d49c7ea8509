// Getting speech recognition (screens: get speech recognition): a job that downloads a model, which people at the
// computer start and stop, and that a broken line, a full disk or a stopped server does not lose.
import fs, { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { start } from '#server/start.ts';
import type { ModelName, ModelsView, ModelView } from '#shared/engines.ts';
import type { LanguagesView } from '#shared/intake.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import {
  activityFile,
  openModelMirror,
  parakeetFile,
  stallAfter,
  type ModelMirror,
} from '#tests/support/model-mirror.ts';
import type { Person } from '#tests/support/people.ts';

const patient = { timeout: 60_000, interval: 20 };

let mirror: ModelMirror;
let house: TestHouse;
let models: string;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-models-'));
  models = join(folder, 'models');
  mirror = await openModelMirror();
  mirror.publish();
  house = await openHouse({ env: envOf() });
});
afterEach(async () => {
  await house.close();
  await mirror.close();
  await rm(folder, { recursive: true, force: true });
});

const envOf = () => ({ MODELS_DIR: models, MODELS_FROM: mirror.address, PATH: process.env['PATH'] ?? '' });
const modelOf = (view: ModelsView, name: ModelName): ModelView => {
  const model = view.models.find((one) => one.name === name);
  if (!model) throw new Error(`there is no ${name}`);
  return model;
};
const listed = async (person: Person) => (await person.get('/api/engines/models')).body as ModelsView;
const get = async (person: Person, name: ModelName) => {
  const answer = await person.post(`/api/engines/models/${name}`, {});
  expect(answer.status, answer.text).toBe(200);
  return modelOf(answer.body as ModelsView, name);
};
const stop = (person: Person, name: ModelName) => person.delete(`/api/engines/models/${name}`);
const reaches = (person: Person, name: ModelName, wanted: Partial<ModelView>) =>
  vi.waitFor(async () => expect(modelOf(await listed(person), name)).toMatchObject(wanted), patient);
const offered = async (person: Person) =>
  ((await person.get('/api/languages')).body as LanguagesView).models.map(({ name }) => name);

test('a model is downloaded with what it needs, and offered without a restart', async () => {
  const ann = await house.person();
  expect(await offered(ann)).toEqual(['external']);
  const begun = await get(ann, 'parakeet-v3');
  expect(['waiting', 'fetching', 'unpacking']).toContain(begun.state);
  await reaches(ann, 'parakeet-v3', { state: 'whole', received: 490e6, failure: null, room: 0 });
  // The runtime is an optional package.
  const { ready, missing } = await listed(ann);
  expect(ready).toBe(!missing.includes('runtime'));
  expect(await offered(ann)).toEqual(ready ? ['local-parakeet-v3', 'external'] : ['external']);
  expect(await house.house.costs.options(house.database.orm, { ...personOf(ann) }, orderOf(ready))).toMatchObject([
    { cost: 0 },
  ]);
  // Once more changes nothing.
  const asked = mirror.asked.length;
  expect(await get(ann, 'parakeet-v3')).toMatchObject({ state: 'whole' });
  expect(mirror.asked).toHaveLength(asked);
  // A model that goes is no longer offered.
  await rm(join(models, 'activity'), { recursive: true });
  expect(await offered(ann)).toEqual(['external']);
});

const personOf = ({ id, email }: Person) => ({
  ...{ id, email, emailKey: email, firstName: 'Ann', lastName: 'Test' },
  ...{ confirmed: true, hasPassword: true },
});
const orderOf = (ready: boolean) => ({ meetingId: '', model: ready ? 'local-parakeet-v3' : 'external', seconds: 60 });

test('a download that is stopped keeps what has arrived, and continues there', async () => {
  const ann = await house.person();
  mirror.mischief[activityFile] = [stallAfter(1000)];
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'fetching', received: 1000 });
  expect((await stop(ann, 'parakeet-v3')).status).toBe(200);
  await reaches(ann, 'parakeet-v3', { state: 'stopped', received: 1000 });
  await vi.waitFor(() => expect(existsSync(join(models, '.fetch/lock'))).toBe(false), patient);
  expect(statSync(join(models, '.fetch', activityFile)).size).toBe(1000);
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'whole' });
  expect(mirror.asked).toContain(`${activityFile} bytes=1000-`);
});

test('two people who ask for one model share one download; another model waits for it', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  mirror.mischief[activityFile] = [stallAfter(1000)];
  await Promise.all([get(ann, 'parakeet-v3'), get(ben, 'parakeet-v3')]);
  await reaches(ben, 'parakeet-v3', { state: 'fetching', received: 1000 });
  expect(await get(ben, 'voices')).toMatchObject({ state: 'waiting' });
  expect(mirror.asked.filter((path) => path.startsWith(activityFile))).toHaveLength(1);
  await stop(ben, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'stopped' });
  await reaches(ann, 'voices', { state: 'whole' });
});

test('a download goes on after a restart of the server in the middle of it', async () => {
  const ann = await house.person();
  mirror.mischief[activityFile] = [stallAfter(1000)];
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'fetching', received: 1000 });
  await house.stop();
  const { config } = house.house;
  const again = await start({ ...config }, () => {}, { log: house.house.log, quickPasswords: true, client: null });
  try {
    await vi.waitFor(() => expect(existsSync(join(models, 'parakeet-v3/model.json'))).toBe(true), patient);
    expect(mirror.asked).toContain(`${activityFile} bytes=1000-`);
  } finally {
    await again.stop();
  }
});

test('a wrong checksum deletes the download, tells it, and another try succeeds', async () => {
  const ann = await house.person();
  const good = mirror.files['checksum.txt'] as Buffer;
  mirror.files['checksum.txt'] = Buffer.from(good.toString().replaceAll(/[0-9a-f]{64}/g, '0'.repeat(64)));
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'failed', failure: 'damaged', received: 0 });
  mirror.files['checksum.txt'] = good;
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'whole', failure: null });
});

test('a model that its makers no longer publish is told to be gone', async () => {
  const ann = await house.person();
  delete mirror.files[parakeetFile];
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'failed', failure: 'gone' });
});

test('a disk that is too small is told before the download', async () => {
  const ann = await house.person();
  const { free, models: all } = await listed(ann);
  expect(free).toBeGreaterThan(0);
  expect(all.every(({ room, bytes }) => room === 2 * bytes)).toBe(true);
  mkdirSync(join(models, '.fetch'), { recursive: true });
  writeFileSync(join(models, '.fetch', activityFile), Buffer.alloc(500));
  expect(modelOf(await listed(ann), 'parakeet-v3')).toMatchObject({ state: 'stopped', room: 2 * 491e6 - 500 });
  vi.spyOn(fs.promises, 'statfs').mockResolvedValue({ bavail: 900, bsize: 1e6 } as never);
  syncBuiltinESMExports();
  try {
    expect((await listed(ann)).free).toBe(900e6);
    const { status, problem } = await ann.post('/api/engines/models/parakeet-v3', {});
    expect([status, problem.info.errors]).toEqual([422, [{ field: 'name', code: 'disk' }]]);
    expect(mirror.asked).toEqual([]);
    expect(await get(ann, 'voices')).toMatchObject({ state: 'waiting' });
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
  await reaches(ann, 'voices', { state: 'whole' });
});

test('a disk that is full during the download is told, and the model is not installed', async ({ skip }) => {
  if (!existsSync('/dev/full')) return skip('this machine has no /dev/full');
  const ann = await house.person();
  mkdirSync(join(models, '.fetch'), { recursive: true });
  symlinkSync('/dev/full', join(models, '.fetch', parakeetFile));
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'failed', failure: 'disk' });
  expect(existsSync(join(models, 'parakeet-v3'))).toBe(false);
});

test('a folder that cannot be written is told', async () => {
  const ann = await house.person();
  writeFileSync(models, 'a file');
  await get(ann, 'parakeet-v3');
  await reaches(ann, 'parakeet-v3', { state: 'failed', failure: 'folder' });
});

test('nobody is offered downloads where others reach the server, or where local models are off', async () => {
  for (const env of [{ PUBLIC_URL: 'https://colloquy.example' }, { TRANSCRIBE_LOCAL: 'off' }] as Record<
    string,
    string
  >[]) {
    const other = await openHouse({ env: { ...envOf(), ...env } });
    try {
      const ann = await other.person();
      expect((await ann.get('/api/engines/models')).problem.code).toBe('NO_PERM');
      expect((await ann.delete('/api/engines/models/voices')).status).toBe(403);
    } finally {
      await other.close();
    }
  }
});
