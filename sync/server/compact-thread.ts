import { parentPort } from 'node:worker_threads';
import { findPoison } from './poison.ts';
import { makeClean, makeSnapshot } from './snapshot.ts';
import { untangled } from './untangle.ts';
import type { Task } from './compact.ts';
import type { ThreadAnswer } from './thread.ts';

function work(task: Task): unknown {
  switch (task.kind) {
    case 'poison':
      return findPoison(task.base, task.rows);
    case 'clean':
      return makeClean(task.pieces);
    case 'untangle':
      return untangled(task.pieces);
    case 'snapshot':
      return makeSnapshot(task.pieces);
  }
}

/** The other end of compact.ts: does the work that would block the event loop. */
parentPort?.on('message', ({ id, task }: { id: number; task: Task }) => {
  let message: ThreadAnswer;
  try {
    message = { id, answer: work(task) };
  } catch (error) {
    message = { id, failed: { name: (error as Error).name, message: String(error) } };
  }
  parentPort?.postMessage(message);
});
