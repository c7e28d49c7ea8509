import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { and, desc, eq, isNull } from 'drizzle-orm';
import { jobs } from '#db/schema/jobs.ts';
import {
  modelFailures,
  modelNames,
  type ModelFailure,
  type ModelName,
  type ModelState,
  type ModelsView,
  type ModelView,
} from '#shared/engines.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { noSherpa } from '../engines/local-engine.ts';
import { cancelSubject, queueSubject } from '../jobs.ts';
import { findPrograms } from '../media/ffmpeg.ts';
import { freeBytes } from '../outside/disk-space.ts';
import { fileOf } from '../outside/model-files.ts';
import { catalogue, type Entry } from './catalogue.ts';
import { isWhole, withNeeds } from './fetch-models.ts';
import { workFolder } from './install.ts';
import { modelJob } from './model-job.ts';

// Downloads change this computer, so that only somebody at it starts and stops them, where nobody else reaches the server.

interface At {
  /** Whether the request comes from the computer that the server runs on. */
  here: boolean;
}

function requireHere(ctx: Ctx, { here }: At): void {
  signedIn(ctx);
  if (!here || !ctx.config.localModels) throw new Problem('NO_PERM');
}

export async function listModels(ctx: Ctx, at: At): Promise<ModelsView> {
  requireHere(ctx, at);
  const lasting = await lastJobs(ctx);
  const missing: ModelsView['missing'] = [];
  if (noSherpa() !== null) missing.push('runtime');
  if (!(await findPrograms(ctx.config.path))) missing.push('ffmpeg');
  return {
    ready: ctx.engines().length > 0,
    missing,
    free: await freeBytes(ctx.config.modelsDir),
    models: await Promise.all(modelNames.map((name) => viewOf(ctx, name, lasting.get(name)))),
  };
}

/** Starts or continues a download; changes nothing about one that runs, or about a model that is whole. */
export async function getModel(ctx: Ctx, { name, ...at }: At & { name: string }): Promise<ModelsView> {
  requireHere(ctx, at);
  const known = knownName(name);
  const { models, free } = await listModels(ctx, at);
  const model = models.find((one) => one.name === known);
  if (model && !isOpen(model.state) && model.state !== 'whole') {
    if (free !== null && model.room > free) throw invalid({ field: 'name', code: 'disk' });
    await transaction(ctx, (tx) => queueSubject(tx, modelJob, known, ctx.clock.now()));
  }
  return listModels(ctx, at);
}

/** Stops a download; what has arrived stays. */
export async function stopModel(ctx: Ctx, { name, ...at }: At & { name: string }): Promise<ModelsView> {
  requireHere(ctx, at);
  const known = knownName(name);
  await transaction(ctx, (tx) => cancelSubject(tx, modelJob, known, ctx.clock.now()));
  return listModels(ctx, at);
}

function knownName(name: string): ModelName {
  const known = modelNames.find((one) => one === name);
  if (!known) throw new Problem('NOT_FOUND');
  return known;
}

const isOpen = (state: ModelState) => state === 'waiting' || state === 'fetching' || state === 'unpacking';

type LastJob = Pick<typeof jobs.$inferSelect, 'subject' | 'state' | 'step' | 'error'>;

/** The latest job about each model. */
async function lastJobs({ db }: Ctx): Promise<Map<string, LastJob>> {
  const { subject, state, step, error } = jobs;
  const rows = await db.orm
    .selectDistinctOn([subject], { subject, state, step, error })
    .from(jobs)
    .where(and(isNull(jobs.meetingId), eq(jobs.kind, modelJob)))
    .orderBy(subject, desc(jobs.createdAt), desc(jobs.id));
  return new Map(rows.map((row) => [row.subject, row]));
}

async function viewOf({ config }: Ctx, name: ModelName, job: LastJob | undefined): Promise<ModelView> {
  const entry = entryOf(name);
  const folder = config.modelsDir;
  const sources = withNeeds([entry], folder).flatMap((one) => one.sources);
  const bytes = sources.reduce((sum, { megabytes }) => sum + megabytes * 1e6, 0);
  const arrived = await Promise.all(sources.map((source) => sizeOf(join(workFolder(folder), fileOf(source)))));
  const whole = isWhole(folder, name);
  const received = whole
    ? bytes
    : Math.min(
        bytes,
        arrived.reduce((sum, size) => sum + size, 0),
      );
  const state = stateOf(whole, received, job);
  return {
    name,
    title: entry.title,
    licence: entry.licence,
    credit: entry.credit,
    bytes,
    received,
    // The archive stays until it is unpacked, and its content takes as much at most.
    room: whole ? 0 : 2 * bytes - received,
    state,
    failure: state === 'failed' ? failureOf(job?.error) : null,
  };
}

function stateOf(whole: boolean, received: number, job: LastJob | undefined): ModelState {
  if (job?.state === 'waiting') return 'waiting';
  if (job?.state === 'running') return job.step === 'fetching' || job.step === 'unpacking' ? job.step : 'waiting';
  if (whole) return 'whole';
  if (job?.state === 'failed') return 'failed';
  return received > 0 ? 'stopped' : 'absent';
}

const failureOf = (error: string | null | undefined): ModelFailure =>
  modelFailures.find((failure) => failure === error) ?? 'unexpected';

function entryOf(name: ModelName): Entry {
  const entry = catalogue.find((one) => one.name === name);
  if (!entry) throw new Error(`the catalogue has no ${name}`);
  return entry;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
