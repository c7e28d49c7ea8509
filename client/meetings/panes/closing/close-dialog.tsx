import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { longestVersionName } from '#shared/meetings/history.ts';

import { useApi } from '../../../api.ts';
import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { failureMessage } from '../../../ui/failure-message.ts';
import { TextField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import styles from './closing.module.css';

interface CloseDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Dialog to close the text for everyone, as a version with a name. */
export default function CloseDialog({ opened, onClose }: CloseDialogProps) {
  const { t } = useTranslation('closing');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('title')} size="md" keepOnBackdrop>
      <Naming onDone={onClose} />
    </Dialog>
  );
}

function Naming({ onDone }: { onDone: () => void }) {
  const { t, i18n } = useTranslation('closing');
  const { t: tCommon } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const { about, live } = useMeeting();
  const { connected, pending } = live.state;
  const [name, setName] = useState<string>(() =>
    t('defaultName', { date: new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' }).format(new Date()) }),
  );
  const [errors, setErrors] = useState<readonly string[]>([]);
  const close = useMutation({
    mutationFn: () =>
      parseResponse(api.meetings[':id'].close.$post({ param: { id: about.id }, json: { name: name.trim() } })),
    onSuccess: () => {
      onDone();
      notify({ type: 'info', message: t('done') });
    },
    onError: (error) => setErrors([failureMessage(error, tCommon)]),
    onSettled: () => queries.invalidateQueries({ queryKey: ['meeting', about.id] }),
    meta: { quiet: true },
  });
  const waits = !connected || pending > 0;
  const submit = () => {
    if (close.isPending || waits) return;
    if (name.trim() === '') return setErrors([t('missing')]);
    setErrors([]);
    close.mutate();
  };
  return (
    <Form errors={errors} label={t('title')} onSubmit={submit}>
      <p>{t('what')}</p>
      <ul className={styles.means}>
        <li>{t('continues')}</li>
        <li>{t('history')}</li>
        <li>{t('unsaved')}</li>
      </ul>
      <TextField label={t('name')} value={name} maxLength={longestVersionName} onChange={setName} data-autofocus />
      {waits && <p role="status">{t(connected ? 'pending' : 'offline')}</p>}
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {tCommon('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={close.isPending} disabled={waits}>
          {t('action')}
        </Button>
      </Actions>
    </Form>
  );
}
