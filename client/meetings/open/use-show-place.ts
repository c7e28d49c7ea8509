import { useSetAtom } from 'jotai';

import { useMeeting } from './meeting-context.ts';
import { viewAtom } from './view.ts';
import { fromFlat } from '../text/flat.ts';
import { useOpenText } from './open-text.ts';
import { reveal } from '../text/paint.ts';

/** Shows a position of the text and moves playback there; `at` is called once the text is shown. */
export function useShowPlace(): (ms: number, at: () => number | null) => void {
  const { player, speakers, words } = useMeeting();
  const open = useOpenText();
  const show = useSetAtom(viewAtom);
  return (ms, at) => {
    show('transcript');
    // Waits two frames: positions are known only once the text is shown, and above a pane that has opened.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        player.seek(ms, 'quiet');
        const place = at();
        if (place === null || !open || open.view.isDestroyed) return;
        const { segments, starts } = words.reading();
        const segment = segments[starts.findLastIndex((start) => start <= place)];
        const speaker = segment && words.speaker(segment);
        if (speaker !== undefined && speakers.now().hidden.has(speaker)) speakers.hide(speaker, false);
        reveal(open.view, fromFlat(open.editor.state.doc, place));
      }),
    );
  };
}
