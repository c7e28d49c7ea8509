import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { FacetName } from '#shared/facets.ts';
import { pageSizes } from '#shared/library.ts';

import { ApiError, useApi } from '../api.ts';
import { isUnderWay } from '../progress/progress-line.tsx';
import { useListProgress } from '../progress/use-progress.ts';
import { sortOf, writeFilters, type Place, type ViewMode } from './place.ts';

/** Interval of polling while recordings are processed and no connection reports their progress. */
const askEvery = 15_000;
/** Interval of asking again while words of recordings are not indexed yet. */
export const askBehind = 4000;
export const listKey = ['meetings'] as const;

/** True where the words of a query are said too often in a row to be looked up. */
export const isTooCommon = (error: unknown): boolean =>
  error instanceof ApiError && error.errors.some(({ code }) => code === 'too_common');

/** Recordings that a request is about. */
export const selectionOf = ({ folder, sid, shared, query, filters }: Place) => ({
  folder,
  ...(sid === null ? {} : { shared_folder: sid }),
  ...(shared ? ({ shared: 'with-me' } as const) : {}),
  query,
  ...(writeFilters(filters) === '' ? {} : { filters: writeFilters(filters) }),
});

/** A page of the library; the last one stays on screen while another is loaded. */
export function useMeetings(place: Place, mode: ViewMode) {
  const { folder, sid, shared: othersOnly, order, page } = place;
  const api = useApi();
  const size = pageSizes[mode];
  const told = useListProgress(listKey);
  const asked = {
    ...selectionOf(place),
    sort: sortOf(order),
    start: String(page * size),
    size: String(size),
  };
  return useQuery({
    enabled: place.filters !== null,
    queryKey: [...listKey, asked],
    queryFn: ({ signal }) => parseResponse(api.meetings.$get({ query: asked }, { init: { signal } })),
    // Not for another folder, whose recordings differ.
    placeholderData: (before, question) => {
      const last = question?.queryKey[1] as typeof asked | undefined;
      const same = last?.folder === folder && ('shared_folder' in last ? last.shared_folder : null) === sid;
      return same && 'shared' in last === othersOnly ? before : undefined;
    },
    // Loaded on every visit: titles change on the page of a recording.
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if ((state.data?.behind ?? 0) > 0) return askBehind;
      return !told && state.data?.hits.some(({ progress }) => isUnderWay(progress)) === true ? askEvery : false;
    },
  });
}

/** Whether a place has a recording; undefined until that is known, and where nobody wants to know. */
export function useHasSome(place: Place, wanted: boolean): boolean | undefined {
  const api = useApi();
  const asked = { ...selectionOf(place), size: '1' };
  return useQuery({
    enabled: wanted,
    queryKey: [...listKey, asked],
    queryFn: ({ signal }) => parseResponse(api.meetings.$get({ query: asked }, { init: { signal } })),
    select: ({ total }) => total > 0,
  }).data;
}

/** Loads the filters of a place with their counts; the last answer stays on screen while another is loaded. */
export function useFacets(place: Place) {
  const api = useApi();
  const asked = selectionOf(place);
  return useQuery({
    queryKey: [...listKey, 'facets', asked],
    queryFn: ({ signal }) => parseResponse(api.aggs.$get({ query: asked }, { init: { signal } })),
    placeholderData: (before) => before,
    staleTime: 0,
  });
}

/** Further values of one facet. */
export function useValues(place: Place, of: FacetName, like: string) {
  const api = useApi();
  const asked = { ...selectionOf(place), of, like };
  return useQuery({
    enabled: like.trim() !== '',
    queryKey: [...listKey, 'facets', asked],
    queryFn: ({ signal }) => parseResponse(api.aggs.$get({ query: asked }, { init: { signal } })),
    placeholderData: (before) => before,
  });
}

/** Reloads the pages on screen. */
export function useRefreshMeetings(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: listKey });
}
