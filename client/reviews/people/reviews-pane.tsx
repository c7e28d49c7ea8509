import { IconClipboardCheck } from '@tabler/icons-react';

import { Failure } from '../../errors/failure.tsx';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useRequestDialog } from '../request/use-request.tsx';
import { useReviews } from '../reviews-query.ts';
import styles from '../reviews.module.css';
import { ReviewCard } from './review-card.tsx';

const bones = (
  <>
    <Bone width="60%" height="1.25rem" />
    <Bone width="80%" height="2.5rem" />
    <Bone width="80%" height="2.5rem" />
  </>
);

/** Reviews of the recording: who assesses, how far they are, and what can be done. */
export default function ReviewsPane() {
  const ready = useTexts('reviews');
  return ready ? <Reviews /> : <Waiting>{bones}</Waiting>;
}

function Reviews() {
  const { t } = useTranslation('leading');
  const { about } = useMeeting();
  const { data, error, refetch } = useReviews(about.id, { watched: true });
  const asking = useRequestDialog(about);
  if (!data && error)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  if (!data) return <Waiting label={t('waiting')}>{bones}</Waiting>;
  return (
    <div className={styles.pane}>
      {data.length === 0 ? (
        <Empty
          title={t('list.none')}
          icon={<IconClipboardCheck size={32} stroke={1.5} />}
          action={
            <Button look="primary" onClick={asking.open}>
              {t('list.ask')}
            </Button>
          }
        >
          {t('list.noneText')}
        </Empty>
      ) : (
        <>
          <Button icon={<IconClipboardCheck size={18} stroke={1.5} aria-hidden="true" />} onClick={asking.open}>
            {t('list.ask')}
          </Button>
          <ul className={styles.cards}>
            {data.map((review) => (
              <li key={review.id}>
                <ReviewCard review={review} />
              </li>
            ))}
          </ul>
        </>
      )}
      {asking.dialog}
    </div>
  );
}
