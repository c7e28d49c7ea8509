import { useTranslation } from 'react-i18next';

import { externalModel, type LanguagesView } from '#shared/intake.ts';

import { Failure } from '../errors/failure.tsx';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import type { Draft } from './steps.ts';

export type Model = LanguagesView['models'][number];

export interface StepProps {
  draft: Draft;
  onChange: (choices: Partial<Draft>) => void;
  onNext: () => void;
  onBack: () => void;
  onCancel: () => void;
}

export interface TranscriptTypeProps extends StepProps {
  models: readonly Model[] | undefined;
  error: unknown;
  onRetry: () => void;
}

export function TranscriptType({ draft, onChange, onNext, onCancel, models, error, onRetry }: TranscriptTypeProps) {
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
  const choices = models.map((model) => ({
    value: model.name,
    label: `${model.name === externalModel ? t('type.external') : model.title} · ${price(model)}`,
    ...(model.name === externalModel && { hint: t('type.externalHint') }),
  }));
  return (
    <Form onSubmit={onNext}>
      <Choices
        label={t('type.label')}
        choices={choices}
        value={draft.model}
        onChange={(model) => onChange({ model })}
      />
      {models.every(({ name }) => name === externalModel) && <p>{t('type.none')}</p>}
      <Actions>
        <Button look="quiet" onClick={onCancel}>
          {t('cancel.button')}
        </Button>
        <Button type="submit" look="primary" data-autofocus>
          {t('next')}
        </Button>
      </Actions>
    </Form>
  );
}
