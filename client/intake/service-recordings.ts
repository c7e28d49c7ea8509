import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useState } from 'react';

import {
  isServiceFileType,
  zoomRecordingType,
  type ServiceFileType,
  type ServiceId,
  type WebexRecording,
  type ZoomMeeting,
  type ZoomRecordingType,
} from '#shared/meeting-services.ts';

import { ApiError, useApi } from '../api.ts';
import type { Picked } from './steps.ts';

/** A file of a recorded meeting, to choose from. */
export interface Pickable {
  picked: Picked;
  type: ServiceFileType;
  /** The kind of recording that is shown. */
  kind: ZoomRecordingType | 'video' | 'audio';
  seconds: number | null;
}

export interface RecordedMeeting {
  id: string;
  title: string;
  at: Date | null;
  files: Pickable[];
}

export interface ServiceRecordings {
  meetings: RecordedMeeting[];
  /** No answer has arrived yet. */
  loading: boolean;
  /** More answers are expected. */
  further: boolean;
  error: unknown;
  again: () => void;
}

export const isLoginNeeded = (error: unknown): boolean =>
  error instanceof ApiError && ['ZOOM_AUTH', 'WEBEX_AUTH'].includes(error.code);

const keyOf = (service: ServiceId) => ['imports', service];

/** Zoom lists one month per request; milliseconds between two requests. */
export const zoomMonths = 12;
const zoomPause = 600;

interface Window {
  from: string;
  to: string;
}

/** The months before a day, the latest first, without overlap. */
export function monthlyWindows(now: Date, count = zoomMonths): Window[] {
  // A day later than UTC: in some time zones a meeting of today has the date of tomorrow.
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
  const day = (at: Date) => at.toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, i) => {
    const from = monthsBefore(end, i + 1);
    from.setUTCDate(from.getUTCDate() + 1);
    return { from: day(from), to: day(monthsBefore(end, i)) };
  });
}

function monthsBefore(date: Date, months: number): Date {
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1));
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date.getUTCDate(), days));
  return first;
}

/** The recordings at Zoom; the list grows with each month. */
export function useZoomRecordings(enabled: boolean): ServiceRecordings {
  const api = useApi();
  const [windows] = useState(() => monthlyWindows(new Date()));
  const [asked, setAsked] = useState(1);
  const results = useQueries({
    queries: windows.map((query, i) => ({
      queryKey: [...keyOf('zoom'), query.from],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        parseResponse(api.zoom.recordings.$get({ query: { ...query } }, { init: { signal } })),
      enabled: enabled && i < asked,
      staleTime: 60_000,
    })),
  });
  const refused = results.some(({ error }) => isLoginNeeded(error));
  useEffect(() => {
    if (!enabled || refused || asked === windows.length) return;
    const timer = setTimeout(() => setAsked(asked + 1), zoomPause);
    return () => clearTimeout(timer);
  }, [enabled, refused, asked, windows.length]);
  const answers = results.flatMap(({ data }) => data?.meetings ?? []);
  return {
    meetings: newestFirst(answers.map(zoomMeeting)),
    loading: results.every(({ data, error }) => data === undefined && error === null),
    further: asked < windows.length || results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error)?.error ?? null,
    again: () => {
      for (const { error, refetch } of results) if (error) void refetch();
    },
  };
}

export function useWebexRecordings(enabled: boolean): ServiceRecordings {
  const api = useApi();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: keyOf('webex'),
    queryFn: ({ signal }) => parseResponse(api.webex.recordings.$get({ query: {} }, { init: { signal } })),
    enabled,
    staleTime: 60_000,
  });
  return {
    meetings: newestFirst((data?.items ?? []).map(webexRecording)),
    loading: data === undefined && error === null,
    further: isFetching && data !== undefined,
    error,
    again: () => void refetch(),
  };
}

/** Removes the lists on logout, so that the next account does not see them. */
export function useForgetRecordings(): (service: ServiceId) => void {
  const queries = useQueryClient();
  return (service) => queries.removeQueries({ queryKey: keyOf(service) });
}

/** Kinds of recordings from the one that shows who speaks to the one without a picture. */
const byPreference: readonly Pickable['kind'][] = [
  'shared_screen_with_speaker_view',
  'active_speaker',
  'shared_screen_with_gallery_view',
  'gallery_view',
  'video',
  'shared_screen',
  'audio_only',
  'audio',
];

export const hasNoPicture = ({ kind }: Pick<Pickable, 'kind'>): boolean => kind === 'audio_only' || kind === 'audio';

/** The files of a meeting, the one to prefer first. */
export const preferredFirst = (files: readonly Pickable[]): Pickable[] =>
  files.toSorted((one, other) => byPreference.indexOf(one.kind) - byPreference.indexOf(other.kind));

/** Meetings whose title or date, as they are shown, has all words of a filter. */
export function filtered(
  meetings: readonly RecordedMeeting[],
  filter: string,
  dateText: (at: Date) => string,
): readonly RecordedMeeting[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return meetings;
  return meetings.filter(({ title, at }) => {
    const shown = `${title} ${at ? dateText(at) : ''}`.toLowerCase();
    return words.every((word) => shown.includes(word));
  });
}

function newestFirst(meetings: readonly RecordedMeeting[]): RecordedMeeting[] {
  return meetings
    .filter(({ files }) => files.length > 0)
    .toSorted((one, other) => (other.at?.getTime() ?? 0) - (one.at?.getTime() ?? 0));
}

const dateOf = (text: string | null): Date | null =>
  text === null || Number.isNaN(Date.parse(text)) ? null : new Date(text);
const plainKind = (type: ServiceFileType): 'video' | 'audio' => (type === 'M4A' ? 'audio' : 'video');

function zoomMeeting({ uuid, topic, start_time, recording_files }: ZoomMeeting): RecordedMeeting {
  return {
    id: uuid,
    title: topic.trim(),
    at: dateOf(start_time),
    files: preferredFirst(
      recording_files.map(({ id, file_type: type, recording_type, duration }) => ({
        picked: { service: 'zoom', recordingId: uuid, fileId: id, name: topic.trim() },
        type,
        kind: zoomRecordingType(recording_type) ?? plainKind(type),
        seconds: duration,
      })),
    ),
  };
}

function webexRecording({ id, topic, createTime, durationSeconds, format }: WebexRecording): RecordedMeeting {
  const picked = { service: 'webex', recordingId: id, fileId: format, name: topic.trim() } as const;
  return {
    id,
    title: topic.trim(),
    at: dateOf(createTime),
    files: isServiceFileType(format)
      ? [{ picked, type: format, kind: plainKind(format), seconds: durationSeconds }]
      : [],
  };
}
