import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { SessionInfo } from '#shared/accounts.ts';

import { ApiError, useApi } from '../api.ts';
import { useRefreshSession } from '../session.ts';
import { useNotify } from '../store.ts';

type Waiting = SessionInfo['invitations'][number];

/** Accepts or declines an invitation to a team, with a notice. */
export function useAnswerInvitation(): {
  accept: (invitation: Waiting) => Promise<void>;
  decline: (invitation: Waiting) => Promise<void>;
} {
  const { t } = useTranslation('invitations');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const refreshSession = useRefreshSession();
  const refresh = async () => {
    const stale = [['groups'], ['meetings'], ['folders']].map((queryKey) => queries.invalidateQueries({ queryKey }));
    await Promise.all([...stale, refreshSession()]);
  };
  const told = async (call: () => Promise<unknown>, done: string, failed: string) => {
    try {
      await call();
      notify({ type: 'info', message: done });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw error;
      notify({ message: failed });
    }
    // After a failure, too: the invitation may be gone.
    await refresh().catch(() => undefined);
  };
  return {
    accept: ({ group }) =>
      told(
        () => api.groups[':id'].accept.$post({ param: { id: group?.id ?? '' } }),
        t('joined', { group: group?.name ?? '' }),
        t('failedAccept'),
      ),
    decline: ({ group }) =>
      told(() => api.groups[':id'].ignore.$post({ param: { id: group?.id ?? '' } }), t('declined'), t('failedDecline')),
  };
}
