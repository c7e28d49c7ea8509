import { z } from 'zod';
import { exportFormats } from './formats/formats.ts';

/** What a format has not is passed over, so that one wish serves all of them. */
export const exportInput = z.object({
  format: z.enum(exportFormats),
  options: z
    .object({
      fileType: z.enum(['txt', 'docx', 'vtt', 'srt', 'md', 'json']).optional(),
      speakers: z.boolean().optional(),
      times: z.boolean().optional(),
      /** As far as the caller may read them; not in the file unless they are asked for. */
      summary: z.boolean().optional(),
      contents: z.boolean().optional(),
      outcomes: z.boolean().optional(),
      comments: z.boolean().optional(),
      /** Of these also what the caller keeps private, marked as such. */
      private: z.boolean().optional(),
      /** Without what stands in curly braces, and without the words that something was said about. */
      redacted: z.boolean().optional(),
    })
    .default({}),
});
export type ExportInput = z.infer<typeof exportInput>;
