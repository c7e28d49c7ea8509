import { parseResponse } from 'hono/client';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { ApiError, putBytes, useApi, type Api } from '../api.ts';
import { forgetInterrupted, noteInterrupted } from './interrupted.ts';
import { sendFile, type Around, type Progress, type Upload } from './upload.ts';

const around = (api: Api): Around => ({
  begin: (json, signal) => parseResponse(api['multipart-uploads'].$post({ json }, { init: { signal } })),
  next: (id, part, signal) =>
    parseResponse(
      api['multipart-uploads'][':id'].next.$post(
        { param: { id }, json: { multipartUploadId: id, ...(part && { part }) } },
        { init: { signal } },
      ),
    ),
  put: ({ url, headers }, bytes, told, signal) => putBytes(url, headers, bytes, told, signal),
  giveUp: async (id) => void (await api['multipart-uploads'][':id'].$delete({ param: { id } })),
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
  now: () => performance.now(),
});

export interface Sending {
  upload: Upload | null;
  progress: Progress | null;
  send(file: File, resumed?: string | null): void;
  /** Ends it; what has arrived is forgotten by the server, too. */
  stop(): Promise<void>;
}

const nothing = () => () => {};

/** The file that is on its way while its questions are answered. */
export function useUpload(): Sending {
  const api = useApi();
  const [upload, setUpload] = useState<Upload | null>(null);
  const progress = useSyncExternalStore(upload?.subscribe ?? nothing, () => upload?.progress() ?? null);
  const state = progress?.state;

  // A page that is loaded again in the middle of it offers to go on, from the moment the server knows of it.
  const id = upload?.id ?? null;
  useEffect(() => {
    if (!upload || id === null || state !== 'going') return;
    const note = () => noteInterrupted(upload);
    const timer = setInterval(note, 1000);
    note();
    return () => clearInterval(timer);
  }, [upload, id, state]);
  useEffect(() => {
    if (state !== 'going') return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [state]);

  return {
    upload,
    progress,
    send(file, resumed = null) {
      const next = sendFile(file, around(api), resumed);
      setUpload(next);
      next.done.catch((error: unknown) => {
        // Nothing else would tell whoever runs the house of a store that takes nothing from its pages.
        if (error instanceof ApiError && error.code === 'UPLOAD')
          api.logs.$post({ json: { message: `upload: ${error.message}` } }).catch(() => {});
      });
    },
    async stop() {
      forgetInterrupted();
      await upload?.cancel();
      setUpload(null);
    },
  };
}
