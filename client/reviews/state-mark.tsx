import type { ReviewView } from '#shared/reviews.ts';

import { StateMark } from '../ui/state-mark.tsx';
import { useTranslation } from '../use-translation.ts';

type Status = NonNullable<ReviewView['mine']>['status'];

/** How far a reviewer is: a colour with a word. */
export function StatusMark({ status }: { status: Status }) {
  const { t } = useTranslation('reviews');
  return <StateMark look={status}>{t(`status.${status}`)}</StateMark>;
}

const looks = { self: 'in-progress', closed: 'in-progress', open: 'complete', published: 'complete' } as const;

/** How far a review is. */
export function PhaseMark({ phase }: { phase: ReviewView['phase'] }) {
  const { t } = useTranslation('reviews');
  return <StateMark look={looks[phase]}>{t(`phase.${phase}`)}</StateMark>;
}
