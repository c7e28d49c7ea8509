import { deserialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '#sync/server/thread.ts';
import type { PdfPage } from './pdf-desk.ts';
import { writePdf } from './pdf.ts';

/** Worker thread of pdf-desk.ts. */
parentPort?.on('message', ({ id, task }: { id: number; task: PdfPage | Uint8Array }) => {
  const send = (message: ThreadAnswer) => parentPort?.postMessage(message);
  const page = task instanceof Uint8Array ? (deserialize(task) as PdfPage) : task;
  writePdf(page).then(
    (answer) => send({ id, answer }),
    (error: Error) => send({ id, failed: { name: error.name, message: error.message } }),
  );
});
