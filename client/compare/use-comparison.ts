import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { CompareAnswer, ComparedBy, ComparedColumn, ComparedPassage } from '#shared/compare.ts';

import { useApi } from '../api.ts';
import { learnSets } from '../outcome-models/known-sets.ts';

/**
 * Recordings and assessments side by side. The last answer stays on screen while other rows are loaded, and where they
 * cannot be loaded: what is typed beside it must not be lost.
 */
export function useComparison(ids: string, rows: ComparedBy | null) {
  const api = useApi();
  const [last, setLast] = useState<{ ids: string; answer: CompareAnswer } | null>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['compare', ids, rows],
    queryFn: async ({ signal }) => {
      const query = { ids, ...(rows && { rows }) };
      const compared = await parseResponse(api.compare.$get({ query }, { init: { signal } }));
      learnSets(compared.sets);
      return compared;
    },
    placeholderData: (before, question) => (question?.queryKey[1] === ids ? before : undefined),
    // The page says so where the comparison is shown.
    meta: { quiet: true },
    staleTime: 0,
  });
  if (data && (last?.ids !== ids || last.answer !== data)) setLast({ ids, answer: data });
  const answer = data ?? (last?.ids === ids ? last.answer : null);
  return { answer, error: data ? null : error, refetch, busy: isPlaceholderData };
}

/** All passages of a cell, of which the comparison has some; the column is found again by what it shows. */
export function useWholeCell(
  ids: string,
  by: ComparedBy,
  row: string,
  { document, name, at }: Pick<ComparedColumn, 'document' | 'name'> & { at: number },
) {
  const api = useApi();
  return useQuery({
    queryKey: ['compare', ids, by, row],
    queryFn: async ({ signal }) =>
      parseResponse(api.compare.$get({ query: { ids, rows: by, row } }, { init: { signal } })),
    select: ({ columns, rows }): readonly ComparedPassage[] => {
      const shows = (one: ComparedColumn | undefined) => one?.document === document && one.name === name;
      // Two authors of a joint assessment may have one name.
      const nth = shows(columns[at]) ? at : columns.findIndex(shows);
      return rows[0]?.cells[nth]?.passages ?? [];
    },
    meta: { quiet: true },
    staleTime: 0,
  });
}
