import { useQuery, type QueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { SearchView } from '#shared/searches.ts';
import { defaultOrder } from '#shared/library.ts';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { addressOf, sortOf, writePlace, type Place } from './place.ts';

const searchesKey = ['searches'] as const;
const countsKey = ['searches', 'counts'] as const;

export function useSearches() {
  const api = useApi();
  return useQuery({
    queryKey: searchesKey,
    queryFn: ({ signal }) => parseResponse(api.searches.$get({}, { init: { signal } })),
    staleTime: 0,
  });
}

/** New results of each search, by its id: they arrive after the list. */
export function useFresh(): ReadonlyMap<string, number> {
  const api = useApi();
  const { data } = useQuery({
    queryKey: countsKey,
    queryFn: ({ signal }) => parseResponse(api.searches.counts.$get({}, { init: { signal } })),
    staleTime: 0,
  });
  return new Map(data?.counts.map(({ id, fresh }) => [id, fresh]));
}

/** Reads the list again, and not the counts: no change of the list makes results new. */
export const refreshSearches = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: searchesKey, exact: true });

/** Shows a search without new results, as the person looks at it. */
export const forgetFresh = (queries: QueryClient, looked: string) =>
  queries.setQueryData<{ counts: { id: string; fresh: number }[] }>(
    countsKey,
    (before) => before && { counts: before.counts.filter(({ id }) => id !== looked) },
  );

/** The search of a place, as it is saved. */
export const searchOf = ({ query, filters, order, folder, sid, shared }: Place) => ({
  ...{ query: query.trim(), filters: filters ?? {}, sort: sortOf(order), folder, sid, shared },
});

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Whether a place shows this search. */
export function shows(here: Place, { query, filters, sort, shared, place }: SearchView): boolean {
  const { folder, sid } = place ?? {};
  return (
    JSON.stringify(searchOf(here), inOrder) === JSON.stringify({ query, filters, sort, folder, sid, shared }, inOrder)
  );
}

/** Address of a search, in the layout of the place. */
export function addressOfSearch(here: Place, { query, filters, sort, shared, place }: SearchView): string {
  const { folder = '/', sid = null } = place ?? {};
  const params = writePlace(new URLSearchParams(), { ...here, query, filters, sid, page: 0 });
  if (sort === defaultOrder) params.delete('sort');
  else params.set('sort', sort);
  return `${shared ? paths.shared : addressOf(folder)}?${params}`;
}
