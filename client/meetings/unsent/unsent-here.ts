import { atom } from 'jotai';

import { plainOf } from '#shared/meetings/rich-text.ts';

import { draftAtom, draftHomesAtom, draftsAtom, newKey } from '../annotations/comments/drafts.ts';
import { wordsOf } from '../annotations/base/commands.ts';
import { refusedAtom } from '../annotations/base/refused-commands.ts';
import { privateChoiceAtom } from '../annotations/base/private-choice.ts';
import { takenPointsAtom } from '../annotations/summary/taken-points.ts';
import { recordingAtom, recordingsAtom, voiceOf } from '../annotations/base/recordings.ts';
import type { UnsentWords } from '../live/room.ts';

// Words begun in a recording that exist only in this page's memory, collected for screens without its panes.

/** Recording keys start with the meeting's id. */
const isOf = (meeting: string) => (key: string) => key.startsWith(`${meeting} `);

const draftsOf = atom((get) => (meeting: string): string[] => {
  const homes = get(draftHomesAtom);
  return [...get(draftsAtom).keys()].filter((key) => key === newKey(meeting) || homes.get(key)?.meeting === meeting);
});

/** Unsent words by kind, as the page of a closed recording lists them. */
export const unsentHereAtom = atom((get) => (meeting: string): UnsentWords[] => {
  const [drafts, recordings] = [get(draftsAtom), get(recordingsAtom)];
  // Commands stored in the browser are listed by useUnsent.
  const refused = get(refusedAtom).flatMap((one) => (one.meeting === meeting && !one.kept ? one.command : []));
  const written = get(draftsOf)(meeting).map((key) => plainOf(drafts.get(key) ?? ''));
  const text = [...written, ...refused.map(wordsOf)].filter((words) => words !== '').join('\n\n');
  const voiceNotes = [
    ...[...recordings].flatMap(([key, { blob }]) => (isOf(meeting)(key) ? blob : [])),
    ...refused.flatMap((command) => voiceOf(command) ?? []),
  ];
  const points = get(takenPointsAtom).filter((point) => point.meeting === meeting);
  return [
    ...(text !== '' || voiceNotes.length > 0
      ? [{ why: 'access', of: 'said', text, voices: voiceNotes, generation: null } as const]
      : []),
    ...(points.length > 0
      ? [
          {
            why: 'deleted',
            of: 'point',
            text: points.map((point) => point.text).join('\n\n'),
            generation: null,
          } as const,
        ]
      : []),
  ];
});

/** Discards the words of one kind, once their author has copied them. */
export const discardUnsentHereAtom = atom(null, (get, set, meeting: string, of: UnsentWords['of']) => {
  if (of === 'point') return set(takenPointsAtom, (all) => all.filter((point) => point.meeting !== meeting));
  for (const key of get(draftsOf)(meeting)) {
    set(draftAtom, key, null);
    set(privateChoiceAtom, key, null);
  }
  for (const key of [...get(recordingsAtom).keys()].filter(isOf(meeting))) set(recordingAtom, key, null);
  set(refusedAtom, (all) => all.filter((one) => one.meeting !== meeting || one.kept));
});
