import type { ModelFailure } from '#shared/engines.ts';
import type { House } from '../context.ts';
import { JobFailed, type Kind } from '../jobs.ts';
import { Failed, fromOf } from '../outside/model-files.ts';
import { catalogue } from './catalogue.ts';
import { fetchModels, withNeeds } from './fetch-models.ts';

export const modelJob = 'model';

/** Fetches a speech model, which the job has as its subject. What has arrived stays for the next job. */
export const modelKind = ({ config, log }: House): Kind => ({
  seconds: 24 * 3600,
  async run({ job, signal, step, finish }) {
    const entry = catalogue.find(({ name }) => name === job.subject);
    if (!entry) throw new JobFailed(unexpected);
    let stepping = Promise.resolve();
    try {
      await fetchModels(withNeeds([entry], config.modelsDir), {
        folder: config.modelsDir,
        from: fromOf(config.modelsFrom),
        signal,
        // A step that is not stored is corrected with the next one.
        step: (name) => {
          stepping = stepping.then(() => step(name)).catch(() => {});
        },
        say: (text) => log.info({ job: job.id }, text),
      });
    } catch (error) {
      if (error instanceof Failed && !signal.aborted) throw new JobFailed(error.failure ?? unexpected, error);
      throw error;
    } finally {
      await stepping;
    }
    await finish(async () => {});
  },
  // The row of the job tells it.
  failed: async () => {},
});

const unexpected: ModelFailure = 'unexpected';
