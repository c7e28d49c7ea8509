import { parentPort } from 'node:worker_threads';
import { findPoison } from './poison.ts';
import { makeClean, makeSnapshot } from './snapshot.ts';
import { untangled } from './untangle.ts';
import type { Answer, Task } from './compact.ts';

/** The other end of compact.ts: does the work that would block the event loop. */
parentPort?.on('message', ({ id, task }: { id: number; task: Task }) => {
  let answer: Answer;
  try {
    if (task.kind === 'poison') answer = { id, poison: findPoison(task.base, task.rows) };
    else if (task.kind === 'clean') answer = { id, clean: makeClean(task.pieces) };
    else if (task.kind === 'untangle') answer = { id, untangled: untangled(task.bytes) };
    else answer = { id, snapshot: makeSnapshot(task.pieces) };
  } catch (error) {
    answer = { id, failed: String(error) };
  }
  parentPort?.postMessage(answer);
});
