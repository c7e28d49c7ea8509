import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { longestTitle } from '#shared/meetings/about.ts';
import type { CopyInput } from '#shared/meetings/meeting.ts';

import { ApiError, useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { SaidError, useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './copy-dialog.module.css';
import { useRefreshMeetings } from './meetings-query.ts';
import { UpgradeOffer } from './upgrade-offer.tsx';

interface CopyProps {
  meeting: { id: string; title: string };
  opened: boolean;
  onClose: () => void;
}

/** Milliseconds for which the link to the copy shows. */
const viewFor = 15_000;

export default function CopyDialog({ meeting, opened, onClose }: CopyProps) {
  const { t } = useTranslation('library');
  const title = t('copying.title', { title: meeting.title || t('untitled') });
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="sm" keepOnBackdrop>
      <Choosing meeting={meeting} label={title} onDone={onClose} />
    </Dialog>
  );
}

const reasons = {
  FUNDS: 'copying.free',
  NO_PERM: 'copying.notAllowed',
  CONFLICT: 'copying.notReady',
  BIG: 'copying.full',
} as const;

interface ChoosingProps {
  meeting: CopyProps['meeting'];
  label: string;
  onDone: () => void;
}

function Choosing({ meeting, label, onDone }: ChoosingProps) {
  const { t } = useTranslation(['library', 'common']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const [typed, setTyped] = useState(() =>
    t('copying.copyOf', { title: meeting.title || t('untitled') }).slice(0, longestTitle),
  );
  const [isBackup, setBackup] = useState(false);
  const [removeMarkup, setRemoveMarkup] = useState(false);
  const [clearAuthors, setClearAuthors] = useState(false);
  // Free minutes paid for the recording, so that it is not copied.
  const [isFree, setFree] = useState(false);
  const copy = async (json: CopyInput) => {
    setFree(false);
    try {
      return await parseResponse(api.meetings[':id'].clone.$post({ param: { id: meeting.id }, json }));
    } catch (error) {
      const code = error instanceof ApiError ? error.code : '';
      setFree(code === 'FUNDS');
      if (Object.hasOwn(reasons, code)) throw new SaidError(t(reasons[code as keyof typeof reasons]), { cause: error });
      throw error;
    }
  };
  const { send, busy, errors } = useSending(copy, ({ id }, { title = '' }) => {
    notify({
      type: 'info',
      message: [t('copying.done', { title }), ' ', { kind: 'docLink', id, text: t('copying.view') }],
      duration: viewFor,
    });
    void refresh();
    onDone();
  });
  const title = typed.trim();
  const submit = () => {
    if (busy || title === '') return;
    // Without comments there are no authors to leave out.
    send({ title, isBackup, removeMarkup, clearCommentAuthors: clearAuthors && !removeMarkup });
  };
  return (
    <Form label={label} errors={errors} onSubmit={submit}>
      <p className={styles.lead}>{t('copying.lead')}</p>
      <TextField label={t('copying.name')} value={typed} onChange={setTyped} maxLength={longestTitle} data-autofocus />
      <CheckField label={t('copying.backup')} hint={t('copying.backupHint')} checked={isBackup} onChange={setBackup} />
      <CheckField
        label={t('copying.removeMarkup')}
        hint={t('copying.removeMarkupHint')}
        checked={removeMarkup}
        onChange={setRemoveMarkup}
      />
      {!removeMarkup && (
        <CheckField
          label={t('copying.clearAuthors')}
          hint={t('copying.clearAuthorsHint')}
          checked={clearAuthors}
          onChange={setClearAuthors}
        />
      )}
      {isFree && <UpgradeOffer id={meeting.id} onPaid={submit} />}
      <Actions>
        <Button look="quiet" onClick={onDone}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy} disabled={title === ''}>
          {t('copying.submit')}
        </Button>
      </Actions>
    </Form>
  );
}
