import { parentPort, workerData } from 'node:worker_threads';
import { Failed } from '../outside/model-files.ts';
import { catalogue } from './catalogue.ts';
import type { FetchNews, FetchTask } from './fetch-models.ts';
import { installModel } from './install.ts';

/** Worker thread of fetch-models.ts; it is ended from outside. */
const { name, folder, from } = workerData as FetchTask;
const send = (news: FetchNews) => parentPort?.postMessage(news);

async function fetchOne(): Promise<void> {
  const entry = catalogue.find((one) => one.name === name);
  if (!entry) throw new Error(`there is no model ${name}`);
  await installModel(entry, {
    folder,
    from,
    signal: new AbortController().signal,
    say: (said) => send({ said }),
    step: (step) => send({ step }),
  });
}

fetchOne().then(
  () => send({ done: true }),
  (error: Error) =>
    send({
      failed: {
        message: error.message,
        known: error instanceof Failed,
        failure: error instanceof Failed ? error.failure : null,
      },
    }),
);
