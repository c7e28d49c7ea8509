import { z } from 'zod';
import { bidi, controls } from './email.ts';
import { filtersInput } from './filters.ts';
import { folderPath } from './folders.ts';
import { foundQuery } from './found.ts';
import { defaultOrder, plainName, rootPath, searchLimits } from './library.ts';
import { searchSort } from './meetings/meeting.ts';

// Searches of the library that a person has saved under a name.

const name = z
  .string('required')
  .transform(plainName)
  .pipe(
    z
      .string()
      .min(1, 'required')
      .max(searchLimits.name, 'too_long')
      .refine((text) => !controls.test(text) && !bidi.test(text), 'name'),
  );

const asked = {
  query: foundQuery.default(''),
  filters: filtersInput.default({}),
  sort: searchSort.default(defaultOrder),
};

export const searchInput = z
  .object({
    name,
    ...asked,
    /** Only recordings of this folder and those below it. */
    folder: folderPath.default(rootPath),
    /** Id of the shared folder that `folder` lies in. */
    sid: z.string().max(100, 'too_long').nullish(),
    /** Only what others share with the caller. */
    shared: z.boolean().default(false),
  })
  .refine(({ query, filters }) => query.trim() !== '' || Object.keys(filters).length > 0, {
    path: ['query'],
    error: 'required',
  });
export type SearchInput = z.infer<typeof searchInput>;

export const renameSearchInput = z.object({ name });
export type RenameSearchInput = z.infer<typeof renameSearchInput>;

export const searchView = z.strictObject({
  id: z.string(),
  name: z.string(),
  query: z.string(),
  filters: filtersInput,
  sort: searchSort,
  /** Place of its folder now; null if the caller no longer has it. */
  place: z.strictObject({ folder: z.string(), sid: z.string().nullable(), name: z.string() }).nullable(),
  shared: z.boolean(),
});
export type SearchView = z.infer<typeof searchView>;

export const searchesAnswer = z.strictObject({ searches: z.array(searchView) });

export const searchCountsAnswer = z.strictObject({
  /** New results of each search: recordings that were none when the caller looked at it last. */
  counts: z.array(z.strictObject({ id: z.string(), fresh: z.number().int() })),
});
