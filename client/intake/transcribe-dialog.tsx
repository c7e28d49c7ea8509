import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { externalModel, humanModel, plainEngineTitle, type CostOption } from '#shared/intake.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { SelectField } from '../ui/field.tsx';
import { Actions } from '../ui/form.tsx';
import { mainId } from '../ui/skip-link.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { Costs } from './costs.tsx';
import styles from './dialog.module.css';
import { LanguageFields } from './options.tsx';
import { newCosts } from './price.ts';
import type { Model } from './transcript-type.tsx';

interface TranscribeProps {
  id: string;
  /** Language that the recording was added with. */
  language: string;
  opened: boolean;
  onClose: () => void;
}

/** Transcribes a recording that was added without a transcript: model, language, and how it is paid for. */
export default function TranscribeDialog({ opened, ...props }: TranscribeProps) {
  const { t } = useTranslation('document');
  const ready = useTexts('intake');
  return (
    <Dialog opened={opened} onClose={props.onClose} title={t('transcribe')} size="sm" keepOnBackdrop>
      <div className={styles.step}>{ready ? <Offered {...props} /> : <Bones />}</div>
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
  return models.length > 0 ? <Choosing {...props} models={models} /> : <p>{t('transcribe.off')}</p>;
}

function Choosing({ id, language, onClose, models }: Omit<TranscribeProps, 'opened'> & { models: readonly Model[] }) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const refresh = useRefreshMeetings();
  const [chosen, setChosen] = useState({ model: models[0]?.name ?? '', language, speakers: 2 });
  const { model } = chosen;
  const costs = useQuery({
    queryKey: ['costs', id, model],
    queryFn: () => parseResponse(api.meetings[':id'].costs.$get({ param: { id }, query: { model } })),
    staleTime: 0,
    gcTime: 0,
  });
  const offered = models.find(({ name }) => name === model)?.languages.find(({ lang }) => lang === chosen.language);
  const begin = useMutation({
    mutationFn: ({ cost }: CostOption) => {
      const numberOfSpeakers = offered?.onlyAutoSpeakers ? 0 : chosen.speakers;
      const json = { cost, model, language: chosen.language, numberOfSpeakers };
      return parseResponse(api.meetings[':id'].process.$post({ param: { id }, json }));
    },
    onSuccess: async () => {
      onClose();
      await Promise.all([queries.invalidateQueries({ queryKey: ['meeting', id, 'about'] }), refresh()]);
      // The button that opened the dialog is gone.
      if (document.activeElement === document.body) document.getElementById(mainId)?.focus();
    },
    onError: (failure) => {
      if (newCosts(failure)) void costs.refetch();
    },
    meta: { quiet: true },
  });
  const titleOf = ({ title, name }: Model) =>
    name === humanModel ? t('type.human') : title === plainEngineTitle ? t('type.speech') : title;
  return (
    <>
      <SelectField
        label={t('type.label')}
        value={model}
        options={models.map((one) => ({ value: one.name, label: titleOf(one) }))}
        onChange={(name) => setChosen({ ...chosen, model: name })}
      />
      <LanguageFields
        draft={{ ...chosen, wrong: new Set(offered ? [] : ['language' as const]) }}
        models={models}
        onChange={({ language: to = chosen.language, speakers = chosen.speakers }) =>
          setChosen({ ...chosen, language: to, speakers })
        }
      />
      {begin.error && (
        <p className={styles.error} role="alert">
          {newCosts(begin.error) ? t('cost.changed') : failureMessage(begin.error, told)}
        </p>
      )}
      <CostList
        query={costs}
        usable={offered !== undefined}
        onChoose={(cost) => !begin.isPending && begin.mutate(cost)}
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {told('common:cancel')}
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
}

function CostList({ query: { data, error, refetch }, usable, onChoose }: CostListProps) {
  const { t } = useTranslation('intake');
  if (!usable) return null;
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  return (
    <>
      <p>{t('transcribe.pay')}</p>
      <Costs costs={data} onChoose={onChoose} />
    </>
  );
}
