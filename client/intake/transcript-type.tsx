import { useTranslation } from 'react-i18next';

import { externalModel, humanModel, noModel, plainEngineTitle, type LanguagesView } from '#shared/intake.ts';

import { Failure } from '../errors/failure.tsx';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { CancelButton } from './cancel-button.tsx';
import { chosenModel, type Choices as Chosen, type Draft } from './steps.ts';

export type Model = LanguagesView['models'][number];

export interface StepProps {
  draft: Draft;
  onChange: (choices: Partial<Chosen>) => void;
  onNext: () => void;
  onBack: () => void;
  /** Null where the dialog cannot be cancelled. */
  onCancel: (() => void) | null;
}

interface TranscriptTypeProps extends StepProps {
  models: readonly Model[] | undefined;
  error: unknown;
  /** Left of the free trial. */
  freeMinutes: number;
  onRetry: () => void;
}

export function TranscriptType(props: TranscriptTypeProps) {
  const { draft, onChange, onNext, onBack, onCancel, models, error, freeMinutes, onRetry } = props;
  const { t, i18n } = useTranslation('intake');
  if (!models) {
    return error ? (
      <Failure error={error} onRetry={onRetry} />
    ) : (
      <Waiting>
        <Bone width="70%" height="2rem" />
      </Waiting>
    );
  }
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
  const choices = models.map((model, i) => {
    const onTrial = i === 0 && model.name !== humanModel && model.price > 0 && freeMinutes > 0;
    return {
      value: model.name,
      label: `${title(model)} · ${price(model)}`,
      ...(onTrial && { hint: t('type.trial', { count: freeMinutes }) }),
      ...(model.name === humanModel && { hint: t('type.humanHint') }),
      ...(model.name === externalModel && { hint: t('type.externalHint') }),
    };
  });
  return (
    <Form onSubmit={onNext}>
      <Choices
        label={t('type.label')}
        choices={choices}
        value={chosenModel(draft, models)}
        onChange={(model) => onChange({ model })}
      />
      {models.some(({ name }) => name === noModel) && <p>{t('type.none')}</p>}
      <Actions>
        <CancelButton onCancel={onCancel} />
        <Button onClick={onBack}>{t('otherFile')}</Button>
        <Button type="submit" look="primary" data-autofocus>
          {t('next')}
        </Button>
      </Actions>
    </Form>
  );
}
