import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { Link } from 'react-router-dom';

import { useRefreshMeetings } from '../library/meetings-query.ts';
import { useConfirm } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { LevelMeter, RecordingDot } from '../ui/recorder-signs.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import { recorderAtom } from './current.ts';
import styles from './recorder-bar.module.css';
import type { LiveRecorder, RecorderState } from './recorder.ts';
import { spanText } from './spans.ts';
import { useFoot } from './use-foot.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;
/** Milliseconds of sound that are usually on their way. */
const usualWait = 6_000;

/** The recorder, at the foot of every page while it runs. */
export default function RecorderBar({ recorder }: { recorder: LiveRecorder }) {
  const ready = useTexts('recorder', { inBackground: true });
  return ready ? <Bar recorder={recorder} /> : null;
}

function Bar({ recorder }: { recorder: LiveRecorder }) {
  const { t } = useTranslation('recorder');
  const state = useSyncExternalStore(recorder.subscribe, recorder.now);
  const bar = useRef<HTMLElement>(null);
  useFoot(bar);
  const close = useClose(recorder);
  const { phase, sending } = state;
  const over = phase === 'ended' || phase === 'elsewhere' || phase === 'closed';
  const atEnd = useEffectEvent(close);
  useEffect(() => {
    // Unsent sound stays on screen.
    if (phase === 'closed' || (phase === 'ended' && sending === null)) atEnd();
  }, [phase, sending]);
  return (
    <section ref={bar} className={styles.bar} aria-label={t('label')}>
      <Messages recorder={recorder} state={state} />
      <div className={styles.row}>
        <RecordingDot on={phase === 'recording'} />
        <span className={styles.time} role="timer" aria-label={t(phase === 'paused' ? 'paused' : 'recording')}>
          {clockTime(state.ms)}
        </span>
        <LevelMeter label={t('level')} className={styles.level} source={recorder} />
        <Link className={styles.title} to={`/meeting/${encodeURIComponent(recorder.meeting)}`} title={t('open')}>
          {recorder.title}
        </Link>
        <span className={styles.tracks}>{state.tracks.map((track) => t(`sound.${track}`)).join(' + ')}</span>
        <Saved state={state} />
        {over ? <Button onClick={close}>{t('close')}</Button> : <Controls recorder={recorder} phase={phase} />}
      </div>
    </section>
  );
}

/** Takes the recorder off the page; lists and the recording's page then show what became of it. */
function useClose(recorder: LiveRecorder): () => void {
  const setRecorder = useSetAtom(recorderAtom);
  const queries = useQueryClient();
  const refresh = useRefreshMeetings();
  return () => {
    setRecorder(null);
    void queries.invalidateQueries({ queryKey: ['meeting', recorder.meeting] });
    void refresh();
  };
}

function Controls({ recorder, phase }: { recorder: LiveRecorder; phase: RecorderState['phase'] }) {
  const { t } = useTranslation('recorder');
  const confirm = useConfirm();
  if (phase === 'ending') return null;
  const end = async () => {
    if (await confirm({ title: t('endTitle'), text: t('endText'), action: t('end') })) recorder.end();
  };
  const paused = phase === 'paused';
  return (
    <span className={styles.controls}>
      <Button
        icon={paused ? <IconPlayerPlay {...icon} /> : <IconPlayerPause {...icon} />}
        onClick={() => (paused ? void recorder.resume() : recorder.pause())}
      >
        {t(paused ? 'resume' : 'pause')}
      </Button>
      <Button look="danger" icon={<IconPlayerStop {...icon} />} onClick={() => void end()}>
        {t('end')}
      </Button>
    </span>
  );
}

/** How much of the sound the server keeps; what is only on this device is never called saved. */
function Saved({ state }: { state: RecorderState }) {
  const { t, i18n } = useTranslation('recorder');
  const { phase, ms, savedMs, sending } = state;
  const waiting = ms - savedMs;
  const span = spanText(waiting, i18n.language);
  const text = () => {
    if (phase === 'ending') return waiting > 1000 ? t('ending', { span }) : t('finishing');
    if (waiting > usualWait || (sending !== null && waiting > 0)) return t('onDevice', { span });
    if (phase !== 'recording' && waiting < 1000) return t('allSaved');
    return savedMs === 0 ? t('connecting') : t('saved', { time: clockTime(savedMs, ms) });
  };
  return (
    <span className={styles.saved} data-waiting={waiting > usualWait || undefined}>
      {text()}
    </span>
  );
}

/** Messages to know or act on; both live regions are always there, so that their words are read out. */
function Messages({ recorder, state }: { recorder: LiveRecorder; state: RecorderState }) {
  const { t } = useTranslation('recorder');
  const { phase, sending, sound, notStored, asked, offersTakeOver } = state;
  const goesOn = phase === 'recording' || phase === 'paused';
  return (
    <>
      <div role="alert">
        {goesOn && sound && <p className={styles.message}>{t(`failed.${sound}`)}</p>}
        {sending && sending !== 'elsewhere' && (
          <p className={styles.message}>
            {t(sending === 'network' && phase !== 'recording' ? 'later' : `sending.${sending}`)}
          </p>
        )}
        {notStored && goesOn && <p className={styles.message}>{t('notStored')}</p>}
        {phase === 'elsewhere' && <p className={styles.message}>{t('elsewhere')}</p>}
        {phase === 'ended' && sending === null && <p className={styles.message}>{t('endedTitle')}</p>}
      </div>
      <div role="status">
        {asked && goesOn && (
          <p className={styles.message}>
            <span>{t('asked')}</span>
            <Button onClick={recorder.goOn}>{t('keepRecording')}</Button>
          </p>
        )}
        {offersTakeOver && goesOn && (
          <p className={styles.message}>
            <span>{t('takeOverTitle')}</span>
            <Button look="primary" onClick={() => recorder.takeOver()}>
              {t('takeOver')}
            </Button>
            <Button onClick={() => recorder.leave('elsewhere')}>{t('stopHere')}</Button>
          </p>
        )}
      </div>
    </>
  );
}
