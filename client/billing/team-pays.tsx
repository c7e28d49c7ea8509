import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { useListNews } from '../news/use-news.ts';
import { sessionKey, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { useAmounts } from './amounts.ts';
import styles from './billing.module.css';

/** Removed with everything else of the tab at sign-out. */
const storeKey = 'personal-balance';

/** Whether the page is about a team's money, because the person is a member of one that pays; until they ask for more. */
export function usePersonalBalance(): { teamPays: boolean; isShown: boolean; show: () => void } {
  const teamPays = useSession().data?.teams.some(({ role, pays }) => role === 'member' && pays) ?? false;
  const [asked, setAsked] = useState(() => {
    try {
      return sessionStorage.getItem(storeKey) !== null;
    } catch {
      return false;
    }
  });
  const show = () => {
    setAsked(true);
    try {
      sessionStorage.setItem(storeKey, '1');
    } catch {
      // Storage refused: shown until the page is left.
    }
  };
  return { teamPays, isShown: !teamPays || asked, show };
}

/** Teams that pay for the person, and what each has paid of its limit. */
export function TeamPays({ onShow }: { onShow: (() => void) | null }) {
  const { t } = useTranslation('billing');
  const { money } = useAmounts();
  const queries = useQueryClient();
  useListNews('groups', () => {
    queries.invalidateQueries({ queryKey: sessionKey }).catch(() => undefined);
  });
  const teams = (useSession().data?.teams ?? []).filter(({ role, pays }) => role === 'member' && pays);
  return (
    <div className={styles.team} role="note">
      <p>{t('balance.team')}</p>
      <ul className={styles.facts}>
        {teams.map(({ id, name, quota, used }) => (
          <li key={id}>
            {quota === null
              ? t('balance.noQuota', { name, used: money(used) })
              : t('balance.quota', { name, used: money(used), quota: money(quota) })}
          </li>
        ))}
      </ul>
      {onShow && (
        <Button look="quiet" onClick={onShow}>
          {t('balance.personal')}
        </Button>
      )}
    </div>
  );
}
