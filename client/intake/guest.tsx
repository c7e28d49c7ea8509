import { Link, useLocation } from 'react-router-dom';

import { IdentityButton } from '../accounts/identity-button.tsx';
import { useSignInOptions } from '../accounts/options.ts';
import { loginPath, paths } from '../paths.ts';
import { ButtonLink } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';

/** The ways to sign up and log in; each leads back here. */
export function Guest() {
  const { t } = useTranslation('intake');
  const options = useSignInOptions();
  const { pathname, search } = useLocation();
  const here = pathname + search;
  return (
    <>
      <p>{t('guest.text')}</p>
      <div>
        <ButtonLink look="primary" wide to={`${paths.register}?${new URLSearchParams({ redirectTo: here })}`}>
          {t('guest.signUp')}
        </ButtonLink>
        {options?.identity && <IdentityButton identity={options.identity} next={here} />}
      </div>
      <p className={styles.small}>
        {t('guest.known')} <Link to={loginPath(here)}>{t('guest.logIn')}</Link>
      </p>
    </>
  );
}
