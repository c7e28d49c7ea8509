import { z } from 'zod';
import { permissions } from './roles.ts';
import {
  folderLimits,
  isPath,
  longestPath,
  mostAtOnce,
  pathTo,
  plainName,
  rootPath,
  segmentsOf,
  wrongName,
} from './library.ts';

/** As a folder itself gives it, whichever way it was written. */
export const folderPath = z
  .string('required')
  .max(longestPath, 'too_long')
  .refine(isPath, 'folder_path')
  .transform((path) => pathTo(segmentsOf(path)));
const notTheLibrary = folderPath.refine((path) => path !== rootPath, 'required');

/** Of a folder that somebody shares: the one way to speak of a folder that is not one's own. */
const sid = z.string().max(100, 'too_long').nullish();

const name = z
  .string('required')
  .transform(plainName)
  .superRefine((value, { addIssue }) => {
    const wrong = wrongName(value);
    if (wrong !== null) addIssue(wrong);
  });

export const folderInput = z.object({
  path: notTheLibrary.refine((path) => segmentsOf(path).length <= folderLimits.depth, 'too_deep'),
  sid,
});
export const folderAt = z.object({ path: notTheLibrary, sid });
export const placeAt = z.object({ path: folderPath, sid });
export const renameFolderInput = z.object({ path: notTheLibrary, sid, name });
export const moveFolderInput = z.object({ path: notTheLibrary, sid, dest: folderPath });
export const restoreFolderInput = z.object({ id: z.string('required').min(1, 'required').max(100, 'too_long') });

const ids = z.array(z.string().max(100, 'too_long'), 'required').min(1, 'required').max(mostAtOnce, 'too_many');
export const meetingsInput = z.object({ ids });
export const moveMeetingsInput = z.object({ ids, path: folderPath, sid });

export type FolderAt = z.infer<typeof folderAt>;
export type PlaceAt = z.infer<typeof placeAt>;

export const folderView = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** From the top of one's own library, or below the folder of somebody else's that `sid` names: that one itself is `/`. */
  path: z.string(),
  /** Null for a folder that is not shared. */
  sid: z.string().nullable(),
  owner: z.strictObject({ id: z.string(), name: z.string() }),
  /** What one may do with it and with what lies in it. */
  permissions: z.array(z.enum(permissions)),
  /** It is shared with one by name, so one may leave it; a group's stay as long as one is in the group. */
  named: z.boolean(),
  /** How much lies below it, at any depth. */
  meetings: z.number().int(),
  folders: z.number().int(),
});
export type FolderView = z.infer<typeof folderView>;

export const foldersAnswer = z.strictObject({ folders: z.array(folderView) });
export const breadcrumbsAnswer = z.strictObject({
  breadcrumbs: z.array(z.strictObject({ name: z.string(), path: z.string(), sid: z.string().nullable() })),
});
/** What went with it; by the id all of it comes back. */
export const deletedFolderView = z.strictObject({
  id: z.string(),
  meetings: z.number().int(),
  folders: z.number().int(),
});

export const manyAnswer = z.strictObject({
  done: z.array(z.string()),
  failed: z.array(z.strictObject({ id: z.string(), code: z.enum(['NO_ACCESS', 'NO_PERM']) })),
});
export type ManyAnswer = z.infer<typeof manyAnswer>;
