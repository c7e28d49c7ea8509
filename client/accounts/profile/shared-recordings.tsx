import { useEffect, useId, useRef, useState } from 'react';

import type { SharedRecording } from '#shared/leaving.ts';

import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './profile.module.css';

/** Recordings that are shown at once. */
const step = 50;

/** Choice of a select that deletes the recording; the others are ids of new owners. */
const remove = '-';

/** The person's choices by recording: the id of the new owner, or `-` to delete the recording. */
export type Choices = Readonly<Record<string, string>>;

/** The choices as the server takes them; null while one is missing. */
export function legacyOf(
  recordings: readonly SharedRecording[],
  choices: Choices,
): { id: string; to: string | null }[] | null {
  const legacy = recordings.flatMap(({ id, heirs }) => {
    const choice = choices[id];
    if (choice === remove) return [{ id, to: null }];
    return heirs.some((heir) => heir.id === choice) ? [{ id, to: choice ?? null }] : [];
  });
  return legacy.length === recordings.length ? legacy : null;
}

interface SharedRecordingsProps {
  recordings: readonly SharedRecording[];
  choices: Choices;
  onChange: (choices: Choices) => void;
  /** A choice is missing. */
  judged: boolean;
  /** With each number above 0, the first choice that is missing takes the focus. */
  led: number;
}

/** Asks for each recording that others use whether somebody gets it, or it is deleted. */
export function SharedRecordings({ recordings, choices, onChange, judged, led }: SharedRecordingsProps) {
  const { t } = useTranslation('profile');
  const heading = useId();
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (led > 0) group.current?.querySelector<HTMLSelectElement>('select[aria-invalid]')?.focus();
  }, [led]);
  const people = new Map(recordings.flatMap(({ heirs }) => heirs.map((heir) => [heir.id, heir])));
  const option = ({ id, name, email }: SharedRecording['heirs'][number]) => ({
    value: id,
    label: t('delete.shared.give', { name: name || email, email }),
  });
  const last = { value: remove, label: t('delete.shared.remove') };
  const whose = ({ people: count, waiting, link }: SharedRecording) =>
    [
      ...(count > 0 ? [t('delete.shared.people', { count })] : []),
      ...(waiting > 0 ? [t('delete.shared.waiting', { count: waiting })] : []),
      ...(link ? [t('delete.shared.link')] : []),
    ].join(' · ');
  const [wanted, setWanted] = useState(step);
  const missing = judged ? recordings.findIndex(({ id }) => choices[id] === undefined) : -1;
  const shown = Math.max(wanted, missing + 1);
  const chooseAll = (choice: string) =>
    onChange({
      ...choices,
      ...Object.fromEntries(
        recordings
          .filter(({ heirs }) => choice === remove || heirs.some(({ id }) => id === choice))
          .map(({ id }) => [id, choice]),
      ),
    });
  return (
    <div ref={group} role="group" aria-labelledby={heading} className={styles.made}>
      <p id={heading}>{t('delete.shared.lead', { count: recordings.length })}</p>
      {recordings.length > 1 && (
        <SelectField
          label={t('delete.shared.all')}
          placeholder={t('delete.choose')}
          options={[...[...people.values()].map(option), last]}
          value=""
          onChange={chooseAll}
        />
      )}
      {recordings.slice(0, shown).map((recording) => {
        const options = [...recording.heirs.map(option), last];
        // The chosen person may have lost access since.
        const chosen = options.find(({ value }) => value === choices[recording.id])?.value ?? '';
        return (
          <SelectField
            key={recording.id}
            label={recording.title || t('delete.shared.untitled')}
            hint={whose(recording)}
            placeholder={t('delete.choose')}
            options={options}
            value={chosen}
            onChange={(choice) => onChange({ ...choices, [recording.id]: choice })}
            error={judged && chosen === '' && t('delete.shared.missing')}
            required
          />
        );
      })}
      {recordings.length > shown && (
        <Button look="quiet" onClick={() => setWanted(shown + step)}>
          {t('delete.shared.more', { count: recordings.length - shown })}
        </Button>
      )}
    </div>
  );
}
