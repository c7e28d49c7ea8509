import { humanModel, humanTitle, type OfferedModel } from '#shared/intake.ts';
import type { Config } from '../config.ts';

type Human = Pick<Config, 'human'>;

const minutePrice = (dollars: number): number => Math.round(dollars * 1e6);

/** The offer of human transcripts, if the installation has them. */
export const humanOffer = ({ human }: Human): OfferedModel[] =>
  human
    ? [{ name: humanModel, title: humanTitle, minutePrice: minutePrice(human.price), onlyAutoSpeakers: false }]
    : [];

/** Price in micro-dollars a minute, for the list of prices. */
export const humanPrice = ({ human }: Human): Record<string, number> =>
  human ? { [humanModel]: minutePrice(human.price) } : {};
