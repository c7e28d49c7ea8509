import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '#sync/server/thread.ts';
import type { PdfPage } from './pdf-desk.ts';
import { writePdf } from './pdf.ts';

/** Worker thread of pdf-desk.ts. */
parentPort?.on('message', ({ id, task }: { id: number; task: PdfPage }) => {
  const send = (message: ThreadAnswer) => parentPort?.postMessage(message);
  writePdf(task).then(
    (answer) => send({ id, answer }),
    (error: Error) => send({ id, failed: { name: error.name, message: error.message } }),
  );
});
