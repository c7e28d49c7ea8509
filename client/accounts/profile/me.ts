import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { MeInput } from '#shared/accounts.ts';

import { ApiError, useApi } from '../../api.ts';
import { failureMessage } from '../../ui/failure-message.ts';
import { sessionKey } from '../../session.ts';
import { useNotify } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';

export const meKey = ['me'] as const;

/**
 * One field of the person's profile, and its setter. A choice is shown and sent at once, in order; after a failure the
 * saved value is shown again, with a notice.
 */
export function useChoice<Value>(
  name: string,
  saved: Value,
  change: (value: Value) => MeInput,
): readonly [Value, (value: Value) => void] {
  const { t } = useTranslation('profile');
  const { t: general } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const { mutate, isPending, variables } = useMutation({
    mutationKey: meKey,
    scope: { id: meKey[0] },
    meta: { quiet: true },
    mutationFn: (value: Value) => parseResponse(api.principals.me.$post({ json: change(value) })),
    onSuccess: async (session) => {
      // A session that is still loading must not undo this change.
      await queries.cancelQueries({ queryKey: sessionKey });
      queries.setQueryData(sessionKey, session);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) return;
      notify({ message: t('notSaved', { name, why: failureMessage(error, general) }) });
    },
  });
  return [isPending ? variables : saved, mutate];
}
