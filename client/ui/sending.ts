import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import type { FieldError } from '#shared/problems.ts';

import { ApiError } from '../api.ts';
import { useTranslation } from '../use-translation.ts';
import { failureMessage } from './failure-message.ts';

/** State of a form being sent, with errors as a list and by field. */
interface Sending<Input> {
  send: (input: Input) => void;
  busy: boolean;
  /** Shown above the form. */
  errors: readonly string[];
  /** Shown at the field of that name. */
  errorOf: (field: string) => string | undefined;
  /** Shows errors found before sending. */
  refuse: (errors: readonly FieldError[]) => void;
}

export function useSending<Input, Answer>(
  call: (input: Input) => Promise<Answer>,
  /** The form is busy until it is over. */
  done: (answer: Answer, input: Input) => void | Promise<void>,
  /** Messages for codes that only this form has; the same function each time, as a new list takes the focus. */
  own?: (error: FieldError) => string | undefined,
): Sending<Input> {
  const common = useFieldErrors();
  const word = useMemo(() => (error: FieldError) => own?.(error) ?? common(error), [own, common]);
  const { t } = useTranslation(['common', 'shell']);
  const [refused, setRefused] = useState<readonly FieldError[]>([]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: call,
    // The errors show above the form, so no notice is needed.
    meta: { quiet: true },
    onSuccess: (answer, input) => done(answer, input),
  });

  const found = useMemo(
    () => (refused.length > 0 ? refused : error instanceof ApiError ? error.errors : []),
    [refused, error],
  );
  const errors = useMemo(() => {
    if (found.length > 0) return [...new Set(found.map(word))];
    return error ? [error instanceof SaidError ? error.message : failureMessage(error, t)] : [];
  }, [found, error, word, t]);

  return {
    send: (input) => {
      setRefused([]);
      mutate(input);
    },
    busy: isPending,
    errors,
    errorOf: (field) => {
      const first = found.find((one) => one.field === field);
      return first && word(first);
    },
    refuse: setRefused,
  };
}

/** Error whose message is shown as it is. */
export class SaidError extends Error {}

const codes = [
  'bot',
  'email',
  'group_name',
  'group_taken',
  'login',
  'name',
  'password_common',
  'password_long',
  'password_mismatch',
  'password_short',
  'password_wrong',
  'required',
  'same_email',
  'terms',
  'too_long',
] as const;

/** Message for an error code of the server; unknown codes get a general one. */
function useFieldErrors(): (error: FieldError) => string {
  const { t } = useTranslation('fields');
  return useMemo(
    () =>
      ({ field, code }) => {
        const known = codes.find((one) => one === code);
        if (known === 'required') {
          const name = fieldNames.find((one) => one === field);
          return name ? t(`missing.${name}`) : t('error.required');
        }
        return known ? t(`error.${known}`) : t('error.invalid');
      },
    [t],
  );
}

const fieldNames = ['email', 'password', 'passwordConfirm', 'firstName', 'lastName', 'newEmail', 'reason'] as const;
