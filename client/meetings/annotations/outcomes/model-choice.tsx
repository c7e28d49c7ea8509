import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useTranslation } from 'react-i18next';

import {
  accountTypeIds,
  isModelId,
  isOwnModel,
  outcomeModelIds,
  type ModelId,
  type OwnModelId,
} from '#shared/account-choices.ts';
import { preferring, readPreferred, writePreferred } from '#shared/meetings/outcome-schema.ts';
import { mostNamed } from '#shared/meetings/own-types.ts';

import { ApiError, useApi } from '../../../api.ts';
import { learnSets } from '../../../outcome-models/known-sets.ts';
import { useSetOptions } from '../../../own-sets.ts';
import { useSession } from '../../../session.ts';
import { useNotify } from '../../../store.ts';
import { failureMessage } from '../../../ui/failure-message.ts';
import { SelectField } from '../../../ui/field.tsx';
import { useDocument, useMarking, useMeeting } from '../../open/meeting-context.ts';
import { useStep } from '../../open/open-text.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './outcomes-pane.module.css';
import { useSet } from './use-model.ts';

/** Choice of the outcome types of this recording, for everyone with permission to edit; others read the choice. */
export function ModelChoice() {
  const { t } = useTranslation(['outcomes', 'profile']);
  const { doc } = useDocument();
  const marking = useMarking();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc)?.model ?? null);
  const setNamed = useSet(preferred)?.name;
  const nameOf = (model: ModelId) => (isOwnModel(model) ? (setNamed ?? '') : t(`profile:use.models.${model}`));
  if (marking) return <Choice preferred={preferred} nameOf={nameOf} />;
  return preferred && nameOf(preferred) !== '' ? (
    <p className={styles.note}>{t('modelSet', { model: nameOf(preferred) })}</p>
  ) : null;
}

interface ChoiceProps {
  preferred: ModelId | null;
  nameOf: (model: ModelId) => string;
}

function Choice({ preferred, nameOf }: ChoiceProps) {
  const { t } = useTranslation('outcomes');
  const { doc } = useDocument();
  const step = useStep();
  const type = useSession().data?.account_types.find(({ active }) => active);
  const account = accountTypeIds.find((id) => id === type?.id) ?? null;
  const sets = useSetOptions();
  const builtIn = outcomeModelIds.filter((id) => id === preferred || type?.models.some((one) => one.id === id));
  const choices: { value: ModelId; label: string }[] = [
    ...builtIn.map((value) => ({ value, label: nameOf(value) })),
    ...sets,
  ];
  // The set of somebody else, chosen by them.
  if (preferred !== null && !choices.some(({ value }) => value === preferred))
    choices.push({ value: preferred, label: nameOf(preferred) });
  const write = (model: ModelId | null) => step((by) => writePreferred(doc, model && preferring(model, account), by));
  const bring = useNaming(write);
  // A single set leaves no choice, unless another one is chosen.
  if (choices.length < 2 && preferred === null) return null;
  const choose = (value: string) => {
    const model = isModelId(value) ? value : null;
    if (isOwnModel(model)) bring(model);
    else write(model);
  };
  return (
    <SelectField
      label={t('model')}
      options={[{ value: '', label: t('modelOwn') }, ...choices]}
      value={preferred ?? ''}
      onChange={choose}
    />
  );
}

/** Names a set for the recording before it is written into the document, so that all its readers have the words. */
function useNaming(then: (model: OwnModelId) => void): (model: OwnModelId) => void {
  const { t } = useTranslation(['common', 'shell']);
  const { t: said } = useTranslation('outcomes');
  const { about } = useMeeting();
  const api = useApi();
  const notify = useNotify();
  const { mutate } = useMutation({
    mutationFn: (id: OwnModelId) =>
      parseResponse(api.meetings[':id']['outcome-models'].$post({ param: { id: about.id }, json: { id } })),
    meta: { quiet: true },
    onSuccess: ({ models }, id) => {
      learnSets(models);
      then(id);
    },
    onError: (error) => {
      const full = error instanceof ApiError && error.errors.some(({ code }) => code === 'too_many');
      notify({ message: full ? said('modelFull', { most: mostNamed }) : failureMessage(error, t) });
    },
  });
  return mutate;
}
