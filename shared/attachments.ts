import { z } from 'zod';

// Attachments: recorded voice notes and voice comments. The sound is uploaded first; the response is a URL, which an
// annotation of the same person then refers to.

/** `vnote` for a voice note, else a voice comment. */
const attachmentTypes = ['vnote', 'vcomment'] as const;

/** Largest upload in bytes. */
export const attachmentBytes = 25 * 1024 * 1024;
/** Longest voice note or comment in milliseconds. */
export const longestVoiceMs = 600_000;
/** Most attachments of a recording, of all people together. */
export const mostAttachments = 200;
/** Most attachments of one person in a recording, so that nobody uses up the limit for all. */
export const mostOwnAttachments = 100;

export const attachmentForm = z.object({ type: z.enum(attachmentTypes).default('vcomment') });
export const attachmentAnswer = z.strictObject({ url: z.string() });
export const deleteAttachmentInput = z.object({ url: z.string('required').max(200, 'too_long') });

export const attachmentPath = (meetingId: string, id: string): string => `/api/meetings/${meetingId}/attachments/${id}`;

/** Id in a URL of this recording's attachments; null for any other URL. */
export function attachmentIdIn(url: string, meetingId: string): string | null {
  const id = /\/([0-9A-Za-z]{22})$/.exec(url)?.[1];
  return id !== undefined && url === attachmentPath(meetingId, id) ? id : null;
}
