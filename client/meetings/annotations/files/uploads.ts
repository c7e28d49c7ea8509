import { useQueryClient } from '@tanstack/react-query';
import { atom, useAtomValue, useSetAtom } from 'jotai';

import { attachmentBytes } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';

import { ApiError, postForm } from '../../../api.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { filesKey } from './use-files.ts';

const fileFailures = ['file_type', 'file_large', 'file_empty', 'limit', 'rate', 'network', 'refused'] as const;
type FileFailure = (typeof fileFailures)[number];

/** A file on its way, or one that did not arrive. */
export interface Upload {
  /** Also the id of its request: a repeated one is stored once. */
  key: string;
  meetingId: string;
  /** The comment it is for; null: beside the recording. */
  comment: string | null;
  file: File;
  /** Between 0 and 1. */
  sent: number;
  failure: FileFailure | null;
}

/** Kept beside the page, so that closing a pane ends no upload. */
const uploadsAtom = atom<readonly Upload[]>([]);
const changeAtom = atom(null, (get, set, key: string, change: Partial<Upload> | null) => {
  const before = get(uploadsAtom);
  set(
    uploadsAtom,
    change === null
      ? before.filter((one) => one.key !== key)
      : before.map((one) => (one.key === key ? { ...one, ...change } : one)),
  );
});
const addAtom = atom(null, (get, set, upload: Upload) => set(uploadsAtom, [...get(uploadsAtom), upload]));

const atOnce = 2;
let running = 0;
const line: (() => void)[] = [];

/** Runs at most two at the same time; others wait in line. */
async function inTurn(work: () => Promise<void>): Promise<void> {
  if (running < atOnce) running += 1;
  else await new Promise<void>((next) => line.push(next));
  try {
    await work();
  } finally {
    const next = line.shift();
    if (next) next();
    else running -= 1;
  }
}

const stopping = new Map<string, AbortController>();

/** Uploads of this meeting, for a comment, beside the recording, or all of them. */
export function useUploads(comment?: string | null) {
  const { id } = useMeeting().about;
  const client = useQueryClient();
  const uploads = useAtomValue(uploadsAtom).filter(
    (one) => one.meetingId === id && (comment === undefined || one.comment === comment),
  );
  const change = useSetAtom(changeAtom);
  const append = useSetAtom(addAtom);

  const send = (upload: Upload) => {
    const { key, file, meetingId } = upload;
    const stop = new AbortController();
    stopping.set(key, stop);
    const form = new FormData();
    // The server judges the file by the fields before it.
    form.append('type', 'file');
    if (upload.comment !== null) form.append('comment', upload.comment);
    form.append('file', file, file.name);
    const told = (sent: number) => change(key, { sent: Math.min(1, sent / Math.max(1, file.size)) });
    const url = `/api/meetings/${encodeURIComponent(meetingId)}/attachment`;
    void inTurn(async () => {
      try {
        await postForm(url, { form, requestId: key, told, signal: stop.signal });
        await client.invalidateQueries({ queryKey: filesKey(meetingId) });
        change(key, null);
      } catch (error) {
        if (!stop.signal.aborted) change(key, { failure: failureOf(error) });
      } finally {
        stopping.delete(key);
      }
    });
  };

  return {
    uploads,
    add: (files: Iterable<File>) => {
      for (const file of files) {
        const failure = file.size === 0 ? 'file_empty' : file.size > attachmentBytes ? 'file_large' : null;
        const upload: Upload = { key: newId(), meetingId: id, comment: comment ?? null, file, sent: 0, failure };
        append(upload);
        if (failure === null) send(upload);
      }
    },
    retry: (upload: Upload) => {
      change(upload.key, { failure: null, sent: 0 });
      send(upload);
    },
    dismiss: ({ key }: Upload) => {
      stopping.get(key)?.abort();
      change(key, null);
    },
  };
}

/** Whether another attempt with the same file may succeed. */
export const mayRetry = (failure: FileFailure): boolean => ['rate', 'network', 'refused'].includes(failure);

function failureOf(error: unknown): FileFailure {
  if (!(error instanceof ApiError)) return 'refused';
  const code = error.errors[0]?.code ?? '';
  if (error.status === 0) return 'network';
  if (error.status === 413) return 'file_large';
  if (error.status === 429) return 'rate';
  if (code === 'too_many') return 'limit';
  return fileFailures.find((one) => one === code) ?? 'refused';
}
