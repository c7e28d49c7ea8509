import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '#sync/server/thread.ts';
import { run, type WholeTask } from './whole-works.ts';

/** Worker thread of whole-documents.ts. */
parentPort?.on('message', ({ id, task }: { id: number; task: WholeTask }) => {
  let message: ThreadAnswer;
  try {
    message = { id, answer: run(task) };
  } catch (error) {
    const { name, message: why } = error instanceof Error ? error : new Error(String(error));
    message = { id, failed: { name, message: why } };
  }
  parentPort?.postMessage(message);
});
