import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import type { BotChallenge } from '#shared/bot-check.ts';

/** Answers one puzzle with its solution, or with null when it found none. */
addEventListener('message', ({ data }: MessageEvent<{ challenge: BotChallenge; patience: number }>) => {
  solveChallenge({ challenge: data.challenge, deriveKey, timeout: data.patience }).then(
    (found) => postMessage(found && { counter: found.counter, derivedKey: found.derivedKey }),
    () => postMessage(null),
  );
});
