import { useNavigation } from 'react-router-dom';

import { useTranslation } from '../use-translation.ts';
import styles from './route-progress.module.css';

/** Shown while the next screen loads, because the old one stays until then. */
export function RouteProgress() {
  const { t } = useTranslation('common');
  const { state } = useNavigation();
  return (
    <div role="status">
      {state === 'loading' && (
        <div className={styles.bar}>
          <span className={styles.words}>{t('loading')}</span>
        </div>
      )}
    </div>
  );
}
