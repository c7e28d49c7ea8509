import { z } from 'zod';
import { importFormats } from './formats.ts';

/**
 * Notes on an imported transcript: `backwards`: times run backwards at `line` and were corrected; `skipped`: `count`
 * lines belong to no segment; `beyond`: the segment at `line` begins after the end of the recording, so the file may
 * belong to another one; `untimed`: it has no times, so they were computed; `looksLike`: it looks more like another
 * `format`.
 */
const noteCodes = ['backwards', 'skipped', 'beyond', 'untimed', 'looksLike'] as const;

export const importNotes = z.array(
  z.strictObject({
    code: z.enum(noteCodes),
    /** Line of the file, counted from one. */
    line: z.number().int().optional(),
    count: z.number().int().optional(),
    format: z.enum(importFormats).optional(),
  }),
);
export type ImportNote = z.infer<typeof importNotes>[number];
