import { atom } from 'jotai';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { Command } from './commands.ts';

/** What somebody wrote or spoke and the server refused. */
interface Lost {
  meeting: string;
  command: Command;
  /** It is found again over a reload. */
  kept: boolean;
}

const lost = atom<readonly Lost[]>([]);

/** It stays until they have tried again, or let it go. What this browser cannot keep counts as being nowhere else. */
export const refusedAtom = atom(
  (get) => get(lost),
  (get, set, change: (before: readonly Lost[]) => readonly Lost[]) => {
    set(lost, change(get(lost)));
    set(reportOnlyHereAtom, 'lost', get(lost).filter(({ kept }) => !kept).length);
  },
);

/** Each stands there once, as it is known last. */
export const withRefused = (
  before: readonly Lost[],
  meeting: string,
  commands: readonly Command[],
  kept: boolean,
): Lost[] => {
  const ids = new Set(commands.map(({ id }) => id));
  return [
    ...before.filter(({ command }) => !ids.has(command.id)),
    ...commands.map((command) => ({ meeting, command, kept })),
  ];
};

/** Those that are still there are kept now. */
export const nowStored = (before: readonly Lost[], commands: readonly Command[]): Lost[] =>
  before.map((one) => (commands.includes(one.command) ? { ...one, kept: true } : one));
