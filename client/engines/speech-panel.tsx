import { useId, useState } from 'react';

import { usualModel, type ModelView } from '#shared/engines.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';

import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import type { GetSpeechProps } from './get-speech.tsx';
import { ModelRow, type ModelRowProps } from './model-row.tsx';
import styles from './speech-panel.module.css';
import { useModels } from './use-models.ts';

/** Gets speech recognition for this computer: the usual model by one button, the others below. */
export default function SpeechPanel({ otherwise, more }: Required<GetSpeechProps>) {
  const { t } = useTranslation('engines');
  const ready = useTexts('engines');
  const { models, get, stop, error } = useModels();
  const { data } = models;
  // The panel stays after a download of this visit, to show its result.
  const [wasMissing, setWasMissing] = useState(false);
  if (data && !data.ready && !wasMissing) setWasMissing(true);
  // The server refuses people who are not at this computer.
  if (models.isError) return otherwise;
  if (!ready || !data) return null;
  if (data.ready && !wasMissing && !more) return otherwise;
  const { missing, free } = data;
  const first = more ? undefined : firstOf(data.models);
  const act = { free, onGet: get, onStop: stop };
  return (
    <div role="group" className={styles.panel} aria-label={t(more ? 'others' : 'label')} data-more={more || undefined}>
      {!data.ready && <p>{joinSentences(t('lead'), t('later'))}</p>}
      {missing.map((what) => (
        <p key={what} className={styles.missing}>
          {t(`missing.${what}`)}
        </p>
      ))}
      {first && !missing.includes('runtime') && <ModelRow model={first} primary {...act} />}
      {error && <Failure error={error} />}
      {!missing.includes('runtime') && (
        <Others models={data.models.filter(({ name }) => name !== first?.name)} act={act} />
      )}
    </div>
  );
}

interface OthersProps {
  models: readonly ModelView[];
  act: Pick<ModelRowProps, 'free' | 'onGet' | 'onStop'>;
}

function Others({ models, act }: OthersProps) {
  const { t } = useTranslation('engines');
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button look="quiet" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {t('others')}
      </Button>
      <ul id={id} className={styles.list} hidden={!open}>
        {models.map((model) => (
          <li key={model.name}>
            <ModelRow model={model} {...act} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The one that something happens to; else the usual one. */
const firstOf = (models: readonly ModelView[]): ModelView | undefined =>
  models.find(({ state }) => state !== 'absent' && state !== 'whole') ??
  models.find(({ state, name }) => state === 'whole' && name !== 'voices') ??
  models.find(({ name }) => name === usualModel);
