import { IconUserPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';

import { FindPeople } from '../../sharing/find-people.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { RoleSelect } from '../role-select.tsx';
import styles from '../reviews.module.css';
import { colorKeyOf, draftPerson, oneself, type Draft, type DraftReviewer, type Me } from './draft.ts';

interface PeoplePartProps {
  me: Me;
  draft: Pick<Draft, 'reviewers' | 'student'>;
  limits: { most: number; supervisors: number } | null;
  error: string | undefined;
  onChange: (reviewers: readonly DraftReviewer[]) => void;
}

/** People of a review as sentences: who, and what they do. */
export function PeoplePart({ me, draft: { reviewers, student }, limits, error, onChange }: PeoplePartProps) {
  const { t } = useTranslation('leading');
  const [told, setTold] = useState('');
  const has = (key: string) => reviewers.some((one) => one.key === key);
  const add = (person: Omit<DraftReviewer, 'role'>) => {
    onChange([...reviewers, { ...person, role: 'required' }]);
    setTold(t('request.added', { name: person.name }));
  };
  return (
    <section className={styles.part} aria-label={t('request.people')}>
      <h3 className={styles.heading}>{t('request.people')}</h3>
      <FindPeople
        label={t('request.find')}
        hint={t('request.findHint')}
        error={error}
        focused
        offers={({ kind }) => kind !== 'group'}
        without={(found) => {
          if (found.kind === 'group') return null;
          const { key } = draftPerson(found, me);
          if (key === student?.key) return t('request.isStudent');
          return has(key) ? t('request.has') : null;
        }}
        onTake={(found) => {
          if (found.kind !== 'group') add(draftPerson(found, me));
          return true;
        }}
      />
      <p className={styles.unseen} role="status">
        {told}
      </p>
      {reviewers.length > 0 ? (
        <ul className={styles.list}>
          {reviewers.map((one) => (
            <li key={one.key} className={styles.row}>
              <Avatar name={one.name} id={colorKeyOf(one)} size={32} />
              <span className={styles.who}>
                <span>{one.key === me.id ? t('you', { name: one.name }) : one.name}</span>
                <span className={styles.hint}>{t(`roleHint.${one.role}`)}</span>
              </span>
              <RoleSelect
                name={one.name}
                value={one.role}
                onChange={(role) => onChange(reviewers.map((other) => (other === one ? { ...one, role } : other)))}
              />
              <IconButton
                label={t('request.remove', { name: one.name })}
                icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                onClick={() => onChange(reviewers.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.hint}>{t('request.nobody')}</p>
      )}
      <div className={styles.below}>
        {!has(me.id) && student?.key !== me.id && (
          <Button
            look="quiet"
            icon={<IconUserPlus size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => add(oneself(me))}
          >
            {t('request.addMe')}
          </Button>
        )}
        {limits && <p className={styles.hint}>{t('request.limit', { ...limits })}</p>}
      </div>
    </section>
  );
}
