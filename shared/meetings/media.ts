import { z } from 'zod';

/**
 * What a medium of a meeting is: something to hear, to see, how loud it is (for the waveform), or the file as it was
 * uploaded, where no browser plays that and a copy stands beside it.
 */
const mediaTags = ['audio', 'video', 'histogram', 'source'] as const;
export type MediaTag = (typeof mediaTags)[number];

export const mediumView = z.object({
  id: z.string(),
  tag: z.enum(mediaTags),
  src: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  /** Seconds; null where it is not known. */
  duration: z.number().nullable(),
});
export type MediumView = z.infer<typeof mediumView>;

/** The content of a histogram: loudness from 0 to 255, so many a second. */
export const peaksView = z.object({ perSecond: z.number(), peaks: z.array(z.number().int().min(0).max(255)) });
export type Peaks = z.infer<typeof peaksView>;
