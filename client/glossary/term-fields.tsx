import { glossaryLimits } from '#shared/glossary.ts';

import { TextField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import { useFaults } from './use-faults.ts';

export interface TermEntry {
  term: string;
  /** Misheard forms, as they were typed. */
  heard: string;
}

/** Entry for the server; words of a transcript that nobody changed are one form, whatever commas they have. */
export const termFrom = ({ term, heard }: TermEntry, said?: string) => ({
  term,
  heard: (heard === said ? [heard] : heard.split(/[,，、]/)).map((one) => one.trim()).filter((one) => one !== ''),
});

interface TermFieldsProps {
  entry: TermEntry;
  onChange: (entry: TermEntry) => void;
  error: Error | null;
}

/** Fields of an entry of a glossary. */
export function TermFields({ entry, onChange, error }: TermFieldsProps) {
  const { t } = useTranslation('glossary');
  const faults = useFaults(error);
  return (
    <>
      <TextField
        label={t('term')}
        value={entry.term}
        maxLength={glossaryLimits.letters}
        autoComplete="off"
        error={faults.term}
        onChange={(term) => onChange({ ...entry, term })}
      />
      <TextField
        label={t('heard')}
        hint={t('heardHint')}
        value={entry.heard}
        autoComplete="off"
        error={faults.heard}
        onChange={(heard) => onChange({ ...entry, heard })}
      />
    </>
  );
}
