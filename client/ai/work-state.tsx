import { useId } from 'react';

import type { PaidRunView } from '#shared/ai/views.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';

import { useAmounts } from '../billing/amounts.ts';
import { useTranslation } from '../use-translation.ts';
import { isUnderWay } from './use-ai-news.ts';
import styles from './suggestions.module.css';

interface WorkStateProps {
  run: PaidRunView | null;
  /** Result, once it has ended well. */
  done: string;
  /** The work has a price, so that people want to know whether they paid it. */
  isPriced: boolean;
  /** The last look failed, so that the run may have moved on. */
  isOffline: boolean;
}

/** How far the work of a model is, why it failed, and what it cost. */
export function WorkState({ run, done, isPriced, isOffline }: WorkStateProps) {
  const { t, i18n } = useTranslation('modelWork');
  const { money } = useAmounts();
  const id = useId();
  const open = run !== null && isUnderWay({ run });
  const said = () => {
    if (!run) return '';
    const { state, failure, read, lines, paid } = run;
    if (open && isOffline) return t('offline');
    if (state === 'waiting') return t('waiting');
    if (state === 'running')
      return read !== null && read > 0 && lines !== null && read < lines
        ? t('readingOf', { read, lines })
        : t('reading');
    const ended = { failed: t(`failure.${failure ?? 'unexpected'}`), stopped: t('stopped'), done }[state];
    const cost = paid !== null && paid > 0 ? t('paid', { price: money(paid) }) : isPriced ? t('unpaid') : '';
    return joinSentences(ended, cost);
  };
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format((run?.progress ?? 0) / 100);
  return (
    <>
      <p id={id} className={run?.state === 'failed' ? styles.failed : styles.hint} role="status">
        {said()}
      </p>
      {/* Outside of what is announced: a number that changes would talk over everything else. */}
      {open && (
        <div className={styles.progress}>
          <progress value={run.progress} max={100} aria-label={t('estimate')} aria-describedby={id} />
          <span aria-hidden="true">{percent}</span>
        </div>
      )}
    </>
  );
}
