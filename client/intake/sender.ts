import { parseResponse } from 'hono/client';

import { newId } from '#shared/ids.ts';
import type { CreatedView } from '#shared/intake.ts';

import { ApiError, postForm, putBytes, type Api } from '../api.ts';
import { forgetInterrupted } from './interrupted.ts';
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

/** Sends the dialog's file, one upload at a time. */
interface Sender {
  /** Uploads in parts; `moved` is called with each step of the progress. */
  send(file: File, resumed: string | null, moved: (upload: Upload) => void): Promise<string>;
  /** Creates the meeting with the file in the form. */
  sendInForm(form: FormData, moved: (progress: Progress) => void): Promise<CreatedView>;
  taken(): void;
  /** Ends the upload and deletes at the server what has arrived, also as a whole file. */
  stop(wholeId: string | null): void;
}

export function openSender(api: Api): Sender {
  let upload: Upload | null = null;
  let wholeStop = new AbortController();
  const giveUp = (id: string) =>
    void around(api)
      .giveUp(id)
      .catch(() => {});
  return {
    send(file, resumed, moved) {
      const next = sendFile(file, around(api), resumed);
      upload = next;
      next.subscribe(() => moved(next));
      next.done.catch((error: unknown) => {
        // The only way the operator learns of a store that refuses uploads from the page.
        if (error instanceof ApiError && error.code === 'UPLOAD')
          api.logs.$post({ json: { message: `upload: ${error.message}` } }).catch(() => {});
      });
      return next.done;
    },
    async sendInForm(form, moved) {
      if (!upload) throw new Error('there is no file to send');
      const { file, id } = upload;
      wholeStop = new AbortController();
      const { signal } = wholeStop;
      form.set('file', file);
      // One request id for all tries: the server recognises a meeting it has created already.
      const requestId = newId();
      const post = (told: (sent: number) => void) =>
        postForm<CreatedView>('/api/meetings-fast', { form, requestId, told, signal });
      const created = await sendWhole(file.size, post, around(api), moved, signal);
      // Its parts are not needed any more.
      if (id !== null) giveUp(id);
      return created;
    },
    taken: () => forgetInterrupted(upload?.id ?? null),
    stop(wholeId) {
      wholeStop.abort();
      forgetInterrupted(upload?.id ?? null);
      void upload?.cancel();
      upload = null;
      if (wholeId !== null) giveUp(wholeId);
    },
  };
}
