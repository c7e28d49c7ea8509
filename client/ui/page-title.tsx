import { useStore } from 'jotai';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';

import { titledPathAtom } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './page-title.module.css';

interface PageTitleProps {
  children: string;
  /** Title of the browser tab if it differs from the heading. */
  documentTitle?: string;
  /** Line below the heading. */
  lead?: ReactNode;
}

/**
 * Heading of a route. Sets the document title and takes the focus after navigation, so that keyboard and screen reader
 * start at the heading.
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
    // On the first page, the browser's own starting point is right.
    if (before !== null && before !== pathname) heading.current?.focus({ preventScroll: true });
  }, [store, pathname]);

  return (
    <div className={styles.title}>
      <h1 ref={heading} tabIndex={-1}>
        {unbroken(children)}
      </h1>
      {lead !== undefined && <p className={styles.lead}>{typeof lead === 'string' ? unbroken(lead) : lead}</p>}
    </div>
  );
}

/** Keeps a word such as "e-mail" on one line. */
const unbroken = (text: string) =>
  text.split(/(\be-\w+)/).map((part, nth) =>
    nth % 2 === 0 ? (
      part
    ) : (
      <span key={nth} className={styles.word}>
        {part}
      </span>
    ),
  );
