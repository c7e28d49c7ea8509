import { atom, useSetAtom } from 'jotai';

import { useMeeting } from './meeting-context.ts';

export type View = 'transcript' | 'tags' | 'analytics';

/** View shown in the middle of the page. */
export const viewAtom = atom<View>('transcript');

/** Goes to a time of the recording in any view; shows the given speaker if hidden. */
export function useGoTo(): (ms: number, speaker?: string) => void {
  const { player, speakers } = useMeeting();
  const show = useSetAtom(viewAtom);
  return (ms, speaker) => {
    show('transcript');
    if (speaker !== undefined && speakers.now().hidden.has(speaker)) speakers.hide(speaker, false);
    // Positions in the text are known only once it is shown.
    requestAnimationFrame(() => player.seek(ms));
  };
}
