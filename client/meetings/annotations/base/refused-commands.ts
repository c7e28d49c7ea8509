import { atom } from 'jotai';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { UnsentSource } from '../../base/unsent-source.ts';
import { wordsOf, type Command } from './commands.ts';
import { voiceOf } from './recordings.ts';

/** Command with content that the server refused. */
interface Refused {
  meeting: string;
  command: Command;
  /** Stored in this browser, so it outlasts a reload. */
  kept: boolean;
}

const refused = atom<readonly Refused[]>([]);

/** Refused commands, until they are sent again or discarded. Those that could not be stored count as unsaved. */
export const refusedAtom = atom(
  (get) => get(refused),
  (get, set, change: (before: readonly Refused[]) => readonly Refused[]) => {
    set(refused, change(get(refused)));
    set(reportOnlyHereAtom, 'lost', get(refused).filter(({ kept }) => !kept).length);
  },
);

/** Adds refused commands; a known one is replaced. */
export const withRefused = (
  before: readonly Refused[],
  meeting: string,
  commands: readonly Command[],
  kept: boolean,
): Refused[] => {
  const ids = new Set(commands.map(({ id }) => id));
  return [
    ...before.filter(({ command }) => !ids.has(command.id)),
    ...commands.map((command) => ({ meeting, command, kept })),
  ];
};

/** Marks commands as stored, unless they were discarded meanwhile. */
export const nowStored = (before: readonly Refused[], commands: readonly Command[]): Refused[] =>
  before.map((one) => (commands.includes(one.command) ? { ...one, kept: true } : one));

/** Commands stored in this browser are listed by useUnsent instead. */
export const unsentRefusals: UnsentSource = {
  of: 'said',
  inMeeting: atom(
    (get) => (meeting: string) =>
      get(refused)
        .filter((one) => one.meeting === meeting && !one.kept)
        .map(({ command }) => ({ text: wordsOf(command), voiceNote: voiceOf(command) }))
        .filter(({ text, voiceNote }) => text !== '' || voiceNote !== null),
  ),
  discard: atom(null, (_, set, meeting: string) => {
    set(refusedAtom, (all) => all.filter((one) => one.meeting !== meeting || one.kept));
  }),
};
