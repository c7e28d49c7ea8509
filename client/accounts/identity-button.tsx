import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Button } from '../ui/button.tsx';
import styles from './sign-in.module.css';

/** Leads to the configured identity provider, and afterwards to `next`. */
export function IdentityButton({ identity, next }: { identity: { id: string; name: string }; next: string }) {
  const { t } = useTranslation('signIn');
  return (
    <>
      <p className={styles.or}>{t('or')}</p>
      <Button
        wide
        icon={<IconKey size={18} stroke={1.5} aria-hidden="true" />}
        onClick={() => window.location.assign(`/api/login/${identity.id}?${new URLSearchParams({ next_url: next })}`)}
      >
        {t('withProvider', { name: identity.name })}
      </Button>
    </>
  );
}
