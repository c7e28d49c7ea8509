import type { Command } from '@tiptap/pm/state';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import { useMeeting } from '../open/meeting-context.ts';
import { largeSkip, smallSkip } from '../sound/player.ts';
import { useOpenText } from '../open/open-text.ts';
import { mergeSentencesBackward, splitSentences } from '../text/sentence-keys.ts';
import { useSentences } from '../open/use-sentences.ts';
import { actionsAtom, useAction } from '../base/actions.ts';
import { keymapAtom } from '../base/stored-shortcuts.ts';
import { KeySheet } from './key-sheet.tsx';
import { listen } from '../base/listen.ts';

/** Handles the page's keyboard shortcuts, and the actions that need only the player or the caret. */
export function Keys() {
  const actions = useAtomValue(actionsAtom);
  const keymap = useAtomValue(keymapAtom);
  const now = useEffectEvent(() => keymap);
  useEffect(() => listen(actions, () => now()), [actions]);
  useSoundActions();
  useTextActions();
  const [sheet, setSheet] = useState(false);
  useAction('sheet', () => setSheet(!sheet), { inDialogs: sheet });
  return <KeySheet opened={sheet} onClose={() => setSheet(false)} />;
}

function useSoundActions(): void {
  const { player } = useMeeting();
  const sound = player.medium !== null;
  useAction('play', sound ? () => player.toggle() : null);
  useAction('back', sound ? () => player.skip(-smallSkip) : null);
  useAction('forward', sound ? () => player.skip(smallSkip) : null);
  useAction('backMore', sound ? () => player.skip(-largeSkip) : null);
  useAction('forwardMore', sound ? () => player.skip(largeSkip) : null);
  useAction('slower', sound ? () => player.changeRate(-1) : null);
  useAction('faster', sound ? () => player.changeRate(1) : null);
}

/** Split and merge for the bar above a phone's keyboard; the editor handles Enter and Backspace itself. */
function useTextActions(): void {
  const { live } = useMeeting();
  const open = useOpenText();
  const sentences = useSentences();
  const command = (run: Command) => () => {
    const view = open?.editor.view;
    return view !== undefined && run(view.state, view.dispatch);
  };
  const can = open !== null && live.editable;
  useAction('split', can ? command(splitSentences(sentences)) : null);
  useAction('merge', can ? command(mergeSentencesBackward(sentences)) : null);
}
