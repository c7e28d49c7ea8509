import { parentPort } from 'node:worker_threads';
import { findPoison } from './poison.ts';
import { makeClean } from './snapshot.ts';
import { makeCompact } from './untangle.ts';
import type { Answer, Task } from './compact.ts';

/** The other end of compact.ts: does the work that would block the event loop. */
parentPort?.on('message', ({ id, task }: { id: number; task: Task }) => {
  let answer: Answer;
  try {
    if (task.kind === 'poison') answer = { id, poison: findPoison(task.base, task.rows) };
    else if (task.kind === 'clean') answer = { id, clean: makeClean(task.pieces) };
    else answer = { id, compact: makeCompact(task.pieces) };
  } catch (error) {
    answer = { id, failed: String(error) };
  }
  parentPort?.postMessage(answer);
});
