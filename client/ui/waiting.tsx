import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './waiting.module.css';

const wordsAfter = 3_000;

/** Placeholder for one line, block or circle. */
export function Bone({
  width = '100%',
  height = '1rem',
  round = false,
}: {
  width?: string;
  height?: string;
  round?: boolean;
}) {
  return (
    <span className={styles.bone} data-round={round || undefined} style={{ inlineSize: width, blockSize: height }} />
  );
}

/** Placeholder of a page that loads, with words after three seconds. */
export function Waiting({ label, children }: { label?: string; children: ReactNode }) {
  const { t } = useTranslation(['common', 'shell']);
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), wordsAfter);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.waiting} aria-busy="true">
      <div aria-hidden="true">{children}</div>
      <p className={styles.words} role="status" data-slow={slow || undefined}>
        {label ?? t('common:loading')}
        {slow && ` ${t('shell:waiting.slow')}`}
      </p>
    </div>
  );
}

/** Placeholder for most pages: a heading and a few lines. */
export function PageBones({ label }: { label?: string }) {
  return (
    <Waiting {...(label !== undefined && { label })}>
      <div className={styles.page}>
        <Bone width="40%" height="2.25rem" />
        <Bone width="90%" />
        <Bone width="75%" />
        <Bone height="8rem" />
      </div>
    </Waiting>
  );
}
