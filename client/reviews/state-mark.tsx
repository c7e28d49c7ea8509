import { useTranslation } from 'react-i18next';

import type { ReviewView } from '#shared/reviews.ts';

import styles from './state-mark.module.css';

type Status = NonNullable<ReviewView['mine']>['status'];

/** How far a reviewer is: a colour with a word. */
export function StatusMark({ status }: { status: Status }) {
  const { t } = useTranslation('reviews');
  return <Mark look={status}>{t(`status.${status}`)}</Mark>;
}

const looks = { self: 'in-progress', closed: 'in-progress', open: 'complete', published: 'complete' } as const;

/** How far a review is. */
export function PhaseMark({ phase }: { phase: ReviewView['phase'] }) {
  const { t } = useTranslation('reviews');
  return <Mark look={looks[phase]}>{t(`phase.${phase}`)}</Mark>;
}

function Mark({ look, children }: { look: Status; children: string }) {
  return (
    <span className={styles.mark} data-look={look}>
      {children}
    </span>
  );
}
