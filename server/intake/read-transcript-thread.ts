import { parentPort } from 'node:worker_threads';
import { OtherFormat, readTranscript } from '#shared/formats/read.ts';
import { InvalidTranscript } from '#shared/formats/source.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { readFile } from './read-file.ts';
import type { Answer, Task } from './read-transcript.ts';

/** Worker thread of read-transcript.ts: a harmful file affects only this thread. */
parentPort?.on('message', (task: Task) => {
  const answer = work(task);
  parentPort?.postMessage(answer, 'state' in answer ? [answer.state.buffer as ArrayBuffer] : []);
});
parentPort?.postMessage('ready');

function work({ bytes, format, mediaMs, about }: Task): Answer {
  try {
    const { seed, notes, until, words, format: readAs } = readTranscript(readFile(bytes), format, { mediaMs });
    const whole = { ...seed, about: { ...seed.about, ...about } };
    return {
      state: seedState(whole).slice(),
      about: whole.about,
      speakers: whole.speakers.length,
      segments: whole.segments.length,
      notes,
      until,
      words,
      readAs,
    };
  } catch (error) {
    if (!(error instanceof InvalidTranscript)) throw error;
    return {
      invalid: error.message,
      line: error.line,
      looksLike: error instanceof OtherFormat ? error.looksLike : null,
    };
  }
}
