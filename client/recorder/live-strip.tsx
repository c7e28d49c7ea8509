import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';

import { recorderLimits, type LiveView } from '#shared/recorder.ts';

import { useApi } from '../api.ts';
import { useSession } from '../session.ts';
import { useConfirm, useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { RecordingDot } from '../ui/recorder-signs.tsx';
import { useTranslation } from '../use-translation.ts';
import { recorderAtom } from './current.ts';
import styles from './live-strip.module.css';
import { NoSound } from './sound.ts';
import { useBegin } from './use-begin.ts';

/** Milliseconds between looks at a recording that somebody else may pause. */
const lookEvery = 10_000;

interface LiveStripProps {
  id: string;
  title: string;
  /** Whether the reader owns the recording. */
  owns: boolean;
}

/** Says who records, on the page of a recording that runs; absent in the tab that records. */
export default function LiveStrip(props: LiveStripProps) {
  const api = useApi();
  const ready = useTexts('recorder', { inBackground: true });
  const here = useAtomValue(recorderAtom)?.meeting === props.id;
  const { id } = props;
  const { data } = useQuery({
    queryKey: ['meeting', id, 'live'],
    queryFn: () => parseResponse(api.meetings[':id'].live.$get({ param: { id } })),
    refetchInterval: lookEvery,
    enabled: !here,
  });
  if (!ready || !data || here || (data.state !== 'recording' && data.state !== 'paused')) return null;
  return data.mine ? <Mine {...props} live={data} /> : <Others {...props} live={data} />;
}

function useEnd(id: string) {
  const { t } = useTranslation('recorder');
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const ending = useMutation({
    mutationFn: () => parseResponse(api.meetings[':id'].live.end.$post({ param: { id } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['meeting', id] }),
  });
  return async () => {
    if (await confirm({ title: t('endTitle'), text: t('endText'), action: t('end') })) ending.mutate();
  };
}

function Others({ id, owns, live }: LiveStripProps & { live: LiveView }) {
  const { t } = useTranslation('recorder');
  const api = useApi();
  const notify = useNotify();
  const end = useEnd(id);
  const { name, state } = live;
  const asking = useMutation({
    mutationFn: () => parseResponse(api.meetings[':id'].live['ask-to-stop'].$post({ param: { id } })),
    onSuccess: () => notify({ type: 'info', message: t('hasAsked', { name }) }),
  });
  return (
    <div className={styles.strip}>
      <RecordingDot on={state === 'recording'} />
      <span role="status">{t(state === 'paused' ? 'othersPaused' : 'others', { name })}</span>
      <Button busy={asking.isPending} onClick={() => asking.mutate()}>
        {t('ask')}
      </Button>
      {owns && (
        <Button look="danger" onClick={() => void end()}>
          {t('end')}
        </Button>
      )}
    </div>
  );
}

function Mine({ id, title, live }: LiveStripProps & { live: LiveView }) {
  const { t } = useTranslation('recorder');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const principal = useSession().data?.principal;
  const begin = useBegin();
  const end = useEnd(id);
  const busy = useAtomValue(recorderAtom) !== null;
  const resuming = useMutation({
    mutationFn: async () => {
      if (principal?.kind !== 'user') return;
      const ends = live.takes.map(({ offset, kept }) => offset + kept * recorderLimits.pieceMs);
      const longest = Math.max(
        0,
        ...live.tracks.map((track) =>
          live.takes.reduce((sum, take) => sum + (take.track === track ? take.kept * recorderLimits.pieceMs : 0), 0),
        ),
      );
      const offset = Math.max(0, Date.now() - Date.parse(live.startedAt), ...ends);
      await begin({
        user: String(principal.id),
        tracks: live.tracks,
        meeting: () => Promise.resolve({ meeting: id, title, offset, ms: longest }),
      });
      if (live.state === 'paused') await parseResponse(api.meetings[':id'].live.resume.$post({ param: { id } }));
    },
    meta: { quiet: true },
  });
  return (
    <div className={styles.strip}>
      <RecordingDot on={false} />
      <span role="status">{t(live.state === 'paused' ? 'notHerePaused' : 'notHere')}</span>
      {!busy && (
        <Button look="primary" busy={resuming.isPending} onClick={() => !resuming.isPending && resuming.mutate()}>
          {t('resumeHere')}
        </Button>
      )}
      <Button onClick={() => void end()}>{t('end')}</Button>
      {resuming.error && (
        <p className={styles.error} role="alert">
          {resuming.error instanceof NoSound ? t(`failed.${resuming.error.why}`) : failureMessage(resuming.error, told)}
        </p>
      )}
    </div>
  );
}
