import { z } from 'zod';

/** Services that recordings can be imported from. */
export const serviceIds = ['zoom', 'webex'] as const;
export type ServiceId = (typeof serviceIds)[number];
export const serviceNames = { zoom: 'Zoom', webex: 'Webex' } as const satisfies Record<ServiceId, string>;

/** File types that can be imported: video and audio. */
export const serviceFileTypes = ['MP4', 'M4A'] as const;
export type ServiceFileType = (typeof serviceFileTypes)[number];
export const isServiceFileType = (type: string): type is ServiceFileType =>
  (serviceFileTypes as readonly string[]).includes(type);

/** Recording types of Zoom that the screens have texts for. */
const zoomRecordingTypes = [
  'shared_screen_with_speaker_view',
  'shared_screen_with_gallery_view',
  'gallery_view',
  'active_speaker',
  'shared_screen',
  'audio_only',
] as const;
export type ZoomRecordingType = (typeof zoomRecordingTypes)[number];

/** Null for types without a text; a suffix for captions is ignored. */
export const zoomRecordingType = (type: string): ZoomRecordingType | null =>
  zoomRecordingTypes.find((known) => known === type.replace(/\(CC\)$/, '')) ?? null;

// ---- Requests -----------------------------------------------------------------------------------

/** Date, or date and time; the request to the service is built from the parsed value. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/, 'invalid')
  .transform((value) => new Date(value))
  .refine((value) => Number.isFinite(value.getTime()), 'invalid');
const pageSize = (most: number) =>
  z
    .string()
    .regex(/^\d{1,3}$/, 'invalid')
    .transform(Number)
    .refine((value) => value >= 1 && value <= most, 'invalid')
    .default(100);

const dayMs = 86_400_000;
/** Zoom accepts a month at most. */
const longestWindow = 31 * dayMs;

/** Default: the month that ends with `to`, or today. */
export const zoomListInput = z
  .strictObject({ from: day.optional(), to: day.optional(), page_size: pageSize(300) })
  .transform(({ from, to = new Date(), page_size }) => ({
    from: from ?? new Date(to.getTime() - 30 * dayMs),
    to,
    page_size,
  }))
  .refine(({ from, to }) => from <= to, { message: 'invalid', path: ['from'] })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= longestWindow, { message: 'invalid', path: ['from'] });

const webexFirstDay = '2000-01-01';
export const webexListInput = z
  .strictObject({ from: day.default(new Date(webexFirstDay)), to: day.optional(), max: pageSize(100) })
  .transform(({ from, to = new Date(), max }) => ({ from, to, max }))
  .refine(({ from, to }) => from <= to, { message: 'invalid', path: ['from'] });

// ---- Responses ----------------------------------------------------------------------------------

const zoomFileView = z.object({
  id: z.string(),
  /** MP4 or M4A. */
  file_type: z.enum(serviceFileTypes),
  recording_type: z.string(),
  recording_start: z.string().nullable(),
  recording_end: z.string().nullable(),
  /** Seconds. */
  duration: z.number().nullable(),
  play_url: z.string().nullable(),
});
const zoomMeetingView = z.object({
  uuid: z.string(),
  topic: z.string(),
  start_time: z.string().nullable(),
  recording_files: z.array(zoomFileView),
});
export type ZoomMeeting = z.infer<typeof zoomMeetingView>;
export const zoomListView = z.object({
  from: z.string(),
  to: z.string(),
  page_size: z.number().int(),
  meetings: z.array(zoomMeetingView),
});

const webexRecordingView = z.object({
  id: z.string(),
  topic: z.string(),
  createTime: z.string().nullable(),
  durationSeconds: z.number().nullable(),
  /** MP4, or a type that cannot be imported. */
  format: z.string(),
});
export type WebexRecording = z.infer<typeof webexRecordingView>;
export const webexListView = z.object({ items: z.array(webexRecordingView) });

/** Service and file to import, as a form names them. */
export interface ServiceRecording {
  service: ServiceId;
  recordingId: string;
  fileId: string;
}
