import { IconTargetArrow } from '@tabler/icons-react';
import { useAtom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';

import { part } from '../../../errors/part.tsx';
import { usePreferences } from '../../../preferences.ts';
import { useNotify } from '../../../store.ts';
import { Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { speakingAtom, taggingAtom, useAnnotations } from '../base/open-annotations.ts';
import { passageToAnnotate } from '../base/selection.ts';
import { useAsking } from '../base/use-asking.ts';
import { useAction } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { useOpenText } from '../../open/open-text.ts';
import { useRecording, voiceNote } from '../voice-notes/use-recording.ts';

const OutcomesPane = part(() => import('./outcomes-pane.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Outcomes pane, and the shortcuts that add an outcome or a voice note. */
export function useOutcomesPane(): Pane {
  const { t } = useTranslation(['outcomes', 'annotations']);
  const { words, player, live } = useMeeting();
  const open = useOpenText();
  const asking = useAsking();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const [tagging, tag] = useAtom(taggingAtom);
  const [speaking, speak] = useAtom(speakingAtom);
  const [{ pauseOnOutcomeSelecting: pauses = true }] = usePreferences();
  const { recording, running } = useRecording(voiceNote);
  const begin = (how: 'outcome' | 'voice') => {
    // An unsent voice note keeps its passage and must be sent or discarded first.
    if (how === 'voice' && (recording || running)) {
      if (recording?.about) speak({ stretch: recording.about, resume: (tagging ?? speaking)?.resume === true });
      tag(null);
      openPane('outcomes');
      return;
    }
    const stretch = open && passageToAnnotate(open, words, player, live.generation);
    if (!stretch) return notify({ type: 'info', message: t('annotations:selectFirst') });
    // Recording a voice note always pauses playback.
    const pausesNow = pauses || how === 'voice';
    const resume = (tagging ?? speaking)?.resume === true || (pausesNow && player.now().playing);
    if (resume) player.pause();
    // Either an outcome or a voice note is being added.
    tag(how === 'outcome' ? { stretch, resume, alone: tagging?.alone } : null);
    speak(how === 'voice' ? { stretch, resume } : null);
    openPane('outcomes');
  };
  // The shortcuts work before the outcomes are loaded; only the pane waits for them.
  const may = open && mayAdd(asking, true);
  useAction('outcome', may ? () => begin('outcome') : null);
  useAction('voice', may ? () => begin('voice') : null);
  // Leaving the recording drops the chosen passage.
  useEffect(
    () => () => {
      tag(null);
      speak(null);
    },
    [tag, speak],
  );
  return {
    id: 'outcomes',
    label: t('title'),
    icon: IconTargetArrow,
    button: 'tab',
    Count: OutcomesCount,
    Content: OutcomesPane,
  };
}

function OutcomesCount() {
  const count = useAnnotations()?.outcome.size ?? 0;
  return count > 0 ? count : null;
}
