import { useStore } from 'jotai';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';

import { titledPathAtom } from '../store.ts';
import styles from './page-title.module.css';

interface PageTitleProps {
  children: string;
  /** What the browser's tab says, where it differs from the heading. */
  documentTitle?: string;
  /** A line below the heading. */
  lead?: ReactNode;
}

/**
 * The heading every route has. It names the document, and takes the focus after a change of route, so that keyboard
 * and screen reader start where the eye does.
 */
export function PageTitle({ children, documentTitle, lead }: PageTitleProps) {
  const { t } = useTranslation('shell');
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const store = useStore();

  const title = t('title', { page: documentTitle ?? children });
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const before = store.get(titledPathAtom);
    store.set(titledPathAtom, pathname);
    // Where one came in, the browser's own start of the page is right.
    if (before !== null && before !== pathname) heading.current?.focus({ preventScroll: true });
  }, [store, pathname]);

  return (
    <div className={styles.title}>
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
