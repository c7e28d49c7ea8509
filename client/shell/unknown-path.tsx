import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';

import { paths } from '../paths.ts';
import { useNotify } from '../store.ts';

/** Leads home, and says why. */
export function UnknownPath() {
  const { t } = useTranslation('common');
  const notify = useNotify();
  const told = useRef(false);
  useEffect(() => {
    if (told.current) return;
    told.current = true;
    notify({ type: 'error', message: t('unknownPath') });
  }, [notify, t]);
  return <Navigate to={paths.home} replace />;
}
