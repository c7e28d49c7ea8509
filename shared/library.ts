import { bidi, controls } from './email.ts';
import type { Permission } from './roles.ts';

/** What a list of meetings may be sorted by; with a minus before it, the other way round. */
export const meetingOrders = ['title', 'owner', 'updatedAt', 'duration', 'words'] as const;
export type MeetingOrder = (typeof meetingOrders)[number];
export type MeetingSort = MeetingOrder | `-${MeetingOrder}`;

/** What was worked on last is looked for first. */
export const defaultOrder: MeetingSort = '-updatedAt';
export const pageSizes = { table: 20, tile: 9 } as const;

/** As many recordings as one may say something of at once: a whole page, however large. */
export const mostAtOnce = 100;

// ---- Folders -----------------------------------------------------------------------------------

/** `most` is how many one may have, `depth` how many may lie in each other. */
export const folderLimits = { name: 100, depth: 10, most: 1000 } as const;
export const longestPath = folderLimits.depth * (folderLimits.name + 1) + 1;

/** What each change takes on a folder that is shared. The shared folder itself is changed by its owner alone. */
export const folderNeeds = {
  add: 'upload',
  rename: 'write',
  move: 'own',
  delete: 'own',
  share: 'own',
} as const satisfies Record<string, Permission>;

/** The library itself, in which everything lies that lies in no folder. */
export const rootPath = '/';

/** The names a path is made of, from the top. */
export const segmentsOf = (path: string): string[] => path.normalize('NFC').split('/').filter(Boolean);
export const pathTo = (segments: readonly string[]): string => rootPath + segments.join('/');

/** As it is kept: one way to write a letter, and no blanks nobody sees. */
export const plainName = (typed: string): string => typed.normalize('NFC').replace(/\s+/gu, ' ').trim();

/** Two names with the same key are the same to whoever reads them. */
export const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase();

/** What is wrong with a name, as the key of its text: it has to be one part of a path, and to look like what it is. */
export function wrongName(name: string): 'required' | 'too_long' | 'folder_name' | null {
  if (name === '') return 'required';
  if (name.length > folderLimits.name) return 'too_long';
  const looksElse = controls.test(name) || bidi.test(name) || /[/\\\u200b\u2060\ufeff]/u.test(name);
  return looksElse || /^\.{1,2}$/.test(name) ? 'folder_name' : null;
}

/** A path as it may be asked for: whether there is such a folder is another question. */
export const isPath = (path: string): boolean =>
  path
    .normalize('NFC')
    .replace(/^\/|\/$/g, '')
    .split('/')
    .every(
      (name, _, all) =>
        (name === '' && all.length === 1) || (wrongName(name) === null && wrongName(plainName(name)) === null),
    );
