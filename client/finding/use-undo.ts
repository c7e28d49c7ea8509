import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { Undone } from '#shared/actions.ts';

import { ApiError, useApi } from '../api.ts';
import { foldersKey } from '../library/folders-query.ts';
import { listKey } from '../library/meetings-query.ts';
import { useNotify } from '../store.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';

export const actionsKey = ['actions'] as const;

const reasons = { CONFLICT: 'actions.changed', NO_ACCESS: 'actions.refused', NO_PERM: 'actions.refused' } as const;

/** Undoes an action, request by request, and says what could not be undone. */
export function useUndo() {
  const { t } = useTranslation('finding');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  /** Number of what is undone so far, while there is more. */
  const [undone, setUndone] = useState<number | null>(null);
  const refuse = (code: string) => (Object.hasOwn(reasons, code) ? t(reasons[code as keyof typeof reasons]) : null);
  const mutation = useMutation({
    mutationFn: async (id: string) => {
      const all: Undone = { undone: 0, failed: [] };
      for (let after: string | null | undefined; after !== null;) {
        const json = after === undefined ? {} : { after };
        const answer = await parseResponse(api.actions[':id'].undo.$post({ param: { id }, json }));
        all.undone += answer.undone;
        all.failed.push(...answer.failed);
        after = answer.next;
        if (after !== null) setUndone(all.undone);
      }
      return all;
    },
    meta: { quiet: true },
    onSuccess: ({ undone: count, failed }) => {
      const [first] = failed;
      const refused = count === 0 && first ? refuse(first.code) : null;
      notify(
        refused !== null
          ? { message: refused }
          : failed.length === 0
            ? { type: 'info', message: t('actions.undoneNow', { count }) }
            : {
                message: [
                  t('actions.undoneNow', { count }),
                  { kind: 'br' },
                  t('actions.partly', { count: failed.length }),
                ],
              },
      );
    },
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : '';
      notify({
        message: refuse(code) ?? failureMessage(error, told),
      });
    },
    onSettled: () => {
      setUndone(null);
      return Promise.all([listKey, foldersKey, actionsKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return { ...mutation, undone };
}
