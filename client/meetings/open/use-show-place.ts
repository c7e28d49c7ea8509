import { useSetAtom } from 'jotai';

import { useMeeting } from './meeting-context.ts';
import { viewAtom } from './view.ts';
import { fromFlat } from '../text/flat.ts';
import { useOpenText } from './open-text.ts';
import { reveal } from '../text/paint.ts';

/** Brings a place of the text before eyes, and its moment before ears; `at` is asked for once the text is shown. */
export function useShowPlace(): (ms: number, at: () => number | null) => void {
  const { player, speakers, words } = useMeeting();
  const open = useOpenText();
  const show = useSetAtom(viewAtom);
  return (ms, at) => {
    show('transcript');
    // The text is found on the screen only where it is shown, and above a pane that has opened.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        player.seek(ms, 'quiet');
        const place = at();
        if (place === null || !open || open.editor.view.isDestroyed) return;
        const { segments, starts } = words.reading();
        const segment = segments[starts.findLastIndex((start) => start <= place)];
        const speaker = segment && words.speaker(segment);
        if (speaker !== undefined && speakers.now().hidden.has(speaker)) speakers.hide(speaker, false);
        reveal(open.editor.view, fromFlat(open.editor.state.doc, place));
      }),
    );
  };
}
