import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

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
import { Choices } from '../../../ui/choices.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { failureMessage } from '../../../ui/failure-message.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useStep } from '../../open/open-text.ts';
import { useShared } from '../../base/use-shared.ts';
import { useSet } from './use-model.ts';

interface TypesDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Choice of the outcome types of this recording, which takes effect at once and for everyone. */
export default function TypesDialog({ opened, onClose }: TypesDialogProps) {
  const { t } = useTranslation('outcomes');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('model')} help="outcomes">
      <Choice />
    </Dialog>
  );
}

function Choice() {
  const { t } = useTranslation(['outcomes', 'accountType']);
  const { doc } = useDocument();
  const step = useStep();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc)?.model ?? null);
  const setNamed = useSet(preferred)?.name;
  const type = useSession().data?.account_types.find(({ active }) => active);
  const account = accountTypeIds.find((id) => id === type?.id) ?? null;
  const sets = useSetOptions();
  const builtIn = outcomeModelIds.filter((id) => id === preferred || type?.models.some((one) => one.id === id));
  const choices: { value: ModelId; label: string }[] = [
    ...builtIn.map((value) => ({ value, label: t(`accountType:models.${value}`) })),
    ...sets,
  ];
  // The set of somebody else, chosen by them.
  if (preferred !== null && setNamed !== undefined && !choices.some(({ value }) => value === preferred))
    choices.push({ value: preferred, label: setNamed });
  const write = (model: ModelId | null) => step((by) => writePreferred(doc, model && preferring(model, account), by));
  const bring = useNaming(write);
  const choose = (value: string) => {
    const model = isModelId(value) ? value : null;
    if (isOwnModel(model)) bring(model);
    else write(model);
  };
  return (
    <Choices
      label={t('modelChoice')}
      choices={[{ value: '', label: t('modelOwn') }, ...choices]}
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
