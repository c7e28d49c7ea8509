import { IconLock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { joinSentences } from '#shared/i18n/sentences.ts';

import { useApi } from '../../../api.ts';
import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { failureMessage } from '../../../ui/failure-message.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { momentName } from '../history/when.ts';
import styles from './closing.module.css';

/** Tells that the text is closed, since when and by whom; owners can reopen it. */
export function ClosedLine() {
  const { t, i18n } = useTranslation('closing');
  const { t: tCommon } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const { id, closed, permissions } = useMeeting().about;
  const reopen = useMutation({
    mutationFn: () => parseResponse(api.meetings[':id'].reopen.$post({ param: { id } })),
    onSuccess: () => notify({ type: 'info', message: t('reopened') }),
    onError: (error) => notify({ message: failureMessage(error, tCommon) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['meeting', id] }),
    meta: { quiet: true },
  });
  const when = closed ? momentName(new Date(closed.at), i18n.language) : '';
  const mayAnnotate = permissions.includes('comment');
  return (
    // Stands while the text is open, so that screen readers announce what comes into it.
    <div role="status">
      {closed && (
        <div className={styles.line}>
          <IconLock size={16} stroke={1.5} aria-hidden="true" />
          <p>
            {joinSentences(
              closed.by.name === '' ? t('line', { when }) : t('lineBy', { when, name: closed.by.name }),
              mayAnnotate ? t('lineHow') : '',
            )}
          </p>
          {permissions.includes('own') && (
            <Button busy={reopen.isPending} onClick={() => reopen.mutate()}>
              {t('reopen')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
