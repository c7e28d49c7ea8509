import type { GroupView } from '#shared/groups.ts';

import { CheckField, TextField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import { useGroup } from './groups-query.ts';
import styles from './groups.module.css';
import { percentOf, type TeamFields } from './team-form.ts';

interface SecondPassFieldsProps {
  /** Null while it is being made: nobody has joined yet. */
  group: Pick<GroupView, 'id'> | null;
  fields: TeamFields;
  set: (changed: Partial<TeamFields>) => void;
  errorOf: (field: string) => string | undefined;
}

/** Share of reviews that are assessed once more, and the members who do so. */
export function SecondPassFields({ group, fields, set, errorOf }: SecondPassFieldsProps) {
  const { t } = useTranslation('groups');
  return (
    <>
      <TextField
        name="secondPass"
        label={t('option.secondPass')}
        hint={t('option.secondPassHint')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={3}
        value={fields.secondPass}
        onChange={(secondPass) => set({ secondPass })}
        error={errorOf('secondPass')}
      />
      {(percentOf(fields.secondPass) ?? 0) > 0 &&
        (group ? (
          <Readers id={group.id} fields={fields} set={set} error={errorOf('secondReaders')} />
        ) : (
          <p className={styles.muted}>{t('option.secondReadersLater')}</p>
        ))}
    </>
  );
}

function Readers({
  id,
  fields: { secondReaders },
  set,
  error,
}: Pick<SecondPassFieldsProps, 'fields' | 'set'> & { id: string; error: string | undefined }) {
  const { t } = useTranslation('groups');
  const members = useGroup(id).data?.members.filter(({ kind }) => kind === 'user') ?? [];
  const chosen = members.flatMap((one) => (secondReaders.includes(one.id) ? one.id : []));
  return (
    <fieldset className={styles.readers}>
      <legend>{t('option.secondReaders')}</legend>
      {error !== undefined && <p role="alert">{error}</p>}
      {members.map((one) => (
        <CheckField
          key={one.id}
          label={`${one.first_name} ${one.last_name}`.trim() || one.email}
          checked={chosen.includes(one.id)}
          onChange={(on) =>
            set({ secondReaders: on ? [...chosen, one.id] : chosen.filter((other) => other !== one.id) })
          }
        />
      ))}
    </fieldset>
  );
}
