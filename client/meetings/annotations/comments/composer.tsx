import { IconLock } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Anchored } from '#shared/meetings/anchors.ts';
import { longestRichText } from '#shared/meetings/rich-text.ts';
import { setPresence } from '#sync/client/presence.ts';

import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { useAnnotationRoom } from '../base/open-annotations.ts';
import { usePrivateChoice } from '../base/private-choice.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useRecording } from '../voice-notes/use-recording.ts';
import { VoiceNoteField } from '../voice-notes/voice-note-field.tsx';
import styles from './comments-pane.module.css';
import { draftAtom, draftsAtom, fieldAtom } from './drafts.ts';
import RichEditor from './rich-editor.tsx';
import { useMentioned } from './use-mentioned.ts';

interface ComposerProps {
  /** Under which what is begun is kept. */
  draft: string;
  label: string;
  send: string;
  /** What stands there already. */
  initial?: string;
  /** The talk it belongs to, for others to see that somebody writes in it. */
  thread?: string;
  /** Whether it may be kept to oneself; `always` where nothing else is allowed, `no` where that was said before. */
  own: 'may' | 'always' | 'no';
  /** Whether it may be spoken, too. */
  speaks?: boolean;
  /** What is answered or changed: kept with what is begun, as it may be gone before that is sent. */
  about?: Anchored & { private: boolean };
  /** Whether it says something without words as well. */
  mayBeEmpty?: boolean;
  onSend: (text: string, own: boolean, voice: Blob | null) => void;
  onCancel: () => void;
}

/** Somebody writes until they have not for so long. */
const typingFor = 2_000;

export function Composer({
  draft,
  label,
  send,
  initial = '',
  thread,
  own,
  speaks = false,
  about,
  mayBeEmpty = false,
  onSend,
  onCancel,
}: ComposerProps) {
  const { t } = useTranslation(['comments', 'common', 'annotations']);
  const kept = useAtomValue(draftsAtom).get(draft);
  const keep = useSetAtom(draftAtom);
  const meeting = useMeeting().about.id;
  const stands = useSetAtom(fieldAtom);
  useEffect(() => {
    stands(draft, true);
    return () => stands(draft, false);
  }, [stands, draft]);
  const [text, setText] = useState<string | null>(kept ?? (initial === '' ? null : initial));
  const { recording, running, keep: keepRecording } = useRecording(`comment ${draft}`);
  const [alone, keepAlone] = usePrivateChoice(draft, kept !== undefined || recording !== null || running !== null);
  const people = useMentioned();
  const isOwn = own === 'always' || (own === 'may' && alone);
  // Words stay as private as their field was, also where more is allowed by the time they are sent.
  const keepOwn = () => {
    if (own !== 'no') keepAlone(isOwn);
  };
  // What nobody else will read, nobody is told of.
  const typing = useTyping(thread, !isOwn);
  const tooLong = text !== null && text.length > longestRichText;
  const leave = () => {
    typing(false);
    keep(draft, null);
    keepAlone(null);
    if (recording || running) keepRecording(null);
  };
  // What is still being spoken would not go with it.
  const isReady = !running && (text !== null || recording !== null || mayBeEmpty) && !tooLong;
  const done = () => {
    if (!isReady) return;
    leave();
    onSend(text ?? '', isOwn, recording?.blob ?? null);
  };
  const cancel = () => {
    leave();
    onCancel();
  };
  const escape = () => {
    if (running) running.leave();
    else if (!recording && (text === null || text === initial)) cancel();
    else onCancel();
  };
  return (
    <div className={styles.composer}>
      <RichEditor
        label={label}
        initial={kept ?? initial}
        onChange={(next) => {
          setText(next);
          keepOwn();
          keep(draft, next, about ? { meeting, about } : null);
          typing(next !== null);
        }}
        onSubmit={done}
        onEscape={escape}
        people={people}
      />
      {tooLong && (
        <p className={styles.error} role="alert">
          {t('tooLong')}
        </p>
      )}
      {speaks && <VoiceNoteField draft={`comment ${draft}`} onBegin={keepOwn} {...(about && { about })} />}
      {own === 'may' && <CheckField label={t('onlyMe')} checked={alone} onChange={keepAlone} />}
      {own === 'always' && (
        <p className={styles.note}>
          <IconLock size={14} stroke={1.5} aria-hidden="true" />
          {t('annotations:private')}
        </p>
      )}
      <div className={styles.send}>
        <Button look="quiet" onClick={cancel}>
          {t('common:cancel')}
        </Button>
        <Button look="primary" disabled={!isReady} onClick={done}>
          {send}
        </Button>
      </div>
    </div>
  );
}

/** Tells the others in the room that somebody writes, and in which talk. */
function useTyping(thread: string | undefined, told: boolean): (typing: boolean) => void {
  const awareness = useAnnotationRoom('comment')?.awareness;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const say = (typing: boolean) => {
    if (!awareness || awareness.getLocalState() === null) return;
    setPresence(awareness, { typing, pane: typing && thread !== undefined ? `comments:${thread}` : 'comments' });
  };
  const latest = useRef(say);
  useEffect(() => {
    latest.current = say;
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      latest.current(false);
    },
    [],
  );
  return (typing) => {
    clearTimeout(timer.current);
    if (!told) return;
    say(typing);
    if (typing) timer.current = setTimeout(() => latest.current(false), typingFor);
  };
}
