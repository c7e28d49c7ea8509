import type { AssistantView } from '#shared/ai/views.ts';

import { SelectField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './chat-pane.module.css';

interface ModelChoiceProps {
  models: readonly AssistantView[];
  model: AssistantView;
  onModel: (id: string) => void;
}

/** Line that says to which model and host a recording is sent; several models are offered to choose. */
export function ModelChoice({ models, model, onModel }: ModelChoiceProps) {
  const { t } = useTranslation('chat');
  return (
    <>
      {models.length > 1 && (
        <SelectField
          label={t('model')}
          value={model.id}
          options={models.map(({ id, title }) => ({
            value: id,
            label: models.some((one) => one.id !== id && one.title === title) ? id : title,
          }))}
          onChange={onModel}
        />
      )}
      <p className={styles.hint}>
        {model.local ? t('local', { model: model.title }) : t('sent', { model: model.title, host: model.host })}
      </p>
    </>
  );
}
