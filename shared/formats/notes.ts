import { z } from 'zod';
import { importFormats } from './formats.ts';

/**
 * What somebody should know of a transcript that was taken all the same: `backwards`, the times of its `line` run
 * backwards and were held; `skipped`, so many (`count`) lines are of nobody's turn; `beyond`, the turn of its `line` lies
 * behind the end of the recording, so it may belong to another one; `untimed`, it has no times, so they were reckoned;
 * `looksLike`, it is more like another `format`.
 */
const noteCodes = ['backwards', 'skipped', 'beyond', 'untimed', 'looksLike'] as const;

export const importNotes = z.array(
  z.strictObject({
    code: z.enum(noteCodes),
    /** Where it begins, counted from one. */
    line: z.number().int().optional(),
    count: z.number().int().optional(),
    format: z.enum(importFormats).optional(),
  }),
);
export type ImportNote = z.infer<typeof importNotes>[number];
