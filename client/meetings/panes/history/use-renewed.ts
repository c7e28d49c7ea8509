import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef } from 'react';

import type { MeetingAbout } from '#shared/meetings/meeting.ts';

import { useApi } from '../../../api.ts';
import { useNotify, type NoticePart } from '../../../store.ts';
import { failureMessage } from '../../../ui/failure-message.ts';
import { useTranslation } from '../../../use-translation.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { pastAtom, versionsKey } from './past.ts';
import { renewedAtom } from './renewed.ts';
import { momentName } from './when.ts';
import { nameIn } from './use-names.ts';

const duration = 15_000;

/** Annotations are carried over within moments; where that takes longer, the notice says so later. */
const lookEvery = 600;
const quickLooks = 5;
const laterEvery = 3_000;
const mostLooks = 25;

/**
 * Notifies the reader when a restore or a new file replaces the transcript on the page: by whom, what became of annotations,
 * and with a way back for owners. `generation`: number of the document the page has; null until it is known.
 */
export function useRenewed({ id: meeting, permissions }: MeetingAbout, generation: number | null): void {
  const { t, i18n } = useTranslation('history');
  const { t: common } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const setPast = useSetAtom(pastAtom);
  const setRenewed = useSetAtom(renewedAtom);
  const known = useRef<number | null>(null);
  const restore = useMutation({
    mutationFn: (version: number) =>
      parseResponse(
        api.meetings[':id'].versions[':version'].restore.$post({ param: { id: meeting, version: String(version) } }),
      ),
    onError: (error) => notify({ message: failureMessage(error, common) }),
  });
  const look = async () => {
    const { versions, people } = await parseResponse(
      api.meetings[':id'].versions.$get({ param: { id: meeting }, query: {} }),
    );
    const begun = versions.find(({ kind }) => kind === 'restored' || kind === 'replaced');
    return begun && { begun, people };
  };
  const say = ({ begun, people }: NonNullable<Awaited<ReturnType<typeof look>>>) => {
    const name = nameIn(
      t,
      people.find(({ id }) => id === begun.by[0]),
    );
    const when = momentName(new Date(begun.at), i18n.language);
    const message: NoticePart[] = [
      begun.kind === 'restored' ? t('renewed.restored', { name, when }) : t('renewed.replaced', { name, when }),
      ' ',
    ];
    const { kept, lost } = begun.carried ?? { kept: 0, lost: 0 };
    if (kept + lost > 0) message.push(t(lost > 0 ? 'renewed.carriedSome' : 'renewed.carried', { kept, lost }), ' ');
    message.push(t('renewed.kept'), ' ', {
      kind: 'clickable',
      text: t('renewed.look'),
      onClick: () => openPane('history'),
    });
    if (permissions.includes('own'))
      message.push(' ', { kind: 'clickable', text: t('renewed.undo'), onClick: () => restore.mutate(begun.before) });
    notify({ type: 'info', message, duration });
  };
  const tell = useEffectEvent(async (renewed: number) => {
    setPast(null);
    setRenewed({ meeting, generation: renewed });
    // Replaced by the notice that says more, as soon as that is known.
    notify({ type: 'info', message: t('renewed.changed'), duration });
    if (!permissions.includes('history')) return;
    void queries.invalidateQueries({ queryKey: versionsKey(meeting) });
    let said = false;
    for (let looks = 1; looks <= mostLooks; looks += 1) {
      // A server that does not answer now is asked again.
      const found = await look().catch(() => null);
      if (found === undefined || known.current !== renewed) return;
      const carried = found?.begun.carried;
      if (found && (said ? carried && carried.kept + carried.lost > 0 : carried || looks >= quickLooks)) {
        say(found);
        said = true;
      }
      if (carried) return;
      await new Promise((resolve) => setTimeout(resolve, looks < quickLooks ? lookEvery : laterEvery));
    }
  });
  useEffect(() => {
    const before = known.current;
    if (generation === null || generation === before) return;
    known.current = generation;
    // The first known generation is the one this page opened with.
    if (before !== null) tell(generation).catch(() => {});
  }, [generation]);
  useEffect(
    () => () => {
      known.current = null;
    },
    [],
  );
}
