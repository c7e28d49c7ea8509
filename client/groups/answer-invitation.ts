import { useQueryClient } from '@tanstack/react-query';

import type { SessionInfo } from '#shared/accounts.ts';

import { ApiError, useApi } from '../api.ts';
import { useRefreshSession } from '../session.ts';
import { useNotify, type NoticePart } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

type Waiting = SessionInfo['invitations'][number];

/** Milliseconds for which declining can be undone by the notice. */
const undoFor = 10_000;

/** Accepts an invitation to a team, or declines one of any kind, with a notice. */
export function useAnswerInvitation(): {
  accept: (invitation: Waiting) => Promise<void>;
  decline: (invitation: Waiting) => Promise<void>;
} {
  const { t } = useTranslation('invitations');
  const { t: library } = useTranslation('library');
  const { t: common } = useTranslation('common');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const refreshSession = useRefreshSession();
  const refresh = async () => {
    const stale = [['groups'], ['meetings'], ['folders']].map((queryKey) => queries.invalidateQueries({ queryKey }));
    await Promise.all([...stale, refreshSession()]);
  };
  const told = async (call: () => Promise<unknown>, done: string | readonly NoticePart[], failed: string) => {
    try {
      await call();
      notify({ type: 'info', message: done, ...(typeof done !== 'string' && { duration: undoFor }) });
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
    decline: ({ id, group }) => {
      const undo = async () => {
        try {
          await api.invitations[':id'].reopen.$post({ param: { id } });
        } catch (error) {
          const gone = error instanceof ApiError && error.code === 'GONE';
          notify({ message: gone ? t('gone') : common('somethingWrong') });
        }
        await refresh().catch(() => undefined);
      };
      return told(
        () =>
          group
            ? api.groups[':id'].ignore.$post({ param: { id: group.id } })
            : api.invitations[':id'].decline.$post({ param: { id } }),
        [t('declined'), ' ', { kind: 'clickable', text: library('undo'), onClick: () => void undo() }],
        t('failedDecline'),
      );
    },
  };
}
