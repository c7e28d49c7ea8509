import { atom } from 'jotai';

import { unsentDrafts } from '../annotations/comments/drafts.ts';
import { unsentVoiceNotes } from '../annotations/base/recordings.ts';
import { unsentRefusals } from '../annotations/base/refused-commands.ts';
import { unsentPoints } from '../annotations/summary/taken-points.ts';
import type { UnsentSource } from '../base/unsent-source.ts';
import type { UnsentWords } from '../live/room.ts';

// Words begun in a recording that exist only in this page's memory, collected for screens without its panes.

/** Everything that can be unsent; a capability that holds words of its own adds its source here. */
const sources: readonly UnsentSource[] = [unsentDrafts, unsentVoiceNotes, unsentRefusals, unsentPoints];

const kinds = [
  { of: 'said', why: 'access' },
  { of: 'point', why: 'deleted' },
] as const;

/** Unsent words by kind, as the page of a closed recording lists them. */
export const unsentHereAtom = atom(
  (get) =>
    (meeting: string): UnsentWords[] =>
      kinds.flatMap(({ of, why }) => {
        const entries = sources
          .filter((source) => source.of === of)
          .flatMap(({ inMeeting }) => get(inMeeting)(meeting));
        const text = entries.flatMap((entry) => (entry.text === '' ? [] : entry.text)).join('\n\n');
        const voices = entries.flatMap(({ voiceNote }) => voiceNote ?? []);
        return entries.length > 0 ? [{ why, of, text, voices, generation: null }] : [];
      }),
);

/** Discards the words of one kind, once their author has copied them. */
export const discardUnsentHereAtom = atom(null, (_, set, meeting: string, of: UnsentWords['of']) => {
  for (const source of sources) if (source.of === of) set(source.discard, meeting);
});
