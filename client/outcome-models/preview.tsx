import { useTranslation } from '../use-translation.ts';
import type { DraftType } from './draft.ts';
import { SetMark } from './set-mark.tsx';
import styles from './sets.module.css';

/** Types as people see them who choose one. */
export function Preview({ types }: { types: readonly DraftType[] }) {
  const { t } = useTranslation('sets');
  return (
    <section className={styles.preview} aria-label={t('preview')}>
      <h2>{t('preview')}</h2>
      <p className={styles.muted}>{t('previewLead')}</p>
      <ul>
        {types.map(({ key, name, about, color, grades, children }) => (
          <li key={key}>
            <p className={styles.shown}>
              <SetMark color={color} />
              <span>{name || t('unnamed')}</span>
            </p>
            {about !== '' && <p className={styles.muted}>{about}</p>}
            {grades.length > 0 && (
              <p className={styles.muted}>{grades.map((one) => `${one.value} ${one.name}`.trim()).join(' · ')}</p>
            )}
            {children.length > 0 && <p className={styles.muted}>{children.map((one) => one.name).join(', ')}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
