import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';

import type { CostOption } from '#shared/intake.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions } from '../ui/form.tsx';
import { mainId } from '../ui/skip-link.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { Costs } from './costs.tsx';
import styles from './dialog.module.css';
import { newCosts } from './price.ts';

interface AgainProps {
  id: string;
  opened: boolean;
  onClose: () => void;
}

/** Shows the cost, then processes a recording again with the same options. */
export default function AgainDialog({ id, opened, onClose }: AgainProps) {
  const { t } = useTranslation('library');
  const ready = useTexts('intake');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('processAgain')} size="sm" keepOnBackdrop>
      <div className={styles.step}>{ready ? <Choosing id={id} onClose={onClose} /> : <Bones />}</div>
    </Dialog>
  );
}

const Bones = () => (
  <Waiting>
    <Bone width="70%" height="2rem" />
  </Waiting>
);

function Choosing({ id, onClose }: Omit<AgainProps, 'opened'>) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const refresh = useRefreshMeetings();
  const { data, error, refetch } = useQuery({
    queryKey: ['process', id],
    queryFn: async ({ signal }) => {
      const answer = await api.meetings[':id'].$get({ param: { id } }, { init: { signal } });
      const { costs, progress } = JSON.parse(await answer.text()) as Pick<MeetingView, 'costs' | 'progress'>;
      return { costs, isOver: progress.failures_present };
    },
    staleTime: 0,
    gcTime: 0,
  });
  const begun = async () => {
    onClose();
    await Promise.all([queries.invalidateQueries({ queryKey: ['meeting', id, 'about'] }), refresh()]);
    // The button that opened the dialog is gone.
    if (document.activeElement === document.body) document.getElementById(mainId)?.focus();
  };
  const begin = useMutation({
    mutationFn: ({ cost }: CostOption) =>
      parseResponse(api.meetings[':id'].process.$post({ param: { id }, json: { cost } })),
    onSuccess: begun,
    onError: (failure) => {
      if (newCosts(failure)) void refetch();
    },
    meta: { quiet: true },
  });
  // Somebody else has started it meanwhile.
  const underWay = data?.isOver === false;
  const close = useEffectEvent(begun);
  useEffect(() => {
    if (underWay) void close();
  }, [underWay]);
  if (!data || underWay) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  if (!data.costs) return <p>{t('again.impossible')}</p>;
  return (
    <>
      <p>{t('again.text')}</p>
      {begin.error && (
        <p className={styles.error} role="alert">
          {newCosts(begin.error) ? t('cost.changed') : failureMessage(begin.error, told)}
        </p>
      )}
      <Costs costs={data.costs} onChoose={(cost) => !begin.isPending && begin.mutate(cost)} />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {told('common:cancel')}
        </Button>
      </Actions>
    </>
  );
}
