import { useAtom, useAtomValue, useSetAtom } from 'jotai';

import { voiceNotes } from '#shared/meetings/outcome-types.ts';

import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { chosenAtom, annotationsAtom, speakingAtom } from '../base/open-annotations.ts';
import { usePrivateChoice } from '../base/private-choice.ts';
import { Quote } from '../base/quote.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { useRecording, voiceNote } from './use-recording.ts';
import { VoiceNoteField } from './voice-note-field.tsx';
import styles from './voice-notes.module.css';

/** Records a voice note about the chosen passage. */
export function NewVoiceNote({ ownOnly }: { ownOnly: boolean }) {
  const { t } = useTranslation(['voice', 'common', 'annotations']);
  const { about, player, layer } = useMeeting();
  const items = useAtomValue(annotationsAtom);
  const [speaking, speak] = useAtom(speakingAtom);
  const { recording, running, keep } = useRecording(voiceNote);
  const choose = useSetAtom(chosenAtom);
  const [alone, keepAlone] = usePrivateChoice(`${voiceNote} ${about.id}`, recording !== null || running !== null);
  // In an assessment nothing is private.
  const own = layer === null && (ownOnly || alone);
  const open = useOpenText();
  // A recorded voice note keeps its passage.
  const stretch = recording?.about ?? speaking?.stretch;
  if (!items || !stretch) return null;
  const leave = () => {
    keep(null);
    keepAlone(null);
    speak(null);
    if (speaking?.resume) player.play(undefined, 'quiet');
    open?.view.focus();
  };
  const add = () => {
    if (!recording) return;
    const begun = items.begin(stretch, own);
    items.do('outcome', begun.id, {
      do: 'add',
      item: {
        ...begun,
        type: voiceNotes.id,
        text: '',
        children: [],
        grade: null,
        automatic: false,
        wasAutomatic: false,
        url: null,
      },
      voice: recording.blob,
    });
    choose({ kind: 'outcome', id: begun.id });
    leave();
  };
  return (
    <div className={styles.new}>
      <Quote item={items.begin(stretch, true)} place={undefined} onGo={() => open?.editor.commands.focus()} />
      <VoiceNoteField draft={voiceNote} atOnce about={stretch} onBegin={() => keepAlone(own)} />
      {ownOnly && <p className={styles.note}>{t('annotations:private')}</p>}
      {!ownOnly && layer === null && <CheckField label={t('onlyMe')} checked={alone} onChange={keepAlone} />}
      <div className={styles.send}>
        <Button look="quiet" onClick={leave}>
          {t('common:cancel')}
        </Button>
        <Button look="primary" disabled={!recording} onClick={add}>
          {t('add')}
        </Button>
      </div>
    </div>
  );
}
