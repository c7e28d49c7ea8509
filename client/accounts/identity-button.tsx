import { IconKey } from '@tabler/icons-react';

import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './sign-in.module.css';

interface IdentityButtonProps {
  identity: { id: string; name: string };
  next: string;
  /** Code of the link by which somebody invited the person. */
  referral?: string | undefined;
}

/** Leads to the configured identity provider, and afterwards to `next`. */
export function IdentityButton({ identity, next, referral }: IdentityButtonProps) {
  const { t } = useTranslation('signIn');
  const query = new URLSearchParams({ next_url: next, ...(referral !== undefined && { ref: referral }) });
  return (
    <>
      <p className={styles.or}>{t('or')}</p>
      <Button
        wide
        icon={<IconKey size={18} stroke={1.5} aria-hidden="true" />}
        onClick={() => window.location.assign(`/api/login/${identity.id}?${query}`)}
      >
        {t('withProvider', { name: identity.name })}
      </Button>
    </>
  );
}
