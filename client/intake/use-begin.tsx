import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { CostOption, ProcessInput } from '#shared/intake.ts';

import { useApi } from '../api.ts';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { mainId } from '../ui/skip-link.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { choiceText, newCosts } from './price.ts';

interface Begin {
  /** Begins to process the recording at one of its costs. */
  begin: (cost: CostOption) => void;
  /** Closes the dialog and shows that the recording is being processed. */
  finish: () => Promise<void>;
  error: unknown;
}

/** Starts processing from a dialog, then closes it. `onNewCosts` runs when the chosen cost is no longer offered. */
export function useBegin(
  id: string,
  { onClose, onNewCosts, options }: { onClose: () => void; onNewCosts: () => unknown; options?: Partial<ProcessInput> },
): Begin {
  const api = useApi();
  const queries = useQueryClient();
  const refresh = useRefreshMeetings();
  const finish = async () => {
    onClose();
    await Promise.all([queries.invalidateQueries({ queryKey: ['meeting', id, 'about'] }), refresh()]);
    // The button that opened the dialog is gone.
    if (document.activeElement === document.body) document.getElementById(mainId)?.focus();
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: (cost: CostOption) =>
      parseResponse(api.meetings[':id'].process.$post({ param: { id }, json: { ...options, cost } })),
    onSuccess: finish,
    onError: (failure) => {
      if (newCosts(failure)) onNewCosts();
    },
    meta: { quiet: true },
  });
  return { begin: (cost) => !isPending && mutate(cost), finish, error };
}

export function BeginError({ error }: { error: unknown }) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  if (!error) return null;
  const costs = newCosts(error);
  return (
    <p className={styles.error} role="alert">
      {costs ? t(choiceText(costs)) : failureMessage(error, told)}
    </p>
  );
}
