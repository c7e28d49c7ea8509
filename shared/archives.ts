import { z } from 'zod';
import { folderPath } from './folders.ts';
import { rootPath } from './library.ts';

// Archives: everything of many recordings in one zip, made in the background for one person.

/** Days for which an archive can be downloaded. */
export const archiveDays = 7;
/** Most recordings of one archive. */
export const mostArchived = 10_000;

const archiveStates = ['waiting', 'ready', 'failed'] as const;
export type ArchiveState = (typeof archiveStates)[number];

export const archiveFailures = ['too_long', 'nothing', 'unexpected'] as const;
export type ArchiveFailure = (typeof archiveFailures)[number];

/** One of three: some recordings, a folder with all below it, or everything in the caller's library. */
export const archiveInput = z
  .object({
    ids: z.array(z.string().max(100, 'too_long')).min(1, 'required').max(mostArchived, 'too_many').optional(),
    folder: folderPath.optional(),
    /** The shared folder that `folder` lies in; `/` is that folder itself. */
    sid: z.string().max(100, 'too_long').nullish(),
    all: z.literal(true, 'invalid').optional(),
  })
  .superRefine(({ ids, folder, sid, all }, { addIssue }) => {
    if (folder === rootPath && !sid) addIssue({ code: 'custom', path: ['folder'], message: 'required' });
    const given = [ids, folder, all].filter((one) => one !== undefined).length;
    if (given === 0) addIssue({ code: 'custom', path: ['ids'], message: 'required' });
    if (given > 1) addIssue({ code: 'custom', path: [ids === undefined ? 'folder' : 'ids'], message: 'invalid' });
  });
export type ArchiveInput = z.infer<typeof archiveInput>;

export const archiveView = z.strictObject({
  id: z.string(),
  state: z.enum(archiveStates),
  /** Name of the folder; null for everything or for single recordings. */
  folder: z.string().nullable(),
  /** Number of recordings that were asked for. */
  recordings: z.number().int(),
  /** Number of those that are done, with those that are left out. */
  done: z.number().int(),
  /** Number of those that are left out, because the caller may no longer read them or they could not be read. */
  missing: z.number().int(),
  /** Null until the archive is ready. */
  bytes: z.number().int().nullable(),
  createdAt: z.string(),
  /** Until when it can be downloaded; null until it is ready. */
  until: z.string().nullable(),
  failure: z.enum(archiveFailures).nullable(),
});
export type ArchiveView = z.infer<typeof archiveView>;

export const archivesAnswer = z.strictObject({ archives: z.array(archiveView) });
export type ArchivesAnswer = z.infer<typeof archivesAnswer>;
