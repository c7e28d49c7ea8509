import { atom } from 'jotai';

import { plainOf } from '#shared/meetings/rich-text.ts';

import { draftAtom, draftHomesAtom, draftsAtom, newKey } from '../annotations/comments/drafts.ts';
import { wordsOf } from '../annotations/base/commands.ts';
import { refusedAtom } from '../annotations/base/refused-commands.ts';
import { privateChoiceAtom } from '../annotations/base/private-choice.ts';
import { takenPointsAtom } from '../annotations/summary/taken-points.ts';
import { recordingAtom, recordingsAtom, voiceOf } from '../annotations/base/recordings.ts';
import type { UnsentWords } from '../live/room.ts';

// What somebody has begun in a recording and is nowhere but on this page, for when no pane of it stands any more.

/** Of which recording what is spoken is. */
const isOf = (meeting: string) => (key: string) => key.startsWith(`${meeting} `);

const draftsOf = atom((get) => (meeting: string): string[] => {
  const homes = get(draftHomesAtom);
  return [...get(draftsAtom).keys()].filter((key) => key === newKey(meeting) || homes.get(key)?.meeting === meeting);
});

/** As a closed door shows it. */
export const leftHereAtom = atom((get) => (meeting: string): UnsentWords[] => {
  const [drafts, spoken] = [get(draftsAtom), get(recordingsAtom)];
  // What the browser keeps is found there.
  const lost = get(refusedAtom).flatMap((one) => (one.meeting === meeting && !one.kept ? one.command : []));
  const written = get(draftsOf)(meeting).map((key) => plainOf(drafts.get(key) ?? ''));
  const text = [...written, ...lost.map(wordsOf)].filter((words) => words !== '').join('\n\n');
  const voices = [
    ...[...spoken].flatMap(([key, { blob }]) => (isOf(meeting)(key) ? blob : [])),
    ...lost.flatMap((command) => voiceOf(command) ?? []),
  ];
  const points = get(takenPointsAtom).filter((point) => point.meeting === meeting);
  return [
    ...(text !== '' || voices.length > 0
      ? [{ why: 'access', of: 'said', text, voices, generation: null } as const]
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

/** Whoever has their words lets them go. */
export const letHereGoAtom = atom(null, (get, set, meeting: string, of: UnsentWords['of']) => {
  if (of === 'point') return set(takenPointsAtom, (all) => all.filter((point) => point.meeting !== meeting));
  for (const key of get(draftsOf)(meeting)) {
    set(draftAtom, key, null);
    set(privateChoiceAtom, key, null);
  }
  for (const key of [...get(recordingsAtom).keys()].filter(isOf(meeting))) set(recordingAtom, key, null);
  set(refusedAtom, (all) => all.filter((one) => one.meeting !== meeting || one.kept));
});
