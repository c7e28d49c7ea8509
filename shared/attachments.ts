import { z } from 'zod';

// Attachments: recorded voice notes and voice comments, and files. A sound is uploaded first; the response is a URL, which
// an annotation of the same person then refers to. A file lies beside the recording, or is sent for a comment.

/** `vnote` for a voice note, `file` for anything else, else a voice comment. */
const attachmentTypes = ['vnote', 'vcomment', 'file'] as const;

/** Largest upload in bytes. */
export const attachmentBytes = 25 * 1024 * 1024;
/** Longest voice note or comment in milliseconds. */
export const longestVoiceMs = 600_000;
/** Most attachments of a recording, of all people together. */
export const mostAttachments = 200;
/** Most attachments of one person in a recording, so that nobody uses up the limit for all. */
export const mostOwnAttachments = 100;

export const attachmentForm = z.object({
  type: z.enum(attachmentTypes).default('vcomment'),
  /** The comment that a file is for; without one it lies beside the recording. */
  comment: z.string().max(64, 'invalid').optional(),
});
/** Kinds of files that are accepted, by their usual extensions; the content decides. */
export const fileExtensions = [
  ...['png', 'jpg', 'gif', 'webp', 'pdf'],
  ...['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'txt', 'md', 'csv'],
] as const;

const fileView = z.strictObject({
  id: z.string(),
  url: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  /** Sender; null after the account was deleted. */
  by: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  at: z.iso.datetime(),
  /** The comment it hangs on; null beside the recording. */
  comment: z.string().nullable(),
});
export type FileView = z.infer<typeof fileView>;
export const filesView = z.strictObject({ files: z.array(fileView) });

export const attachmentAnswer = z.strictObject({ url: z.string() });
export const deleteAttachmentInput = z.object({ url: z.string('required').max(200, 'too_long') });

export const attachmentPath = (meetingId: string, id: string): string => `/api/meetings/${meetingId}/attachments/${id}`;

/** Id in a URL of this recording's attachments; null for any other URL. */
export function attachmentIdIn(url: string, meetingId: string): string | null {
  const id = /\/([0-9A-Za-z]{22})$/.exec(url)?.[1];
  return id !== undefined && url === attachmentPath(meetingId, id) ? id : null;
}
