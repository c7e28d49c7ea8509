import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useCallback, useMemo } from 'react';

import type { FieldError } from '#shared/problems.ts';
import { isCounted, policies, type Policy } from '#shared/reviews/review.ts';

import { useApi } from '../api.ts';
import { useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';
import { useReviewNews } from './use-review-news.ts';

const keyOf = (meetingId: string) => ['meeting', meetingId, 'reviews'] as const;

/** Milliseconds after which the states of reviewers are asked for again; while connected, the server tells of changes. */
const askEvery = (connected: boolean): number => (connected ? 300_000 : 15_000);

/** Reviews of a recording, as far as the person may know them; `watched`: kept up to date. */
export function useReviews(meetingId: string, { watched = false } = {}) {
  const api = useApi();
  const refresh = useRefreshReviews(meetingId);
  const connected = useReviewNews(meetingId, () => void refresh());
  return useQuery({
    queryKey: keyOf(meetingId),
    queryFn: async ({ signal }) =>
      (await parseResponse(api.meetings[':id'].reviews.$get({ param: { id: meetingId } }, { init: { signal } })))
        .reviews,
    staleTime: 0,
    refetchInterval: watched && askEvery(connected),
  });
}

export function useRefreshReviews(meetingId: string): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: keyOf(meetingId) });
}

/** Policies that can be chosen: the one with suggestions where there is a language model. */
export function useOfferedPolicies(): readonly Policy[] {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['assistants'],
    queryFn: async ({ signal }) => parseResponse(api.ai.$get({}, { init: { signal } })),
  });
  return policies.filter((policy) => policy !== 'ai' || (data !== undefined && data.models.length > 0));
}

/** Complete reviews of a recording that a new one can be compared with, as choices. */
export function useReferences(meetingId: string): { value: string; label: string }[] {
  const { t, i18n } = useTranslation('leading');
  const { data } = useReviews(meetingId);
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' });
  return (data ?? []).flatMap(({ id, phase, completionDate, reviewers, layers, anonymous }) => {
    const counted = reviewers.filter((one) => isCounted(one) && one.status === 'complete');
    const reads = layers.some(({ kind }) => kind === 'shared') || counted.some(({ cloneId }) => cloneId !== null);
    if (
      (phase !== 'open' && phase !== 'published') ||
      completionDate === null ||
      counted.length === 0 ||
      !reads ||
      anonymous
    )
      return [];
    const names = new Intl.ListFormat(i18n.language).format(counted.flatMap(({ name, email }) => name ?? email ?? []));
    return [{ value: id, label: t('request.referenceIs', { date: day.format(new Date(completionDate)), names }) }];
  });
}

interface Limits {
  most: number;
  supervisors: number;
}

/** How many people can take part in a review, by policy; null until the session is known. */
export function useReviewLimits(): Readonly<Record<Policy, Limits>> | null {
  const config = useSession().data?.config;
  return useMemo(() => {
    if (!config) return null;
    const supervisors = config.maxReviewSupervisors;
    const most: Record<Policy, number> = {
      strict: config.maxStrictReviewParticipants,
      relaxed: config.maxRelaxedReviewParticipants,
      student: config.maxStudentReviewParticipants,
      ai: config.maxRelaxedReviewParticipants,
    };
    return Object.fromEntries(policies.map((policy) => [policy, { most: most[policy], supervisors }])) as Record<
      Policy,
      Limits
    >;
  }, [config]);
}

const faults = ['unknown', 'needsPerson', 'needsStudent', 'past', 'percent'] as const;
const refusals = ['exists', 'student', 'could_read', 'knows_key', 'gets_key'] as const;

/** Messages for codes of reviews; the same function each time. */
export function useReviewFaults(policy: Policy): (error: FieldError) => string | undefined {
  const { t } = useTranslation(['leading', 'reviews']);
  const limits = useReviewLimits()?.[policy];
  const [most, supervisors] = [limits?.most ?? 0, limits?.supervisors ?? 0];
  return useCallback(
    ({ code, field }) => {
      if (code === 'too_many') return t('fault.tooMany', { most, supervisors });
      if (code === 'required' && field === 'student') return t('fault.needsStudent');
      if (field === 'coverage') return t('fault.percent');
      if (field === 'policy' && code === 'key') return t('fault.keyPolicy');
      if (field === 'policy' && code === 'model') return t('fault.noModel');
      if (field === 'keyOf') return t(code === 'policy' ? 'fault.keyPolicy' : 'fault.keyUnknown');
      const refused = refusals.find((one) => one === code);
      if (refused) return t(`reviews:refused.${refused}`);
      const known = faults.find((one) => one === code);
      return known && t(`fault.${known}`);
    },
    [t, most, supervisors],
  );
}
