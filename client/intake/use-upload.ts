import { parseResponse } from 'hono/client';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

import { newId } from '#shared/ids.ts';
import type { CreatedView } from '#shared/intake.ts';

import { ApiError, postForm, putBytes, useApi, type Api } from '../api.ts';
import { useSession } from '../session.ts';
import { forgetInterrupted, noteInterrupted } from './interrupted.ts';
import { sendFile, sendWhole, type Around, type Progress, type Upload } from './upload.ts';

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
  /** What the server calls the file once all of it is there; null where it could not be sent in parts. */
  arrived(signal: AbortSignal): Promise<string | null>;
  /** Sends the file along with what is made of it. */
  sendAlong(form: FormData, signal: AbortSignal): Promise<CreatedView>;
  /** All that was sent has become part of a recording: there is nothing to go on with. */
  taken(): void;
  /** Ends it; what has arrived is forgotten by the server, too. */
  stop(): Promise<void>;
}

const nothing = () => () => {};
const allOf = (total: number): Progress => ({
  state: 'sent',
  sent: total,
  total,
  bytesPerSecond: null,
  secondsLeft: 0,
});

/** The file that is on its way while its questions are answered. */
export function useUpload(): Sending {
  const api = useApi();
  const [upload, setUpload] = useState<Upload | null>(null);
  const inParts = useSyncExternalStore(upload?.subscribe ?? nothing, () => upload?.progress() ?? null);
  const [whole, setWhole] = useState<Progress | null>(null);
  /** The name of one that arrived as a whole with a form nothing came of. */
  const kept = useRef<string | null>(null);
  const progress = whole ?? inParts;
  const state = progress?.state;

  // A page that is loaded again in the middle of it offers to go on, from the moment the server knows of it.
  const id = upload?.id ?? null;
  const partly = inParts?.state === 'going';
  const user = useSession().data?.principal.id;
  useEffect(() => {
    if (!upload || id === null || !partly || user === undefined) return;
    const note = () => noteInterrupted(String(user), upload);
    const timer = setInterval(note, 1000);
    note();
    return () => clearInterval(timer);
  }, [upload, id, partly, user]);
  useEffect(() => {
    if (state !== 'going') return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [state]);
  const forget = async (name: string | null) => {
    if (name !== null)
      await around(api)
        .giveUp(name)
        .catch(() => {});
  };

  return {
    upload,
    progress,
    send(file, resumed = null) {
      const next = sendFile(file, around(api), resumed);
      setUpload(next);
      setWhole(null);
      kept.current = null;
      next.done.catch((error: unknown) => {
        // Nothing else would tell whoever runs the house of a store that takes nothing from its pages.
        if (error instanceof ApiError && error.code === 'UPLOAD')
          api.logs.$post({ json: { message: `upload: ${error.message}` } }).catch(() => {});
      });
    },
    async arrived(signal) {
      if (kept.current !== null || !upload) return kept.current;
      try {
        return await upload.done;
      } catch {
        // Given up is not failed: nothing of it goes along with anything.
        signal.throwIfAborted();
        return null;
      }
    },
    async sendAlong(form, signal) {
      if (!upload) throw new Error('there is no file to send along');
      const { file } = upload;
      form.set('file', file);
      // By one name, however often it is tried: the server knows what it has made already.
      const requestId = newId();
      const post = (told: (sent: number) => void) =>
        postForm<CreatedView>('/api/meetings-fast', { form, requestId, told, signal });
      try {
        const created = await sendWhole(file.size, post, around(api), setWhole, signal);
        setWhole(allOf(file.size));
        // Of its parts nothing is needed any more.
        void forget(upload.id);
        return created;
      } catch (error) {
        const name = error instanceof ApiError ? error.info['uploadId'] : undefined;
        const there = typeof name === 'string';
        if (there) kept.current = name;
        setWhole(there ? allOf(file.size) : null);
        throw error;
      }
    },
    taken: () => forgetInterrupted(id),
    async stop() {
      const name = kept.current;
      kept.current = null;
      // At once: another one may be chosen before the server has forgotten this one.
      setUpload(null);
      setWhole(null);
      forgetInterrupted(id);
      await Promise.all([upload?.cancel(), forget(name)]);
    },
  };
}
