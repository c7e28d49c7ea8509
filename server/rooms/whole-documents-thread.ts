import { parentPort } from 'node:worker_threads';
import { handedOver, type ThreadAnswer } from '#sync/server/thread.ts';
import { run, type WholeTask } from './whole-works.ts';

/** Worker thread of whole-documents.ts. */
parentPort?.on('message', ({ id, task }: { id: number; task: WholeTask }) => {
  const send = (message: ThreadAnswer, over: ArrayBuffer[] = []) => parentPort?.postMessage(message, over);
  try {
    const answer = run(task);
    send({ id, answer }, handedOver(answer));
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    send({ id, failed: { name, message } });
  }
});
