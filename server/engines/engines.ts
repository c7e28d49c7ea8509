import { languagesAndModels, plainEngineTitle, type LanguagesView } from '#shared/intake.ts';
import type { Config } from '../config.ts';
import type { House } from '../context.ts';
import type { Engine } from './engine.ts';
import { urlEngine } from './url-engine.ts';

/** What is configured; the first is offered first. */
export function createEngines({ transcribe }: Config): Engine[] {
  if (!transcribe) return [];
  const { name, price, ...server } = transcribe;
  const title = name ?? plainEngineTitle;
  return [urlEngine(server, { name: 'speech', title, minutePrice: Math.round(price * 1e6), onlyAutoSpeakers: true })];
}

/** The languages and models of this house. */
export const offersOf = ({ engines }: Pick<House, 'engines'>): LanguagesView =>
  languagesAndModels(engines.map(({ offered }) => offered));

/** Micro-dollars a minute, by the name of the model. */
export const pricesOf = (engines: readonly Engine[]): Record<string, number> =>
  Object.fromEntries(engines.map(({ offered }) => [offered.name, offered.minutePrice]));
