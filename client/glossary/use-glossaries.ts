import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { GlossaryView } from '#shared/glossary.ts';

import { ApiError, useApi } from '../api.ts';
import { actionsKey } from '../finding/use-undo.ts';
import { useNotify } from '../store.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';

export const glossariesKey = ['glossaries'] as const;
/** Milliseconds for which a notice offers to undo. */
const undoFor = 10_000;

export function useGlossaries() {
  const api = useApi();
  return useQuery({
    queryKey: glossariesKey,
    queryFn: async ({ signal }): Promise<GlossaryView[]> =>
      (await parseResponse(api.glossaries.$get({}, { init: { signal } }))).glossaries,
    staleTime: 0,
  });
}

type Change = Parameters<ReturnType<typeof useApi>['glossaries'][':kind'][':id']['$put']>[0]['json'];
type Of = Pick<GlossaryView, 'kind' | 'id'>;

/**
 * Changes a glossary; a notice with `term` says what changed, and offers to undo it, and to replace it in other recordings
 * at the address `elsewhere`.
 */
export function useChangeGlossary({ kind, id }: Of) {
  const { t } = useTranslation(['glossary', 'finding']);
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const failed = (error: unknown) => {
    const code = error instanceof ApiError ? error.code : '';
    notify({
      message: code === 'NO_PERM' ? t('refused') : code === 'NO_ACCESS' ? t('gone') : failureMessage(error, said),
    });
  };
  const settled = {
    meta: { quiet: true },
    onSettled: () =>
      Promise.all([glossariesKey, actionsKey].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  };
  const undo = useMutation({
    mutationFn: (action: string) => parseResponse(api.actions[':id'].undo.$post({ param: { id: action }, json: {} })),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'CONFLICT') notify({ message: t('finding:actions.changed') });
      else failed(error);
    },
    ...settled,
  });
  return useMutation({
    mutationFn: ({ change: json }: { change: Change; term: string; elsewhere?: string | null }) =>
      parseResponse(api.glossaries[':kind'][':id'].$put({ param: { kind, id }, json })),
    onSuccess: ({ removed, action }, { change, term, elsewhere }) => {
      const more = elsewhere ? [' ', { kind: 'link' as const, href: elsewhere, text: t('elsewhere') }] : [];
      const message = removed.length > 0 ? t('removed', { term }) : t('added', { term });
      if (action !== null) {
        const back = { kind: 'clickable' as const, text: t('undo'), onClick: () => undo.mutate(action) };
        notify({ type: 'info', message: [message, ' ', back, ...more], duration: undoFor });
      } else if (change.add) notify({ type: 'info', message: [t('same', { term }), ...more], duration: undoFor });
    },
    onError: (error) => {
      // Faults of a field are told there.
      if (!(error instanceof ApiError && error.code === 'INVALID')) failed(error);
    },
    ...settled,
  });
}
