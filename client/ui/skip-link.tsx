import { useTranslation } from '../use-translation.ts';
import styles from './skip-link.module.css';

export const mainId = 'main';

export function SkipLink() {
  const { t } = useTranslation('shell');
  return (
    <a className={styles.skip} href={`#${mainId}`}>
      {t('skip')}
    </a>
  );
}
