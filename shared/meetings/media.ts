import { z } from 'zod';

/**
 * Kinds of media: audio, video, loudness for the waveform, or the uploaded file when no browser plays it and a
 * converted copy exists.
 */
export const mediaTags = ['audio', 'video', 'histogram', 'source'] as const;
export type MediaTag = (typeof mediaTags)[number];

/** Also stored, and shown to nobody: each track of a recording whose sound was mixed from two. */
export const trackTag = 'track' as const;

export const mediumView = z.object({
  id: z.string(),
  tag: z.enum(mediaTags),
  src: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  /** Seconds; null if unknown. */
  duration: z.number().nullable(),
});
export type MediumView = z.infer<typeof mediumView>;

/** Content of a histogram: loudness from 0 to 255, `perSecond` values a second. */
export const peaksView = z.object({ perSecond: z.number(), peaks: z.array(z.number().int().min(0).max(255)) });
export type Peaks = z.infer<typeof peaksView>;
