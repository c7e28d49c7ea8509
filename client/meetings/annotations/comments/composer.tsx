import { IconLock } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';

import type { Anchored } from '#shared/meetings/anchors.ts';
import { longestRichText } from '#shared/meetings/rich-text.ts';
import { setPresence } from '#sync/client/presence.ts';

import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { useTranslation } from '../../../use-translation.ts';
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
  /** Key of the unsent draft. */
  draft: string;
  label: string;
  send: string;
  /** Text that is being edited. */
  initial?: string;
  /** Id of the thread, so that others see where this person is typing. */
  thread?: string;
  /** Choice of "only me": `always` without permission for shared comments, `no` when editing an existing comment. */
  own: 'may' | 'always' | 'no';
  /** Whether a voice note can be recorded. */
  speaks?: boolean;
  /**
   * Comment that is replied to or edited; stored with the draft, because it may be deleted before the draft is sent.
   */
  about?: Anchored & { private: boolean };
  /** Whether it may be sent without text, as a comment with a voice note. */
  mayBeEmpty?: boolean;
  onSend: (text: string, own: boolean, voice: Blob | null) => void;
  onCancel: () => void;
}

/** Time in milliseconds after the last keystroke until a person no longer counts as typing. */
const typingFor = 2_000;

export function Composer({
  draft,
  label,
  send,
  initial = '',
  thread,
  own: given,
  speaks = false,
  about,
  mayBeEmpty = false,
  onSend,
  onCancel,
}: ComposerProps) {
  const { t } = useTranslation(['comments', 'common', 'annotations']);
  const kept = useAtomValue(draftsAtom).get(draft);
  const keep = useSetAtom(draftAtom);
  const { about: opened, layer } = useMeeting();
  const meeting = opened.id;
  const own = given === 'may' && layer ? 'no' : given;
  const setField = useSetAtom(fieldAtom);
  useEffect(() => {
    setField(draft, true);
    return () => setField(draft, false);
  }, [setField, draft]);
  const [text, setText] = useState<string | null>(kept ?? (initial === '' ? null : initial));
  const { recording, running, keep: keepRecording } = useRecording(`comment ${draft}`);
  const [alone, keepAlone] = usePrivateChoice(draft, kept !== undefined || recording !== null || running !== null);
  const { people, ask } = useMentioned();
  const isOwn = own === 'always' || (own === 'may' && alone);
  // Keeps the privacy of the field, even if shared comments are allowed by the time the draft is sent.
  const keepOwn = () => {
    if (own !== 'no') keepAlone(isOwn);
  };
  // Typing in a private comment is not announced.
  const typing = useTyping(thread, !isOwn);
  const tooLong = text !== null && text.length > longestRichText;
  const leave = () => {
    typing(false);
    keep(draft, null);
    keepAlone(null);
    if (recording || running) keepRecording(null);
  };
  // An unfinished recording would be missing from the comment.
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
    <div className={styles.composer} data-composing="">
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
        onAsk={ask}
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

/** Announces typing, with its thread, to the others in the room. */
function useTyping(thread: string | undefined, told: boolean): (typing: boolean) => void {
  const awareness = useAnnotationRoom('comment')?.awareness;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const announce = (typing: boolean) => {
    if (!awareness || awareness.getLocalState() === null) return;
    setPresence(awareness, { typing, pane: typing && thread !== undefined ? `comments:${thread}` : 'comments' });
  };
  const latest = useRef(announce);
  useEffect(() => {
    latest.current = announce;
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
    announce(typing);
    if (typing) timer.current = setTimeout(() => latest.current(false), typingFor);
  };
}
