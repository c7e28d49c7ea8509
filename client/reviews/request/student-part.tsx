import { IconX } from '@tabler/icons-react';

import { FindPeople } from '../../sharing/find-people.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from '../reviews.module.css';
import { colorKeyOf, draftPerson, oneself, type Draft, type DraftPerson, type Me } from './draft.ts';

interface StudentPartProps {
  me: Me;
  draft: Pick<Draft, 'reviewers' | 'student' | 'policy'>;
  error: string | undefined;
  onChange: (student: DraftPerson | null) => void;
}

/** The person who is assessed: one, or nobody in particular. */
export function StudentPart({ me, draft: { reviewers, student, policy }, error, onChange }: StudentPartProps) {
  const { t } = useTranslation('leading');
  const assesses = (key: string) => reviewers.some((one) => one.key === key);
  const hint = (otherwise: 'request.studentReads' | 'request.studentHint') =>
    t(policy === 'student' ? 'request.studentNeeded' : otherwise);
  return (
    <section className={styles.part} aria-label={t('request.student')}>
      <h3 className={styles.heading}>{t('request.student')}</h3>
      {student ? (
        <>
          <div className={styles.row}>
            <Avatar name={student.name} id={colorKeyOf(student)} size={32} />
            <span className={styles.who}>
              <span>{student.key === me.id ? t('you', { name: student.name }) : student.name}</span>
              <span className={styles.hint}>{hint('request.studentReads')}</span>
            </span>
            <IconButton
              label={t('request.remove', { name: student.name })}
              icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => onChange(null)}
            />
          </div>
          {error !== undefined && <p className={styles.wrong}>{error}</p>}
        </>
      ) : (
        <FindPeople
          label={t('request.studentFind')}
          hint={hint('request.studentHint')}
          error={error}
          offers={({ kind }) => kind !== 'group'}
          without={(found) =>
            found.kind !== 'group' && assesses(draftPerson(found, me).key) ? t('request.has') : null
          }
          onTake={(found) => {
            if (found.kind !== 'group') onChange(draftPerson(found, me));
            return true;
          }}
        >
          {!assesses(me.id) && <Button onClick={() => onChange(oneself(me))}>{t('request.studentMe')}</Button>}
        </FindPeople>
      )}
    </section>
  );
}
