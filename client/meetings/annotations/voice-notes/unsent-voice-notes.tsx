import { IconCopy, IconMessage2Plus, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';

import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { wordsOf, type Command, type CommandKind } from '../base/commands.ts';
import { refusedAtom } from '../base/refused-commands.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { chosenAtom, annotationsAtom, useAnnotations } from '../base/open-annotations.ts';
import { usePrivateChoice } from '../base/private-choice.ts';
import { threadsOf } from '../base/threads.ts';
import { useAsking } from '../base/use-asking.ts';
import { VoiceNotePlayer } from './voice-note-player.tsx';
import styles from './voice-notes.module.css';
import { recordingAtom, recordingsAtom, orphanedReplies, voiceOf, type UnsentVoiceNote } from '../base/recordings.ts';

/** Refused annotations with words, and voice notes, of a kind, to send again or to discard. */
export function UnsentVoiceNotes({ kind }: { kind: CommandKind }) {
  const { id } = useMeeting().about;
  const refused = useAtomValue(refusedAtom).filter(({ meeting, command }) => meeting === id && command.kind === kind);
  return (
    <>
      {refused.map(({ command, kept }) => (
        <RefusedCommand key={command.id} command={command} kept={kept} />
      ))}
      {kind === 'comment' && <OrphanedReplies />}
    </>
  );
}

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

function RefusedCommand({ command, kept }: { command: Command; kept: boolean }) {
  const { t } = useTranslation(['voice', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const setRefused = useSetAtom(refusedAtom);
  const voice = voiceOf(command);
  const words = wordsOf(command);
  const [leaving, setLeaving] = useState(false);
  // Shown until it is gone from the browser: a reload must not bring back what the page no longer shows.
  const leave = async (discarded: Promise<boolean>) => {
    setLeaving(true);
    if ((await discarded) || !kept) setRefused((all) => all.filter((one) => one.command !== command));
    else setLeaving(false);
  };
  const title =
    voice && command.kind !== 'grade'
      ? t(`notAdded.${command.kind}`)
      : t(
          command.kind === 'grade'
            ? 'annotations:refused.grade.change'
            : `annotations:refused.${command.kind}.${command.do}`,
        );
  return (
    <div className={styles.lost} role="group" aria-label={title}>
      <p className={styles.error}>{title}</p>
      <p className={styles.note}>{voice ? t('lost') : t('annotations:refused.kept')}</p>
      {words !== '' && <p className={styles.words}>{words}</p>}
      {voice && <VoiceNotePlayer src={voice} what={t('own')} />}
      <div className={styles.field}>
        <Button
          look="primary"
          icon={<IconRefresh {...icon} />}
          disabled={!items}
          busy={leaving}
          onClick={() => items && void leave(items.again(command))}
        >
          {t('again')}
        </Button>
        {words !== '' && (
          <Button
            icon={<IconCopy {...icon} />}
            onClick={() => void navigator.clipboard.writeText(words).catch(() => {})}
          >
            {t('annotations:refused.copy')}
          </Button>
        )}
        <Button
          look="quiet"
          icon={<IconTrash {...icon} />}
          disabled={!items}
          busy={leaving}
          onClick={() => items && void leave(items.queue.discard(command))}
        >
          {t(voice ? 'discard' : 'annotations:refused.discard')}
        </Button>
      </div>
    </div>
  );
}

/** Voice replies to threads deleted while they were recorded, which no card shows. */
function OrphanedReplies() {
  const { id } = useMeeting().about;
  const view = useAnnotations();
  const recordings = useAtomValue(recordingsAtom);
  if (!view?.ready || recordings.size === 0) return null;
  const threadIds = new Set(threadsOf(view.comment).map(({ root }) => root.id));
  return orphanedReplies(recordings, id, (comment) => threadIds.has(comment)).map(([key, answer]) => (
    <OrphanedReply key={key} voice={key} spoken={answer} />
  ));
}

function OrphanedReply({ voice, spoken }: { voice: string; spoken: UnsentVoiceNote }) {
  const { t } = useTranslation(['voice', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const keep = useSetAtom(recordingAtom);
  const choose = useSetAtom(chosenAtom);
  const asking = useAsking();
  const { about } = spoken;
  // Choice of "only me" of the reply; shared with its written draft, which is listed separately.
  const [alone, keepAlone] = usePrivateChoice(voice.slice(voice.indexOf('reply ')), true);
  const ownOnly = !mayAdd(asking, false);
  const add = () => {
    if (!items || !about) return;
    const { anchor, start, end, quote } = about;
    const begun = items.begin({ anchor, start, end, quote }, ownOnly || alone);
    const item = { ...begun, parent: null, text: '', resolved: null, url: null };
    items.do('comment', begun.id, { do: 'add', item, voice: spoken.blob });
    keep(voice, null);
    choose({ kind: 'comment', id: begun.id });
  };
  return (
    <div className={styles.lost} role="group" aria-label={t('answeredGone')}>
      <p className={styles.error}>{t('answeredGone')}</p>
      <p className={styles.note}>{t('answerKept')}</p>
      {about && about.quote !== '' && <p className={styles.words}>{about.quote}</p>}
      <VoiceNotePlayer src={spoken.blob} what={t('own')} ms={spoken.ms} />
      {ownOnly ? (
        <p className={styles.note}>{t('annotations:private')}</p>
      ) : (
        <CheckField label={t('onlyMe')} checked={alone} onChange={keepAlone} />
      )}
      <div className={styles.field}>
        <Button
          look="primary"
          icon={<IconMessage2Plus {...icon} />}
          disabled={!about || !mayAdd(asking, true)}
          onClick={add}
        >
          {t('add')}
        </Button>
        <Button look="quiet" icon={<IconTrash {...icon} />} onClick={() => keep(voice, null)}>
          {t('discard')}
        </Button>
      </div>
    </div>
  );
}
