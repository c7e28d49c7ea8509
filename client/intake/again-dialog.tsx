import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';

import type { MeetingView } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { PurchaseNotice } from '../billing/purchase-notice.tsx';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { payingPage, useBackToPay } from './back-to-pay.ts';
import { Costs } from './costs.tsx';
import styles from './dialog.module.css';
import { BeginError, useBegin } from './use-begin.tsx';

interface AgainProps {
  id: string;
  opened: boolean;
  onClose: () => void;
}

/** Shows the cost, then processes a recording again with the same options. */
export default function AgainDialog({ id, opened, ...props }: AgainProps) {
  const { close } = useBackToPay(id);
  const onClose = () => {
    close();
    props.onClose();
  };
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
  const { t: told } = useTranslation('common');
  const api = useApi();
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
  const { begin, finish, error: failure } = useBegin(id, { onClose, onNewCosts: () => void refetch() });
  // Somebody else has started it meanwhile.
  const underWay = data?.isOver === false;
  const close = useEffectEvent(finish);
  useEffect(() => {
    if (underWay) void close();
  }, [underWay]);
  if (!data || underWay) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  if (!data.costs) return <p>{t('again.impossible')}</p>;
  return (
    <>
      <p>{t('again.text')}</p>
      <PurchaseNotice keeps />
      <BeginError error={failure} />
      <Costs costs={data.costs} onChoose={begin} onAgain={() => void refetch()} back={payingPage(id)} />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {told('cancel')}
        </Button>
      </Actions>
    </>
  );
}
