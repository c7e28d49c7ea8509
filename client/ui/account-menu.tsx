import { Menu } from '@mantine/core';
import { IconCheck, IconLogout } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';

import type { ScopeView } from '#shared/accounts.ts';

import { useApi } from '../api.ts';
import { accountPages, paths } from '../paths.ts';
import { fullName, useSession } from '../session.ts';
import styles from './account-menu.module.css';
import { Avatar } from './avatar.tsx';
import { ButtonLink } from './button.tsx';
import { Bone } from './waiting.tsx';

/** The header's way into the account, to other scopes, and out. */
export function AccountMenu() {
  const { t } = useTranslation('shell');
  const { pathname } = useLocation();
  const api = useApi();
  const { data: session } = useSession();
  const switchScope = useMutation({
    mutationFn: (scope: ScopeView) =>
      api.principals.change.$post({ json: { scope: { scope_id: scope.scope_id, role_id: scope.role_id } } }),
    // Everything on the page may look different from there.
    onSuccess: () => window.location.reload(),
  });

  if (!session) return <Bone width="2rem" height="2rem" round />;
  const { principal, scopes } = session;
  if (principal.kind !== 'user') return <ButtonLink to={paths.login}>{t('logIn')}</ButtonLink>;

  const name = fullName(principal);
  return (
    <Menu position="bottom-end" width={264}>
      <Menu.Target>
        <button type="button" className={styles.target} aria-label={t('account', { name })}>
          <Avatar name={name} id={String(principal.id)} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.who}>
          <strong>{name}</strong>
          <span>{principal.email}</span>
        </div>
        <Menu.Divider />
        {accountPages.map(({ path, label, icon: Icon }) => (
          <Menu.Item
            key={path}
            component={Link}
            to={path}
            leftSection={<Icon size={18} stroke={1.5} aria-hidden="true" />}
            aria-current={pathname === path ? 'page' : undefined}
          >
            {t(label)}
          </Menu.Item>
        ))}
        {scopes.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>{t('scopes')}</Menu.Label>
            {scopes.map((scope) => {
              const current = scope.scope_id === principal.scope?.scope_id && scope.role_id === principal.scope.role_id;
              return (
                <Menu.Item
                  key={`${scope.scope_id} ${scope.role_id}`}
                  leftSection={
                    current ? (
                      <IconCheck size={18} stroke={1.5} aria-hidden="true" />
                    ) : (
                      <span className={styles.blank} />
                    )
                  }
                  aria-current={current ? 'true' : undefined}
                  onClick={() => !current && switchScope.mutate(scope)}
                >
                  {t('scope', { scope: scope.scope_name, role: scope.role_name })}
                </Menu.Item>
              );
            })}
          </>
        )}
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to={paths.logout}
          leftSection={<IconLogout size={18} stroke={1.5} aria-hidden="true" />}
        >
          {t('logOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
