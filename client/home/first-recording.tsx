import { IconHeadphones, IconMicrophone, IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import type { ComponentType } from 'react';
import { useNavigate } from 'react-router-dom';

import { useApi } from '../api.ts';
import { GetSpeech } from '../engines/get-speech.tsx';
import { addingAtom } from '../intake/adding.ts';
import { recordDialogAtom } from '../recorder/current.ts';
import { homeTours, useTour } from '../tours/use-tour.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './first-recording.module.css';

/** The ways to a first recording, in a library without any. */
export function FirstRecording() {
  const { t } = useTranslation('library');
  const api = useApi();
  const navigate = useNavigate();
  const add = useSetAtom(addingAtom);
  const record = useSetAtom(recordDialogAtom);
  const tour = useTour(...homeTours);
  const sample = useMutation({
    mutationFn: () => parseResponse(api.sample.$post({})),
    onSuccess: ({ id }) => navigate(`/meeting/${encodeURIComponent(id)}`),
  });
  return (
    <section className={styles.first}>
      <h2>{t('first.title')}</h2>
      <ul className={styles.cards} data-tour="first">
        <Card
          title={t('first.record')}
          hint={t('first.recordHint')}
          icon={IconMicrophone}
          onPress={() => record(true)}
        />
        <Card
          title={t('first.upload')}
          hint={t('first.uploadHint')}
          icon={IconUpload}
          onPress={() => add({ file: null })}
        />
        <Card
          title={t('first.sample')}
          hint={t('first.sampleHint')}
          icon={IconHeadphones}
          busy={sample.isPending}
          onPress={() => sample.mutate()}
        />
      </ul>
      {tour.isOffered && (
        <Button look="quiet" onClick={tour.play}>
          {t('first.tour')}
        </Button>
      )}
      <GetSpeech />
    </section>
  );
}

interface CardProps {
  title: string;
  hint: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': 'true' }>;
  busy?: boolean;
  onPress: () => void;
}

function Card({ title, hint, icon: Icon, busy = false, onPress }: CardProps) {
  return (
    <li>
      <button type="button" className={styles.card} aria-busy={busy || undefined} onClick={() => !busy && onPress()}>
        <Icon size={28} stroke={1.5} aria-hidden="true" />
        <span className={styles.title}>{title}</span>
        <span className={styles.hint}>{hint}</span>
      </button>
    </li>
  );
}
