import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startThread } from '#sync/server/thread.ts';
import { readModel } from '../engines/models.ts';
import { withLock } from '../lock.mjs';
import { Failed, onDisk, type FetchFailure, type From } from '../outside/model-files.ts';
import { catalogue, type Entry } from './catalogue.ts';
import { workFolder, type InstallStep } from './install.ts';

interface Fetching {
  /** Folder that holds all models. */
  folder: string;
  from: From;
  signal: AbortSignal;
  say?: (text: string) => void;
  step?: (step: InstallStep) => void;
  /** Called when another process fetches models. */
  waiting?: () => void;
}

/** Task of the thread. */
export interface FetchTask {
  name: string;
  folder: string;
  from: From;
}
/** Messages of the thread. */
export type FetchNews =
  | { said: string }
  | { step: InstallStep }
  | { done: true }
  | { failed: { message: string; failure: FetchFailure | null; known: boolean } };

/** Adds missing models that the wanted ones need, before them. */
export function withNeeds(wanted: readonly Entry[], folder: string): Entry[] {
  const needed = catalogue.filter(({ name }) => wanted.some((entry) => entry.needs.includes(name)));
  return [...new Set([...needed.filter(({ name }) => !isWhole(folder, name)), ...wanted])];
}

export function isWhole(folder: string, name: string): boolean {
  try {
    readModel(join(folder, name));
    return true;
  } catch {
    return false;
  }
}

/**
 * Fetches models one after another, one process at a time in a folder of models. Each is fetched in a thread, because
 * unpacking takes a minute of the processor. What has arrived stays when the signal stops it.
 */
export async function fetchModels(entries: readonly Entry[], fetching: Fetching): Promise<void> {
  const { folder, from, signal, say = () => {}, step = () => {}, waiting = () => {} } = fetching;
  await mkdir(workFolder(folder), { recursive: true }).catch((error: unknown) => {
    throw onDisk(error, folder);
  });
  await withLock(
    join(workFolder(folder), 'lock'),
    async (lost) => {
      const either = AbortSignal.any([signal, lost]);
      for (const { name, licence, credit } of entries) {
        say(`${name}: ${licence}, ${credit}`);
        await inThread({ name, folder, from }, either, { step, say: (text) => say(`  ${text}`) });
        say(`${name} is in ${join(folder, name)}`);
      }
    },
    { waiting, signal },
  );
  // Unfinished downloads are kept for the next time.
  if ((await readdir(workFolder(folder))).length === 0) await rm(workFolder(folder), { recursive: true });
}

type Listening = Required<Pick<Fetching, 'say' | 'step'>>;

async function inThread(task: FetchTask, signal: AbortSignal, { say, step }: Listening): Promise<void> {
  signal.throwIfAborted();
  const thread = startThread('fetch-models-thread', import.meta.url, { name: 'models', workerData: task });
  let stop = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      thread.on('error', reject);
      thread.on('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
      thread.on('message', (news: FetchNews) => {
        if ('said' in news) say(news.said);
        else if ('step' in news) step(news.step);
        else if ('done' in news) resolve();
        else {
          const { message, failure, known } = news.failed;
          reject(known ? new Failed(message, { failure }) : new Error(message));
        }
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
