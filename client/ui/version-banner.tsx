import { useAtomValue, useStore } from 'jotai';
import { useTranslation } from 'react-i18next';

import { offeredVersionAtom, unsavedAtom, useConfirm } from '../store.ts';
import { Button } from './button.tsx';
import styles from './version-banner.module.css';

/** Offers to reload the new version, because reloading at once could lose unsaved work. */
export function VersionBanner() {
  const { t } = useTranslation(['common', 'shell']);
  const offered = useAtomValue(offeredVersionAtom);
  // Read on press only, because the number changes with each typed letter.
  const store = useStore();
  const confirm = useConfirm();
  if (offered === null) return null;
  const reload = async () => {
    const sure =
      store.get(unsavedAtom) === 0 ||
      (await confirm({ title: t('shell:version.unsaved'), action: t('common:reload'), danger: true }));
    if (sure) window.location.reload();
  };
  return (
    <aside className={styles.banner} role="status">
      <p>{t('shell:version.offer')}</p>
      <Button onClick={() => void reload()}>{t('common:reload')}</Button>
    </aside>
  );
}
