import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { externalModel, type CostOption } from '#shared/intake.ts';

import { useApi } from '../api.ts';
import { PurchaseNotice } from '../billing/purchase-notice.tsx';
import { GetSpeech } from '../engines/get-speech.tsx';
import { Failure } from '../errors/failure.tsx';
import { useSession } from '../session.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Actions } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { payingPage, useBackToPay } from './back-to-pay.ts';
import { Costs } from './costs.tsx';
import styles from './dialog.module.css';
import { minutesLeft, useModelChoices } from './model-choices.ts';
import { LanguageFields } from './options.tsx';
import type { Model } from './transcript-type.tsx';
import { BeginError, useBegin } from './use-begin.tsx';

interface TranscribeProps {
  id: string;
  /** Language that the recording was added with. */
  language: string;
  opened: boolean;
  onClose: () => void;
}

/** Transcribes a recording that was added without a transcript: model, language, and how it is paid for. */
export default function TranscribeDialog({ opened, ...props }: TranscribeProps) {
  const { close } = useBackToPay(props.id);
  const onClose = () => {
    close();
    props.onClose();
  };
  const { t } = useTranslation('document');
  const ready = useTexts('intake');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('transcribe')} size="sm" keepOnBackdrop>
      <div className={styles.step}>{ready ? <Offered {...props} onClose={onClose} /> : <Bones />}</div>
    </Dialog>
  );
}

const Bones = () => (
  <Waiting>
    <Bone width="70%" height="2rem" />
  </Waiting>
);

function Offered(props: Omit<TranscribeProps, 'opened'>) {
  const { t } = useTranslation('intake');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['languages'],
    queryFn: () => parseResponse(api.languages.$get()),
    // A server may have got a model since the page was opened.
    staleTime: 0,
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  const models = data.models.filter(({ name }) => name !== externalModel);
  return models.length > 0 ? (
    <Choosing {...props} models={models} />
  ) : (
    <GetSpeech otherwise={<p>{t('transcribe.off')}</p>} />
  );
}

function Choosing({ id, language, onClose, models }: Omit<TranscribeProps, 'opened'> & { models: readonly Model[] }) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation('common');
  const api = useApi();
  const { chosen: before } = useBackToPay(id);
  const [chosen, setChosen] = useState(() => ({
    model: models.find(({ name }) => name === before.model)?.name ?? models[0]?.name ?? '',
    language: before.language ?? language,
    speakers: before.speakers ?? 2,
  }));
  const { model } = chosen;
  const costs = useQuery({
    queryKey: ['costs', id, model],
    queryFn: () => parseResponse(api.meetings[':id'].costs.$get({ param: { id }, query: { model } })),
    staleTime: 0,
    gcTime: 0,
  });
  const offered = models.find(({ name }) => name === model)?.languages.find(({ lang }) => lang === chosen.language);
  const { begin, error } = useBegin(id, {
    onClose,
    onNewCosts: () => void costs.refetch(),
    options: { model, language: chosen.language, numberOfSpeakers: offered?.onlyAutoSpeakers ? 0 : chosen.speakers },
  });
  const choices = useModelChoices()(models, minutesLeft(useSession().data?.billing), null);
  return (
    <>
      <SelectField
        label={t('type.label')}
        value={model}
        options={choices.map(({ value, label }) => ({ value, label }))}
        hint={choices.find(({ value }) => value === model)?.hint}
        onChange={(name) => setChosen({ ...chosen, model: name })}
      />
      <LanguageFields
        draft={{ ...chosen, wrong: new Set(offered ? [] : ['language' as const]) }}
        models={models}
        onChange={({ language: to = chosen.language, speakers = chosen.speakers }) =>
          setChosen({ ...chosen, language: to, speakers })
        }
      />
      <PurchaseNotice keeps />
      <BeginError error={error} />
      <CostList query={costs} usable={offered !== undefined} onChoose={begin} back={payingPage(id, chosen)} />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {told('cancel')}
        </Button>
      </Actions>
    </>
  );
}

interface CostListProps {
  query: { data: CostOption[] | undefined; error: unknown; refetch: () => unknown };
  /** Whether the model knows the chosen language. */
  usable: boolean;
  onChoose: (cost: CostOption) => void;
  back: string;
}

function CostList({ query: { data, error, refetch }, usable, onChoose, back }: CostListProps) {
  const { t } = useTranslation('intake');
  if (!usable) return null;
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  return (
    <>
      <p>{t('transcribe.pay')}</p>
      <Costs costs={data} onChoose={onChoose} onAgain={() => void refetch()} back={back} />
    </>
  );
}
