import { useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useApi } from '../../../api.ts';
import { useNotify } from '../../../store.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { pastAtom, versionsKey } from './past.ts';
import { momentName } from './when.ts';

const duration = 15_000;

/**
 * Notifies the reader when a restore or a new file replaces the transcript on the page. `generation`: number of the
 * document the page has; null until it is known.
 */
export function useRenewed(meeting: string, generation: number | null): void {
  const { t, i18n } = useTranslation('history');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const setPast = useSetAtom(pastAtom);
  const known = useRef<number | null>(null);
  const tell = useEffectEvent(async () => {
    setPast(null);
    void queries.invalidateQueries({ queryKey: versionsKey(meeting) });
    const { versions, people } = await parseResponse(
      api.meetings[':id'].versions.$get({ param: { id: meeting }, query: {} }),
    );
    const begun = versions.find(({ kind }) => kind === 'restored' || kind === 'replaced');
    if (!begun) return;
    const name = people.find(({ id }) => id === begun.by[0])?.name || t('gone');
    const when = momentName(new Date(begun.at), i18n.language);
    const said =
      begun.kind === 'restored' ? t('renewed.restored', { name, when }) : t('renewed.replaced', { name, when });
    const link = { kind: 'clickable', text: t('renewed.look'), onClick: () => openPane('history') } as const;
    notify({ type: 'info', message: [said, ' ', t('renewed.kept'), ' ', link], duration });
  });
  useEffect(() => {
    const before = known.current;
    if (generation === null || generation === before) return;
    known.current = generation;
    // The first known generation is the one this page opened with.
    if (before !== null) tell().catch(() => {});
  }, [generation]);
}
