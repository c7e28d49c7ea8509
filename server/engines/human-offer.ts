import { humanModel, humanTitle, type OfferedModel } from '#shared/intake.ts';
import type { Config } from '../config.ts';

type Human = Pick<Config, 'human'>;

const minutePrice = (dollars: number): number => Math.round(dollars * 1e6);

/** The transcript that a person writes, where the house has somebody for it. */
export const humanOffer = ({ human }: Human): OfferedModel[] =>
  human
    ? [{ name: humanModel, title: humanTitle, minutePrice: minutePrice(human.price), onlyAutoSpeakers: false }]
    : [];

/** Micro-dollars a minute, for the list of prices. */
export const humanPrice = ({ human }: Human): Record<string, number> =>
  human ? { [humanModel]: minutePrice(human.price) } : {};
