import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { ShopView } from '#shared/payments.ts';

import styles from './shop.module.css';

/** Line that says when no money moves, or that nothing is sold. */
export function ModeBanner({ mode }: Pick<ShopView, 'mode'>) {
  const { t } = useTranslation('payments');
  if (mode === 'live') return null;
  return (
    <p className={styles.banner} role="note">
      <IconInfoCircle size={20} stroke={1.5} aria-hidden="true" />
      {mode === 'off' ? t('mode.off') : t('mode.practice')}
    </p>
  );
}
