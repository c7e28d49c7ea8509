import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { atom } from 'jotai';

import type { ListenedPartsAnswer, Part } from '#shared/reviews/listened.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { useApi } from '../../api.ts';
import { reviewKey } from '../review-query.ts';

/** Milliseconds after which an open page asks again what others listened to; nobody is told of it. */
const lookEvery = 60_000;

export const listenedKey = (meetingId: string, reviewId: string): readonly string[] => [
  ...reviewKey(meetingId, reviewId),
  'listened',
];

/** Parts that were just played, and are not on the server yet. */
export const playedAtom = atom<readonly Part[]>([]);

/** The query of what this person and others listened to. */
export function useListenedQuery({ meetingId, id }: Pick<ReviewView, 'meetingId' | 'id'>) {
  const api = useApi();
  return useQuery({
    queryKey: listenedKey(meetingId, id),
    queryFn: async ({ signal }) => {
      const param = { id: meetingId, reviewId: id };
      return parseResponse(api.meetings[':id'].reviews[':reviewId'].listened.$get({ param }, { init: { signal } }));
    },
    meta: { quiet: true },
    refetchInterval: ({ state }) => (state.error ? false : lookEvery),
  });
}

export const useListenedParts = (review: Pick<ReviewView, 'meetingId' | 'id'>): ListenedPartsAnswer | null =>
  useListenedQuery(review).data ?? null;
