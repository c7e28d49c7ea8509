import { useEffect, useRef } from 'react';
import { Navigate } from 'react-router-dom';

import { paths } from '../paths.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

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
