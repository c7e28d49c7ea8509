import type { Command } from '@tiptap/pm/state';
import { useEffect, useState } from 'react';

import { useMeeting } from '../open/meeting-context.ts';
import { useOpenText } from '../open/open-text.ts';
import { takeCaret } from '../text/caret.ts';
import { mergeSentencesBackward, splitSentences } from '../text/sentence-keys.ts';
import { useSentences } from '../open/use-sentences.ts';
import { useAction } from '../base/actions.ts';
import { useShortcuts } from '../base/use-shortcuts.ts';
import { KeySheet } from './key-sheet.tsx';
import { placeOf } from '../base/listen.ts';
import { undoKeyOf } from '../base/undo-key.ts';

/** Handles the page's keyboard shortcuts, and the actions that need only the player or the caret. */
export function Keys() {
  const { text } = useMeeting();
  useShortcuts(() => {
    const open = text.now();
    if (open) takeCaret(open.view);
  });
  useSoundActions();
  useTextActions();
  useUndoKeys();
  const [sheet, setSheet] = useState(false);
  useAction('sheet', () => setSheet(!sheet), { inDialogs: sheet });
  return <KeySheet opened={sheet} onClose={() => setSheet(false)} />;
}

function useSoundActions(): void {
  const { player } = useMeeting();
  const sound = player.medium !== null;
  // Without sound, too: the press is answered with the reason.
  useAction('play', () => player.toggle());
  useAction('back', sound ? () => player.jumpBy('short', -1) : null);
  useAction('forward', sound ? () => player.jumpBy('short', 1) : null);
  useAction('backMore', sound ? () => player.jumpBy('long', -1) : null);
  useAction('forwardMore', sound ? () => player.jumpBy('long', 1) : null);
  useAction('slower', sound ? () => player.changeRate(-1) : null);
  useAction('faster', sound ? () => player.changeRate(1) : null);
}

/** Split and merge for the bar above a phone's keyboard; the editor handles Enter and Backspace itself. */
function useTextActions(): void {
  const { live } = useMeeting();
  const open = useOpenText();
  const sentences = useSentences();
  const command = (run: Command) => () => {
    const view = open?.view;
    return view !== undefined && run(view.state, view.dispatch);
  };
  const can = open !== null && live.editable;
  useAction('split', can ? command(splitSentences(sentences)) : null);
  useAction('merge', can ? command(mergeSentencesBackward(sentences)) : null);
}

/**
 * Undo and redo of the text from anywhere but fields, which have their own. Left to the browser, the press would undo
 * what was last typed in any field of the page.
 */
function useUndoKeys(): void {
  const { live } = useMeeting();
  const open = useOpenText();
  const { editable } = live;
  useEffect(() => {
    if (!open || !editable) return;
    const press = (event: KeyboardEvent) => {
      const which = undoKeyOf(event);
      if (!which || event.defaultPrevented || placeOf(event.target) !== 'page') return;
      const { dom } = open.view;
      // The person must see the change, so nothing happens while a tab, a past version or a dialog hides the text.
      const hidden = dom.offsetParent === null || dom.closest('[inert]') !== null;
      if (hidden || document.querySelector('[aria-modal="true"], dialog[open]')) return;
      event.preventDefault();
      open.binding[which]();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [open, editable]);
}
