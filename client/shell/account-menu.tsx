import { IconCheck, IconLogout, IconMessageCircleQuestion, IconRoute } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';

import type { ScopeView } from '#shared/accounts.ts';

import { useApi } from '../api.ts';
import { accountPages, ordersPage, paths } from '../paths.ts';
import { fullName, useSession } from '../session.ts';
import { HelpEntry } from '../support/help-entry.tsx';
import { useAskSupport } from '../support/use-ask-support.ts';
import { homeTours, useTour } from '../tours/use-tour.ts';
import styles from './account-menu.module.css';
import { Avatar } from '../ui/avatar.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Dropdown, DropdownButton, DropdownLink } from '../ui/dropdown.tsx';
import { useReadyToReload } from '../ui/reload.ts';
import { Bone } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';

/** Whether a page lists recordings. */
const isList = (path: string): boolean =>
  path === paths.home || path === paths.shared || path.startsWith(paths.folder.replace('*', ''));

/** Menu of the header: account, other scopes, sign out. */
export function AccountMenu() {
  const { t } = useTranslation(['shell', 'support']);
  const { pathname } = useLocation();
  const api = useApi();
  const { data: session } = useSession();
  const ready = useReadyToReload();
  const askSupport = useAskSupport();
  const { play } = useTour(...(pathname === paths.home ? homeTours : (['library'] as const)));
  const switchScope = useMutation({
    mutationFn: async ({ scope_id, role_id }: ScopeView) => {
      // In the other scope, what is not sent yet might be refused.
      if (!(await ready())) return;
      await api.principals.change.$post({ json: { scope: { scope_id, role_id } } });
      // Every part of the page may differ there.
      window.location.reload();
    },
  });

  if (!session) return <Bone width="2rem" height="2rem" round />;
  const { principal, scopes } = session;
  if (principal.kind !== 'user') return <ButtonLink to={paths.login}>{t('logIn')}</ButtonLink>;

  const name = fullName(principal);
  // Roles of teams have their own words in each language; those of other programs come as they are.
  const scopeName = ({ scope_id: scope, scope_name, role_id: role, role_name }: ScopeView) =>
    t('scope', {
      scope: scope === 'personal' ? t('personalScope') : scope_name,
      role: role === 'owner' || role === 'admin' || role === 'member' ? t(`scopeRole.${role}`) : role_name,
    });
  return (
    <Dropdown label={t('account', { name })} face={<Avatar name={name} id={String(principal.id)} />}>
      <p className={styles.who}>
        <strong>{name}</strong>
        <span>{principal.email}</span>
      </p>
      <ul className={styles.list}>
        {[...accountPages, ...(session.operator ? [ordersPage] : [])].map(({ path, label, icon: Icon }) => (
          <li key={path}>
            <DropdownLink
              to={path}
              current={pathname === path}
              icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}
            >
              {t(label)}
            </DropdownLink>
          </li>
        ))}
      </ul>
      {scopes.length > 1 && (
        <ul className={styles.list} aria-label={t('scopes')}>
          {scopes.map((scope) => {
            const current = scope.scope_id === principal.scope?.scope_id && scope.role_id === principal.scope.role_id;
            return (
              <li key={`${scope.scope_id} ${scope.role_id}`}>
                <DropdownButton
                  current={current}
                  icon={current && <IconCheck size={18} stroke={1.5} aria-hidden="true" />}
                  onPress={() => !current && switchScope.mutate(scope)}
                >
                  {scopeName(scope)}
                </DropdownButton>
              </li>
            );
          })}
        </ul>
      )}
      <ul className={styles.list}>
        {isList(pathname) && (
          <li>
            <DropdownButton icon={<IconRoute size={18} stroke={1.5} aria-hidden="true" />} onPress={play}>
              {t('playTour')}
            </DropdownButton>
          </li>
        )}
        <HelpEntry />
        <li>
          <DropdownButton
            icon={<IconMessageCircleQuestion size={18} stroke={1.5} aria-hidden="true" />}
            onPress={askSupport}
          >
            {t('support:title')}
          </DropdownButton>
        </li>
        <li>
          <DropdownLink
            to={paths.logout}
            icon={<IconLogout className={styles.way} size={18} stroke={1.5} aria-hidden="true" />}
          >
            {t('logOut')}
          </DropdownLink>
        </li>
      </ul>
    </Dropdown>
  );
}
