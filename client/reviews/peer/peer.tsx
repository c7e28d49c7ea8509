import { useCallback, useMemo, useState } from 'react';
import { useParams, useSearchParams } from 'react-router-dom';

import type { ReviewView } from '#shared/reviews.ts';
import { isBlind } from '#shared/reviews/review.ts';

import { ApiError } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { useProfileLanguage } from '../../language.ts';
import { FrameParts } from '../../meetings/page/frame-parts.ts';
import { FrameBones } from '../../meetings/page/frame.tsx';
import { MeetingById } from '../../meetings/page/meeting.tsx';
import { PanesOf } from '../../meetings/page/rail.tsx';
import { paths } from '../../paths.ts';
import { useTexts } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useReview } from '../review-query.ts';
import { Aside } from './aside.tsx';
import { Head } from './head.tsx';
import { Lines } from './lines.tsx';
import { Join } from './join.tsx';
import { OpenedReview, type Disputed } from './opened.ts';
import { hasComments, hasSheet, layersOf, type LayerChoice } from './shown-layer.ts';
import { useSheetPanes, useTalkPanes, useWordsPanes } from './use-panes.ts';

/** A review as its people see it: the frame of the recording, with their own layer to annotate. */
export default function Peer() {
  const { docId = '', reviewId = '' } = useParams();
  // The state of one review says nothing about another.
  return <Review key={`${docId} ${reviewId}`} meetingId={docId} reviewId={reviewId} />;
}

function Review({ meetingId, reviewId }: { meetingId: string; reviewId: string }) {
  useProfileLanguage();
  const ready = useTexts('reviews');
  const { t } = useTranslation(['assessment', 'document']);
  const frameReady = useTexts('document');
  const { data: review, error, refetch, isFetchedAfterMount } = useReview(meetingId, reviewId);
  const [query] = useSearchParams();
  const [chosen, choose] = useState<Chosen | null>(null);
  const show = useCallback((id: string, passage: Disputed | null = null) => choose({ id, passage }), []);
  if (!ready || !frameReady) return <FrameBones />;
  if (error instanceof ApiError && [403, 404].includes(error.status))
    return (
      <Join meetingId={meetingId} reviewId={reviewId} of={review?.cloneId ?? null} onJoined={() => void refetch()} />
    );
  if (!review) {
    if (error) return <Failure page error={error} onRetry={() => void refetch()} />;
    return <FrameBones label={t('opening')} />;
  }
  const layers = layersOf(review);
  const linked = query.get('layer');
  const linkedOne = linkedIn(layers, linked);
  // An older answer may lack what the link leads to.
  if (!chosen && linked !== null && linkedOne.id === null && !isFetchedAfterMount)
    return <FrameBones label={t('opening')} />;
  const { id: chosenId, passage: chosenPassage } = chosen ?? linkedOne;
  // A link is followed as the page opens, and not later, when the person assesses.
  if (!chosen) choose({ id: chosenId, passage: chosenPassage });
  const shown = layers.find(({ id }) => id === chosenId) ?? layers[0];
  if (shown) {
    const again = () => {
      choose({ id: null, passage: null });
      void refetch();
    };
    const passage = shown.id === chosenId ? chosenPassage : null;
    return <Assessment key={shown.id} {...{ review, layers, shown, show, passage }} onAgain={again} />;
  }
  if (review.mine === null && review.can.includes('add'))
    return <Join meetingId={meetingId} reviewId={reviewId} of={null} owns onJoined={() => void refetch()} />;
  const waits = review.phase === 'self' ? 'self' : 'later';
  return (
    <Aside title={t(`waiting.${waits}`)} action={<ButtonLink to={paths.home}>{t('document:back')}</ButtonLink>}>
      {t(`waiting.${waits}Text`)}
    </Aside>
  );
}

interface Chosen {
  /** Open layer; null for the one that this person annotates. */
  id: string | null;
  passage: Disputed | null;
}

/** The layer that `?layer=` names, if the person reads it. */
const linkedIn = (layers: readonly LayerChoice[], id: string | null): Chosen => ({
  ...{ id: layers.some((layer) => layer.id === id) ? id : null, passage: null },
});

interface AssessmentProps {
  review: ReviewView;
  layers: readonly LayerChoice[];
  shown: LayerChoice;
  show: (id: string, passage?: Disputed) => void;
  passage: Disputed | null;
  /** Looks at the review anew, after the right to read this layer has ended. */
  onAgain: () => void;
}

const parts = { Head, Lines };

function Assessment({ review, layers, shown, show, passage, onAgain }: AssessmentProps) {
  const { t } = useTranslation('assessment');
  const { outcomeModel, askedTypes, phase, firstOpenedAt } = review;
  const { id: reviewId, anonymous, mine, reviewers } = review;
  const wordsOnly = anonymous || (isBlind(review) && phase !== 'open' && phase !== 'published');
  const reviewerId = anonymous && mine !== null && mine.role !== 'student' ? mine.id : null;
  const reviewerNames = useMemo(
    () => new Map(reviewers.map(({ id, name, email }) => [id, name ?? email ?? ''])),
    [reviewers],
  );
  const openedAt = hasSheet(shown) ? firstOpenedAt : null;
  const machine = review.layers.some(({ kind }) => kind === 'machine');
  const layer = useMemo(
    () => ({ reviewId, outcomeModel, askedTypes, wordsOnly, machine, openedAt, reviewerId, reviewerNames }),
    [reviewId, outcomeModel, askedTypes, wordsOnly, machine, openedAt, reviewerId, reviewerNames],
  );
  const opened = useMemo(() => ({ review, layers, shown, show, passage }), [review, layers, shown, show, passage]);
  const closed = (
    <Aside title={t('lost.title')} of={shown.id} action={<Button onClick={onAgain}>{t('lost.again')}</Button>}>
      {t('lost.text')}
    </Aside>
  );
  const usePanes = hasSheet(shown) ? useSheetPanes : hasComments(shown) ? useTalkPanes : useWordsPanes;
  return (
    <OpenedReview value={opened}>
      <FrameParts value={parts}>
        <PanesOf value={usePanes}>
          <MeetingById docId={shown.id} layer={layer} closed={closed} />
        </PanesOf>
      </FrameParts>
    </OpenedReview>
  );
}
