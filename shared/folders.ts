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

/** Path in its normal form. */
export const folderPath = z
  .string('required')
  .max(longestPath, 'too_long')
  .refine(isPath, 'folder_path')
  .transform((path) => pathTo(segmentsOf(path)));
const notTheLibrary = folderPath.refine((path) => path !== rootPath, 'required');

/** Id of a shared folder; the only way to refer to a folder of another owner. */
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
  /** Path in the caller's own library, or below the shared folder that `sid` names; that folder itself is `/`. */
  path: z.string(),
  /** Null for a folder that is not shared. */
  sid: z.string().nullable(),
  owner: z.strictObject({ id: z.string(), name: z.string() }),
  /** Permissions of the caller on the folder and everything in it. */
  permissions: z.array(z.enum(permissions)),
  /**
   * Whether it is shared with the caller by name, so that the caller may leave it; folders of a group stay as long as
   * the membership.
   */
  named: z.boolean(),
  /** Recordings and folders below it, at any depth. */
  meetings: z.number().int(),
  folders: z.number().int(),
});
export type FolderView = z.infer<typeof folderView>;

export const foldersAnswer = z.strictObject({ folders: z.array(folderView) });
export const breadcrumbsAnswer = z.strictObject({
  breadcrumbs: z.array(z.strictObject({ name: z.string(), path: z.string(), sid: z.string().nullable() })),
});
/** Number of deleted recordings and folders; the id restores all of them. */
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
