import { IconMicrophone, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';

import type { Anchored } from '#shared/meetings/anchors.ts';

import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { LevelMeter, RecordingDot } from '../../../ui/recorder-signs.tsx';
import { useEscape } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { Recorder } from '../base/recorder.ts';
import { useRecording, useRecordingKey } from './use-recording.ts';
import { VoiceNotePlayer } from './voice-note-player.tsx';
import styles from './voice-notes.module.css';
import { recorderAtom, recordingAtom } from '../base/recordings.ts';

interface VoiceNoteFieldProps {
  /** Key under which the unsent recording is stored. */
  draft: string;
  /** Starts recording at once, because that was the button pressed. */
  atOnce?: boolean;
  /** Passage to store with the recording. */
  about?: Anchored & { private?: boolean };
  /** Called when recording starts. */
  onBegin?: () => void;
}

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

/** Records a voice note, with its level and length, and plays it back before it is sent. */
export function VoiceNoteField({ draft, atOnce = false, about, onBegin }: VoiceNoteFieldProps) {
  const { t } = useTranslation('voice');
  const { player } = useMeeting();
  const key = useRecordingKey(draft);
  const { recording, running, keep } = useRecording(draft);
  const keepAs = useSetAtom(recordingAtom);
  const registerRecorder = useSetAtom(recorderAtom);
  const [recorder] = useState(() => {
    const made = new Recorder();
    // Never unsubscribed: the recorder ends a moment after this field is unmounted.
    made.subscribe(() => registerRecorder(key, made));
    return made;
  });
  useEffect(
    () => recorder.onDone((made) => keepAs(key, { ...made, ...(about && { about }) })),
    [recorder, keepAs, key, about],
  );
  const state = useSyncExternalStore(recorder.subscribe, recorder.now);
  const field = useRef<HTMLDivElement>(null);
  const begin = () => {
    if (running) return;
    // The microphone would pick up the playback.
    player.pause();
    onBegin?.();
    void recorder.start();
  };
  const beginAtOnce = useEffectEvent(() => {
    if (atOnce && !recording) begin();
  });
  useEffect(() => {
    beginAtOnce();
    return recorder.leave;
  }, [recorder]);
  const busy = state.is === 'asking' || state.is === 'recording';
  useEscape(busy, recorder.leave);
  // Each step replaces the focused element, so the focus moves to its successor.
  const step = recording ? 'recorded' : state.is;
  const before = useRef(step);
  useEffect(() => {
    const next = step === 'recorded' ? '[role=group]' : 'button';
    if (before.current !== step || step === 'recording') field.current?.querySelector<HTMLElement>(next)?.focus();
    before.current = step;
  }, [step]);

  if (recording)
    return (
      <div ref={field} className={styles.field}>
        <VoiceNotePlayer src={recording.blob} what={t('own')} ms={recording.ms} />
        <IconButton label={t('discard')} icon={<IconTrash {...icon} />} onClick={() => keep(null)} />
      </div>
    );
  if (state.is === 'recording')
    return (
      <div ref={field} className={styles.field} role="group" aria-label={t('recording')}>
        <Button look="primary" icon={<IconPlayerStop {...icon} />} onClick={() => recorder.stop()}>
          {t('stop')}
        </Button>
        <RecordingDot on />
        <span className={styles.time} role="timer">
          {clockTime(state.ms)}
        </span>
        <LevelMeter label={t('level')} className={styles.level} source={recorder} />
        <IconButton label={t('discard')} icon={<IconTrash {...icon} />} onClick={recorder.cancel} />
      </div>
    );
  return (
    <div ref={field} className={styles.field}>
      <Button look="quiet" busy={state.is === 'asking'} icon={<IconMicrophone {...icon} />} onClick={begin}>
        {t(state.is === 'failed' ? 'again' : 'record')}
      </Button>
      {state.is === 'asking' && (
        <p className={styles.note} role="status">
          {t('asking')}
        </p>
      )}
      {state.is === 'failed' && (
        <p className={styles.error} role="alert">
          {t(`failed.${state.why}`)}
        </p>
      )}
    </div>
  );
}
