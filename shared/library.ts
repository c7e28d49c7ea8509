import { bidi, controls } from './email.ts';
import type { Permission } from './roles.ts';

/** Sort orders of the list of recordings; a leading minus reverses one. `date` is when a recording was added. */
export const meetingOrders = ['title', 'owner', 'updatedAt', 'date', 'duration', 'words'] as const;
/** Those of a search, whose best results `relevance` puts first. */
export const searchOrders = [...meetingOrders, 'relevance'] as const;
export type MeetingOrder = (typeof searchOrders)[number];
export type MeetingSort = MeetingOrder | `-${MeetingOrder}`;

/** Most recently changed first. */
export const defaultOrder: MeetingSort = '-updatedAt';
export const pageSizes = { table: 20, tile: 9 } as const;

/** Most recordings in one request: a whole page of any size. */
export const mostAtOnce = 100;

// ---- Folders ------------------------------------------------------------------------------------

/** `most`: folders of a person; `depth`: levels of nesting. */
export const searchLimits = { name: 100, most: 50 } as const;
export const folderLimits = { name: 100, depth: 10, most: 1000 } as const;
export const longestPath = folderLimits.depth * (folderLimits.name + 1) + 1;

/** Permission that each change of a shared folder needs. The shared folder itself can only be changed by its owner. */
export const folderNeeds = {
  add: 'upload',
  rename: 'write',
  move: 'own',
  delete: 'own',
  share: 'own',
  /** Adds to its glossary. */
  teach: 'write',
} as const satisfies Record<string, Permission>;

/** Root of the library, for everything outside folders. */
export const rootPath = '/';

/** Names in a path, from the top. */
export const segmentsOf = (path: string): string[] => path.normalize('NFC').split('/').filter(Boolean);
export const pathTo = (segments: readonly string[]): string => rootPath + segments.join('/');

/** Name in its stored form: NFC, and no hidden blanks. */
export const plainName = (typed: string): string => typed.normalize('NFC').replace(/\s+/gu, ' ').trim();

/** Comparison key: names with the same key look the same to readers. */
export const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Error of a folder name, as the key of its text: a name must be one part of a path, without hidden characters. */
export function wrongName(name: string): 'required' | 'too_long' | 'folder_name' | null {
  if (name === '') return 'required';
  if (name.length > folderLimits.name) return 'too_long';
  const looksElse = controls.test(name) || bidi.test(name) || /[/\\\u200b\u2060\ufeff]/u.test(name);
  return looksElse || /^\.{1,2}$/.test(name) ? 'folder_name' : null;
}

/** Whether a path is well-formed; the folder need not exist. */
export const isPath = (path: string): boolean =>
  path
    .normalize('NFC')
    .replace(/^\/|\/$/g, '')
    .split('/')
    .every(
      (name, _, all) =>
        (name === '' && all.length === 1) || (wrongName(name) === null && wrongName(plainName(name)) === null),
    );
