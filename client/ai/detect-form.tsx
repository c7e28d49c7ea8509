import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { builtInFor, isOwnModel, outcomeModelIds, type OutcomeModelId } from '#shared/account-choices.ts';
import type { DetectionView } from '#shared/ai/suggestions.ts';
import { covers, startingModel } from '#shared/ai/views.ts';
import { modelIn, readPreferred } from '#shared/meetings/outcome-schema.ts';

import { ApiError } from '../api.ts';
import { useDocument, useMeeting } from '../meetings/open/meeting-context.ts';
import { useSpeakers } from '../meetings/open/use-speakers.ts';
import { useSession } from '../session.ts';
import { SelectField } from '../ui/field.tsx';
import styles from './suggestions.module.css';
import { Start, Terms } from './terms.tsx';
import type { useDetection } from './use-detection.ts';
import { usePaying } from './who-pays.tsx';

interface DetectFormProps extends Pick<ReturnType<typeof useDetection>, 'search' | 'detection'> {
  data: DetectionView;
  onClose: () => void;
}

/** Form that starts the detection of outcomes: outcome model, assistant, coach, and the price. */
export function DetectForm({ data, search, detection, onClose }: DetectFormProps) {
  const { t } = useTranslation(['suggestions', 'chat', 'accountType']);
  const { doc } = useDocument();
  const { layer } = useMeeting();
  const speakers = useSpeakers();
  const { accountType = null, outcomeModel: chosenSet = null } = useSession().data?.principal ?? {};
  const [outcomeModel, setOutcomeModel] = useState<OutcomeModelId>(() => {
    const named = layer?.outcomeModel ?? modelIn(readPreferred(doc), builtInFor(accountType, chosenSet));
    return isOwnModel(named) ? 'meeting' : named;
  });
  const [coach, setCoach] = useState('');
  const [missing, setMissing] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const paying = usePaying(data.costs);
  const { models, consent } = data;
  const model = startingModel(models, chosen, data.model);
  if (!model) return null;
  const allowed = covers(consent, model);
  const coached = outcomeModel === 'coaching';
  const send = (event: { preventDefault(): void }) => {
    event.preventDefault();
    if (coached && coach === '') return setMissing(true);
    search.mutate(
      { modelId: model.id, outcomeModel, ...(coached && { coachSpeakerId: coach }), cost: paying.cost },
      { onSuccess: onClose },
    );
  };
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      <p className={styles.hint}>{t('about')}</p>
      <SelectField
        label={t('what')}
        value={outcomeModel}
        options={outcomeModelIds.map((value) => ({ value, label: t(`accountType:models.${value}`) }))}
        onChange={(value) => setOutcomeModel(outcomeModelIds.find((id) => id === value) ?? 'meeting')}
      />
      {coached && (
        <SelectField
          label={t('coach')}
          placeholder={t('chooseSpeaker')}
          value={coach}
          options={speakers.map(({ id, name }) => ({ value: id, label: name === '' ? t('nameless') : name }))}
          error={missing ? t('chooseSpeaker') : undefined}
          onChange={(value) => {
            setMissing(false);
            setCoach(value);
          }}
        />
      )}
      {models.length > 1 && (
        <SelectField
          label={t('chat:model')}
          value={model.id}
          options={models.map(({ id, title }) => ({
            value: id,
            label: models.some((one) => one.id !== id && one.title === title) ? id : title,
          }))}
          onChange={choose}
        />
      )}
      <Terms
        model={model}
        allowed={allowed}
        paying={paying}
        said={(price) => t('price', { price })}
        onAgain={() => void detection.refetch()}
      />
      {search.error && (
        <p className={styles.failed} role="alert">
          {t(`refused.${refusalOf(search.error)}`)}
        </p>
      )}
      <Start allowed={allowed} paying={paying} busy={search.isPending} onClose={onClose} />
    </form>
  );
}

const known = ['NETWORK', 'RATE', 'CONFLICT', 'CONSENT', 'NO_MODEL', 'FUNDS', 'PRICE', 'QUOTA', 'CLOSED'] as const;

const refusalOf = (error: Error): (typeof known)[number] | 'other' =>
  (error instanceof ApiError ? known.find((code) => code === error.code) : undefined) ?? 'other';
