import { useAtomValue } from 'jotai';

import { offeredVersionAtom } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { Button } from './button.tsx';
import { useReadyToReload } from './reload.ts';
import styles from './version-banner.module.css';

/** Offers to reload the new version, because reloading at once could lose unsaved work. */
export function VersionBanner() {
  const { t } = useTranslation(['common', 'shell']);
  const offered = useAtomValue(offeredVersionAtom);
  const ready = useReadyToReload();
  if (offered === null) return null;
  const reload = async () => {
    if (await ready()) window.location.reload();
  };
  return (
    <aside className={styles.banner} role="status">
      <p>{t('shell:version.offer')}</p>
      <Button onClick={() => void reload()}>{t('common:reload')}</Button>
    </aside>
  );
}
