import { useState } from 'react';

import { groupLimits, wrongGroupName } from '#shared/group-rules.ts';
import { plainName } from '#shared/library.ts';
import type { FieldError } from '#shared/problems.ts';

import { ApiError } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './groups.module.css';

/** The name of a team in a form, with free names that the server suggests where it refuses one. */
export function useName(first: string) {
  const [name, setName] = useState(first);
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  return {
    name,
    suggestions,
    change(typed: string) {
      setName(typed);
      setSuggestions([]);
    },
    /** Sends the form, and keeps what the server suggests. */
    async trying<T>(call: () => Promise<T>): Promise<T> {
      setSuggestions([]);
      try {
        return await call();
      } catch (error) {
        const free = error instanceof ApiError ? error.info['suggestions'] : undefined;
        if (Array.isArray(free)) setSuggestions(free.filter((one) => typeof one === 'string'));
        throw error;
      }
    },
    wrong(): FieldError[] {
      const code = wrongGroupName(plainName(name));
      // An empty name is too short, too.
      return code ? [{ field: 'name', code: code === 'required' ? 'group_name' : code }] : [];
    },
  };
}

interface NameFieldProps {
  of: Pick<ReturnType<typeof useName>, 'name' | 'suggestions' | 'change'>;
  error: string | undefined;
  /** Called when a suggestion is taken, which is no error any more. */
  onTaken: () => void;
}

export function NameField({ of: { name, suggestions, change }, error, onTaken }: NameFieldProps) {
  const { t } = useTranslation('groups');
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        hint={t('nameHint')}
        value={name}
        onChange={change}
        error={error}
        maxLength={groupLimits.name * 2}
        autoComplete="off"
        required
        data-autofocus
      />
      {suggestions.length > 0 && (
        <div className={styles.suggestions} role="group" aria-label={t('suggestions')}>
          <span>{t('suggestions')}</span>
          {suggestions.map((one) => (
            <Button
              key={one}
              look="quiet"
              onClick={({ currentTarget: { form } }) => {
                change(one);
                onTaken();
                // The button goes with the suggestions; from the field, Enter sends the form.
                form?.querySelector<HTMLInputElement>('input[name="name"]')?.focus();
              }}
            >
              {one}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
