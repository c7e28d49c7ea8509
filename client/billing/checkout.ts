import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import type { FieldError } from '#shared/problems.ts';

import { ApiError } from '../api.ts';
import { useNotify } from '../store.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';

/** Opens a payment page; on failure nothing that was typed is lost. */
export function useCheckout<Input>(
  call: (input: Input) => Promise<{ url: string } | { undone: true }>,
  onUndone: () => void = () => {},
) {
  const { t } = useTranslation(['common', 'shell', 'payments']);
  const notify = useNotify();
  const [leaving, setLeaving] = useState(false);
  // The browser's Back shows this page as it was left.
  useEffect(() => {
    const returned = () => setLeaving(false);
    window.addEventListener('pageshow', returned);
    return () => window.removeEventListener('pageshow', returned);
  }, []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: call,
    meta: { quiet: true },
    onSuccess: (answer) => {
      if ('undone' in answer) {
        onUndone();
        return;
      }
      setLeaving(true);
      window.location.assign(answer.url);
    },
    onError: (failure) => {
      if (failure instanceof ApiError && (failure.status === 401 || failure.status === 422)) return;
      const isOurs = failure instanceof ApiError && failure.status < 500 && failure.status !== 0;
      notify({ message: isOurs ? failureMessage(failure, t) : t('payments:buy.failed') });
    },
  });
  const errors: readonly FieldError[] = error instanceof ApiError && error.status === 422 ? error.errors : [];
  return { open: mutate, busy: isPending || leaving, errors };
}
