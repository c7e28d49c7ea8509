import { useEffect, useState, type ReactNode } from 'react';

import { useTranslation } from '../use-translation.ts';
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

interface WaitingProps {
  label?: string;
  /** Takes the place of a whole page: its words are the heading. */
  page?: boolean;
  children: ReactNode;
}

/** Placeholder of what loads, with words after three seconds. */
export function Waiting({ label, page = false, children }: WaitingProps) {
  const { t } = useTranslation(['common', 'shell']);
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), wordsAfter);
    return () => clearTimeout(timer);
  }, []);
  const Words = page ? 'h1' : 'p';
  return (
    <div className={styles.waiting} aria-busy="true">
      <div className={styles.bones} aria-hidden="true">
        {children}
      </div>
      {/* Around the heading: browsers leave a status within it out of its name. */}
      <div className={styles.words} data-slow={slow || undefined} role="status">
        <Words>
          {label ?? t('common:loading')}
          {slow && ` ${t('shell:waiting.slow')}`}
        </Words>
      </div>
    </div>
  );
}

interface PageBonesProps {
  label?: string;
  /** The page shows its own heading already. */
  headed?: boolean;
}

/** Placeholder for most pages: a heading and a few lines. */
export function PageBones({ label, headed = false }: PageBonesProps) {
  return (
    <Waiting page={!headed} {...(label !== undefined && { label })}>
      <div className={styles.page}>
        <Bone width="40%" height="2.25rem" />
        <Bone width="90%" />
        <Bone width="75%" />
        <Bone height="8rem" />
      </div>
    </Waiting>
  );
}
