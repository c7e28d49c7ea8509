import { useTranslation } from 'react-i18next';

import { externalModel, humanModel, noModel, plainEngineTitle, type LanguagesView } from '#shared/intake.ts';

type Model = LanguagesView['models'][number];

/** Models to choose from, each with its price; the first one says how much of the free trial is left. */
export function useModelChoices() {
  const { t, i18n } = useTranslation('intake');
  const money = new Intl.NumberFormat(i18n.language, { style: 'currency', currency: 'USD' });
  const price = (model: Model) =>
    model.price === 0
      ? t('type.free')
      : model.name === externalModel
        ? money.format(model.price)
        : t('type.perMinute', { price: money.format(model.price) });
  const title = (model: Model) => {
    if (model.name === externalModel) return t('type.external');
    if (model.name === noModel) return t('type.later');
    if (model.name === humanModel) return t('type.human');
    return model.title === plainEngineTitle ? t('type.speech') : model.title;
  };
  return (models: readonly Model[], freeMinutes: number) =>
    models.map((model, i) => {
      const onTrial = i === 0 && model.name !== humanModel && model.price > 0 && freeMinutes > 0;
      return {
        value: model.name,
        label: `${title(model)} · ${price(model)}`,
        ...(onTrial && { hint: t('type.trial', { count: Math.floor(freeMinutes) }) }),
        ...(model.name === humanModel && { hint: t('type.humanHint') }),
        ...(model.name === externalModel && { hint: t('type.externalHint') }),
      };
    });
}
