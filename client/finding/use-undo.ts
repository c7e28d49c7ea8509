import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useTranslation } from 'react-i18next';

import { ApiError, useApi } from '../api.ts';
import { foldersKey } from '../library/folders-query.ts';
import { listKey } from '../library/meetings-query.ts';
import { useNotify } from '../store.ts';
import { failureMessage } from '../ui/failure-message.ts';

export const actionsKey = ['actions'] as const;

const reasons = { CONFLICT: 'actions.changed', NO_ACCESS: 'actions.refused', NO_PERM: 'actions.refused' } as const;

/** Undoes an action, and says what could not be undone. */
export function useUndo() {
  const { t } = useTranslation('finding');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: (id: string) => parseResponse(api.actions[':id'].undo.$post({ param: { id } })),
    meta: { quiet: true },
    onSuccess: ({ undone, failed }) =>
      notify(
        failed.length === 0
          ? { type: 'info', message: t('actions.undoneNow', { count: undone }) }
          : {
              message: [
                t('actions.undoneNow', { count: undone }),
                { kind: 'br' },
                t('actions.partly', { count: failed.length }),
              ],
            },
      ),
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : '';
      notify({
        message: Object.hasOwn(reasons, code) ? t(reasons[code as keyof typeof reasons]) : failureMessage(error, told),
      });
    },
    onSettled: () =>
      Promise.all([listKey, foldersKey, actionsKey].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
