import { atom, useSetAtom } from 'jotai';

import { useMeeting } from './meeting-context.ts';

export type View = 'transcript' | 'tags' | 'analytics';

/** What the page shows in its middle. */
export const viewAtom = atom<View>('transcript');

/** Brings a place of the recording before eyes and ears, whatever is shown; of a voice, also where it was hidden. */
export function useGoTo(): (ms: number, speaker?: string) => void {
  const { player, speakers } = useMeeting();
  const show = useSetAtom(viewAtom);
  return (ms, speaker) => {
    show('transcript');
    if (speaker !== undefined && speakers.now().hidden.has(speaker)) speakers.hide(speaker, false);
    // The text is found on the screen only where it is shown.
    requestAnimationFrame(() => player.seek(ms));
  };
}
