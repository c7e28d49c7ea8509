import { z } from 'zod';
import { exportFormats } from './formats/formats.ts';

/** Options of an export; those a format does not have are ignored, so that one request suits all formats. */
export const exportInput = z.object({
  format: z.enum(exportFormats),
  options: z
    .object({
      fileType: z.enum(['txt', 'docx', 'pdf', 'vtt', 'srt', 'md', 'json']).optional(),
      speakers: z.boolean().optional(),
      times: z.boolean().optional(),
      /** Lists the caller has permission to read; default: not in the file. */
      summary: z.boolean().optional(),
      contents: z.boolean().optional(),
      outcomes: z.boolean().optional(),
      comments: z.boolean().optional(),
      /** Includes the caller's private annotations, marked as private. */
      private: z.boolean().optional(),
      /** Hides text in curly braces, and the quotes of annotations. */
      redacted: z.boolean().optional(),
    })
    .default({}),
});
export type ExportInput = z.infer<typeof exportInput>;
