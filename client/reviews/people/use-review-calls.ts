import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { ReviewView } from '#shared/reviews.ts';

import { ApiError, useApi } from '../../api.ts';
import { useConfirm, useNotify } from '../../store.ts';
import { failureMessage } from '../../ui/failure-message.ts';
import { useTranslation } from '../../use-translation.ts';
import { reviewKey } from '../review-query.ts';
import { useRefreshReviews, useReviewFaults } from '../reviews-query.ts';

interface Asked {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
}

/** Calls of a person on a review; each asks first and says what changes. */
export function useReviewCalls({ id: reviewId, meetingId, rev, policy, mine, student, reviewers }: ReviewView) {
  const { t } = useTranslation('leading');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const confirm = useConfirm();
  const refresh = useRefreshReviews(meetingId);
  const fault = useReviewFaults(policy);
  const { mutate, isPending } = useMutation({
    mutationFn: ({ call }: { call: () => Promise<unknown>; done: string }) => call(),
    meta: { quiet: true },
    onSuccess: (_, { done }) => notify({ type: 'info', message: done }),
    onError: (error) => {
      const wrong = error instanceof ApiError ? error.errors.map(fault).find((one) => one !== undefined) : undefined;
      const late = error instanceof ApiError && error.code === 'CONFLICT' ? t('fault.tooLate') : undefined;
      notify({ message: wrong ?? late ?? failureMessage(error, said) });
    },
    onSettled: () => Promise.all([refresh(), queries.invalidateQueries({ queryKey: reviewKey(meetingId, reviewId) })]),
  });
  const param = { id: meetingId, reviewId };
  const review = api.meetings[':id'].reviews[':reviewId'];
  const change = (json: { end: true } | { skipSelf: true }) => () =>
    parseResponse(review.$post({ param, json: { rev: rev ?? 0, ...json } }));
  const ask = async (question: Asked, call: () => Promise<unknown>, done: string) => {
    if (await confirm(question)) mutate({ call, done });
  };
  const begun = [...reviewers, ...(student ? [student] : [])].some(({ status }) => status !== 'new');
  return {
    busy: isPending,
    publish: () =>
      void ask(
        {
          title: t('confirm.publish.title'),
          text: student ? t('confirm.publish.student', { name: student.name }) : t('confirm.publish.text'),
          action: t('list.publish'),
        },
        () => parseResponse(review.publish.$post({ param })),
        t('done.published'),
      ),
    reopen: () =>
      void ask(
        { title: t('confirm.reopen.title'), text: t('confirm.reopen.text'), action: t('list.reopen') },
        () => parseResponse(review.reopen.$post({ param })),
        t('done.reopened'),
      ),
    end: () =>
      void ask(
        { title: t('confirm.end.title'), text: t('confirm.end.text'), action: t('list.end') },
        change({ end: true }),
        t('done.ended'),
      ),
    skipSelf: () =>
      void ask(
        {
          title: t('confirm.skipSelf.title'),
          text: t('confirm.skipSelf.text', { name: student?.name ?? '' }),
          action: t('list.skipSelf'),
        },
        change({ skipSelf: true }),
        t('done.skipped'),
      ),
    takeBack: () =>
      void ask(
        { title: t('confirm.takeBack.title'), text: t('confirm.takeBack.text'), action: t('list.takeBack') },
        () =>
          parseResponse(
            review.reviewers[':reviewerId'].$post({
              param: { ...param, reviewerId: mine?.id ?? '' },
              json: { status: 'in-progress' },
            }),
          ),
        t('done.takenBack'),
      ),
    join: () =>
      mutate({
        call: () => parseResponse(review.join.$post({ param, json: { role: 'optional' } })),
        done: t('done.joined'),
      }),
    remove: () =>
      void ask(
        {
          title: t('confirm.delete.title'),
          text: t(begun ? 'confirm.delete.begun' : 'confirm.delete.fresh'),
          action: t('list.delete'),
          danger: true,
        },
        () => parseResponse(review.$delete({ param })),
        t('done.deleted'),
      ),
  };
}
