import { dollarsOf } from '#shared/dollars.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';
import { externalModel, humanModel, noModel, plainEngineTitle, type LanguagesView } from '#shared/intake.ts';
import { costOf } from '#shared/money.ts';

import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';

type Model = LanguagesView['models'][number];

/** Minutes that the person can still spend. */
export interface MinutesLeft {
  free: number;
  paid: number;
}

export const minutesLeft = (
  billing: { freeMinutes: number; professionalMinutes: number } | null | undefined,
): MinutesLeft => ({
  free: billing?.freeMinutes ?? 0,
  paid: billing?.professionalMinutes ?? 0,
});

/**
 * Models to choose from, each with its price, and with that of the recording where its length is known; the first one says
 * how many minutes of the free trial, of a plan or of bundles are left.
 */
export function useModelChoices() {
  const { t, i18n } = useTranslation('intake');
  const money = (amount: number) => dollarsOf(amount, i18n.language);
  const price = (model: Model) =>
    model.price === 0
      ? t('type.free')
      : model.name === externalModel
        ? money(model.price)
        : t('type.perMinute', { price: money(model.price) });
  const title = (model: Model) => {
    if (model.name === externalModel) return t('type.external');
    if (model.name === noModel) return t('type.later');
    if (model.name === humanModel) return t('type.human');
    return model.title === plainEngineTitle ? t('type.speech') : model.title;
  };
  /** The most that a recording of this length can cost: minutes and plans only lower it. */
  const whole = ({ name, price: minutePrice }: Model, seconds: number | null) => {
    if (seconds === null || minutePrice === 0 || name === externalModel) return [];
    const micros = costOf(BigInt(Math.ceil(seconds)), BigInt(Math.round(minutePrice * 1e6)));
    // A begun cent counts: nobody pays more than was shown.
    const cost = money(Math.ceil(Number(micros) / 10_000) / 100);
    return [t('type.whole', { cost, length: clockTime(seconds * 1000) })];
  };
  return (models: readonly Model[], minutes: MinutesLeft, seconds: number | null) =>
    models.map((model, i) => {
      const takesMinutes = i === 0 && model.name !== humanModel && model.price > 0;
      const [free, paid] = [minutes.free, minutes.paid].map((left) => (takesMinutes ? Math.floor(left) : 0));
      const hints = [
        ...whole(model, seconds),
        ...(free ? [t('type.trial', { count: free })] : []),
        ...(paid ? [t('type.paidMinutes', { count: paid })] : []),
        ...(model.name === humanModel ? [t('type.humanHint')] : []),
        ...(model.name === externalModel ? [t('type.externalHint')] : []),
      ];
      return {
        value: model.name,
        label: `${title(model)} · ${price(model)}`,
        ...(hints.length > 0 && { hint: joinSentences(...hints) }),
      };
    });
}
