import { IconDownload, IconHeadphones } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useRef, useState } from 'react';

import type { OrderRecording } from '#shared/orders.ts';

import { useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './orders.module.css';

/** An address younger than this is still valid; a failure has another reason. */
const fresh = 240_000;

/** Plays and downloads the recording. Its addresses are valid for five minutes and are asked for when needed. */
export function Recording({ id, title }: { id: string; title: string }) {
  const { t } = useTranslation('orders');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const [listening, setListening] = useState(false);
  const ask = (): Promise<OrderRecording> => parseResponse(api.orders[':id'].recording.$get({ param: { id } }));
  const failed = (error: unknown) => notify({ message: failureMessage(error, told) });
  const download = useMutation({
    mutationFn: ask,
    onSuccess: ({ url, name }) => {
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
    },
    onError: failed,
  });
  return (
    <div className={styles.recording}>
      {listening && <Listening id={id} title={title} ask={ask} />}
      <div className={styles.deeds}>
        {!listening && (
          <Button
            icon={<IconHeadphones size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => setListening(true)}
          >
            {t('listen')}
          </Button>
        )}
        <Button
          look="quiet"
          busy={download.isPending}
          icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />}
          onClick={() => download.mutate()}
        >
          {t('download')}
        </Button>
      </div>
    </div>
  );
}

function Listening({ id, title, ask }: { id: string; title: string; ask: () => Promise<OrderRecording> }) {
  const { t } = useTranslation('orders');
  const { t: told } = useTranslation(['common', 'shell']);
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['orders', id, 'recording'],
    queryFn: ask,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const [broken, setBroken] = useState(false);
  /** Position and state of the player when its address expired. */
  const was = useRef<{ at: number; playing: boolean } | null>(null);
  if (error) return <p role="alert">{failureMessage(error, told)}</p>;
  if (!data)
    return (
      <Waiting>
        <Bone width="100%" height="2.5rem" />
      </Waiting>
    );
  if (!data.plays) return <p>{t('notPlayed')}</p>;
  if (broken) return <p role="alert">{t('broken')}</p>;
  return (
    <audio
      className={styles.player}
      controls
      autoPlay
      preload="metadata"
      src={data.url}
      aria-label={t('recording', { title })}
      onPlay={() => (was.current = null)}
      onLoadedMetadata={({ currentTarget: sound }) => {
        if (!was.current) return;
        sound.currentTime = was.current.at;
        if (!was.current.playing) sound.pause();
      }}
      onError={({ currentTarget: sound }) => {
        if (Date.now() - dataUpdatedAt < fresh) return setBroken(true);
        was.current = { at: sound.currentTime, playing: !sound.paused };
        void refetch();
      }}
    >
      {/* No captions: the transcript is what is being ordered. */}
      <track kind="captions" />
    </audio>
  );
}
