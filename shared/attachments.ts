import { z } from 'zod';

// Voice notes and voice comments: what somebody spoke about a recording. The sound is sent first; the answer is an address,
// which an item of the same person then carries.

/** `vnote` for a voice note; a voice comment otherwise. */
const attachmentTypes = ['vnote', 'vcomment'] as const;

/** Bytes of one that is sent. */
export const attachmentBytes = 25 * 1024 * 1024;
/** Nobody speaks longer about one place. */
export const longestVoiceMs = 600_000;
/** Of a meeting, whoever they are of. */
export const mostAttachments = 200;
/** Of one person in a meeting: nobody takes all of it. */
export const mostOwnAttachments = 100;

export const attachmentForm = z.object({ type: z.enum(attachmentTypes).default('vcomment') });
export const attachmentAnswer = z.strictObject({ url: z.string() });
export const deleteAttachmentInput = z.object({ url: z.string('required').max(200, 'too_long') });

export const attachmentPath = (meetingId: string, id: string): string => `/api/meetings/${meetingId}/attachments/${id}`;

/** The id in an address of this meeting's; null for any other address. */
export function attachmentIdIn(url: string, meetingId: string): string | null {
  const id = /\/([0-9A-Za-z]{22})$/.exec(url)?.[1];
  return id !== undefined && url === attachmentPath(meetingId, id) ? id : null;
}
