import { IconInfoCircle } from '@tabler/icons-react';

import type { ShopView } from '#shared/payments.ts';

import { useTexts } from '../texts.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './shop.module.css';
import { useShop } from './shop-query.ts';

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

/** The same where money is shown and nothing is sold: only on a server whose payments are tests. */
export function PracticeNote() {
  const ready = useTexts('payments', { inBackground: true });
  const { data: shop } = useShop();
  return ready && shop && shop.mode !== 'live' && shop.mode !== 'off' ? <ModeBanner mode={shop.mode} /> : null;
}
