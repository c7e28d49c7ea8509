import { useTranslation } from 'react-i18next';
import { useNavigation } from 'react-router-dom';

import styles from './route-progress.module.css';

/** While the next screen's part is on its way the old one stays; this says that something is coming. */
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
