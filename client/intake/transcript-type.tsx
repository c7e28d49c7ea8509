import { noModel, type LanguagesView } from '#shared/intake.ts';

import { GetSpeech } from '../engines/get-speech.tsx';
import { Failure } from '../errors/failure.tsx';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { CancelButton } from './cancel-button.tsx';
import { useModelChoices, type MinutesLeft } from './model-choices.ts';
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
  minutes: MinutesLeft;
  /** Length of the recording; null where the browser cannot read it. */
  seconds: number | null;
  onRetry: () => void;
}

export function TranscriptType(props: TranscriptTypeProps) {
  const { draft, onChange, onNext, onBack, onCancel, models, error, minutes, seconds, onRetry } = props;
  const { t } = useTranslation('intake');
  const choicesOf = useModelChoices();
  if (!models) {
    return error ? (
      <Failure error={error} onRetry={onRetry} />
    ) : (
      <Waiting>
        <Bone width="70%" height="2rem" />
      </Waiting>
    );
  }
  const choices = choicesOf(models, minutes, seconds);
  return (
    <Form onSubmit={onNext}>
      <Choices
        label={t('type.label')}
        choices={choices}
        value={chosenModel(draft, models)}
        onChange={(model) => onChange({ model })}
      />
      {models.some(({ name }) => name === noModel) ? (
        <GetSpeech otherwise={<p>{t('type.none')}</p>} />
      ) : (
        <GetSpeech more />
      )}
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
