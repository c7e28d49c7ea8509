import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

import { paths } from '../paths.ts';
import { usePreferences } from '../preferences.ts';
import { noticeAtom } from '../store.ts';
import { useTexts } from '../texts.ts';
import { useTranslation } from '../use-translation.ts';
import { useShop } from './shop-query.ts';

const noticeFor = 100_000;
/** Kept for the tab, so that a reload does not ask again; removed with everything else of it at sign-out. */
const storeKey = 'upgrade-notice';

/** Shown once a tab, in place of no other notice and as long as it is true; never again once it was closed or followed. */
export default function UpgradeNotice({ offer }: { offer: 'low' | 'none' }) {
  const ready = useTexts('billing', { inBackground: true });
  const { t } = useTranslation(['billing', 'shell']);
  const [notice, notify] = useAtom(noticeAtom);
  const isFree = notice === null;
  const shows = useRef(false);
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  /** Buying one leads back to the page where the notice was followed. */
  const follow = useEffectEvent(
    () => void navigate(`${paths.changePlan}?${new URLSearchParams({ redirectTo: pathname + search })}`),
  );
  const [, prefer] = usePreferences();
  const mode = useShop().data?.mode;
  const sells = mode !== undefined && mode !== 'off';
  const show = useEffectEvent(() => {
    if (wasShown()) return;
    keepShown();
    shows.current = true;
    notify({
      type: 'info',
      duration: noticeFor,
      message: [t(`upgrade.${offer}`), ' ', { kind: 'clickable', text: t('upgrade.plans'), onClick: follow }],
      onGone: () => (shows.current = false),
      onDismiss: () => prefer({ upgradeNotice: 'dismissed' }),
    });
  });
  useEffect(() => {
    if (ready && sells && isFree) show();
  }, [ready, sells, isFree]);
  // Nothing is offered any more: credits have arrived, or a page says the same.
  useEffect(
    () => () => {
      if (shows.current) notify(null);
    },
    [notify],
  );
  return null;
}

function wasShown(): boolean {
  try {
    return sessionStorage.getItem(storeKey) !== null;
  } catch {
    return false;
  }
}

function keepShown(): void {
  try {
    sessionStorage.setItem(storeKey, '1');
  } catch {
    // Storage refused: shown again after a reload, until it is closed.
  }
}
