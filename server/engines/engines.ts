import { languagesAndModels, plainEngineTitle, recordingLanguages, type LanguagesView } from '#shared/intake.ts';
import { serviceIds } from '#shared/meeting-services.ts';
import type { Config } from '../config.ts';
import type { House } from '../context.ts';
import { humanOffer } from './human-offer.ts';
import type { Engine } from './engine.ts';
import { localEngine, noSherpa } from './local-engine.ts';
import { findModels, modelsState } from './models.ts';
import { urlEngine } from './url-engine.ts';

type Configured = Pick<Config, 'transcribe' | 'localModels' | 'modelsDir'>;

/**
 * Answers which engines there are; the first is the default. The folder of models is read again when it has changed, so
 * that a model is offered as soon as it is there. `warn` reports once what exists and cannot be used.
 */
export function createEngines(config: Configured, warn: (why: string) => void): () => readonly Engine[] {
  const remote = behindAddress(config);
  if (!config.localModels) return () => remote;
  const told = new Set<string>();
  const warnOnce = (why: string) => {
    if (!told.has(why)) warn(why);
    told.add(why);
  };
  let read: { state: string; engines: readonly Engine[] } | null = null;
  return () => {
    const state = modelsState(config.modelsDir);
    if (read?.state !== state) read = { state, engines: [...remote, ...onThisMachine(config, warnOnce)] };
    return read.engines;
  };
}

function behindAddress({ transcribe }: Configured): Engine[] {
  if (!transcribe) return [];
  const { name, price, ...server } = transcribe;
  const title = name ?? plainEngineTitle;
  return [urlEngine(server, { name: 'speech', title, minutePrice: Math.round(price * 1e6), onlyAutoSpeakers: true })];
}

/** Engines for models in the models folder, one for each. */
function onThisMachine({ localModels, modelsDir }: Configured, warn: (why: string) => void): Engine[] {
  if (!localModels) return [];
  const { recognisers, activity, voices, wrong } = findModels(modelsDir);
  for (const why of wrong) warn(`the model ${why}`);
  if (recognisers.length === 0) return [];
  const missing = activity ? noSherpa() : 'the model that finds speech is missing (npm run models)';
  if (!activity || missing !== null) {
    warn(`models of speech cannot be used: ${missing}`);
    return [];
  }
  return recognisers.map((recogniser) => {
    const { name, title, languages } = recogniser;
    const known = recordingLanguages.map(({ lang }) => lang);
    return localEngine(
      { recogniser, activity, voices },
      {
        name: `local-${name}`,
        title,
        minutePrice: Math.round(localModels.price * 1e6),
        onlyAutoSpeakers: voices === null,
        ...(languages && { languages: known.filter((lang) => languages.includes(lang.split('-')[0] ?? '')) }),
      },
    );
  });
}

/** Languages and models that this installation offers. */
export const offersOf = ({
  engines,
  config,
  services,
}: Pick<House, 'engines' | 'config' | 'services'>): LanguagesView =>
  languagesAndModels(
    [...engines().map(({ offered }) => offered), ...humanOffer(config)],
    serviceIds.filter((id) => services[id] !== null),
  );

/** Prices in micro-dollars a minute, by model name. */
export const pricesOf = (engines: readonly Engine[]): Record<string, number> =>
  Object.fromEntries(engines.map(({ offered }) => [offered.name, offered.minutePrice]));
