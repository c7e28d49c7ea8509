import type { BotAction, BotChallenge, BotProof } from '#shared/bot-check.ts';
import type { Api } from './api.ts';

/** Milliseconds until the puzzle is given up; far more than the slowest phone needs. */
const patience = 30_000;

/**
 * The proof of work that a form sends as `botToken`; undefined where the server asks for none. Computed in a worker, to
 * keep the page responsive. Each proof is valid once.
 */
export async function solveBotCheck(api: Api, action: BotAction): Promise<string | undefined> {
  const answer = await api['bot-check'].$get({ query: { action } });
  const { challenge } = await answer.json();
  if (!challenge) return undefined;
  const solution = await solve(challenge);
  const proof: BotProof = { challenge, solution };
  return btoa(JSON.stringify(proof));
}

function solve(challenge: BotChallenge): Promise<BotProof['solution']> {
  const worker = new Worker(new URL('./bot-check-worker.ts', import.meta.url), { type: 'module', name: 'bot check' });
  return new Promise<BotProof['solution']>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<BotProof['solution'] | null>) => {
      if (data) resolve(data);
      else reject(new Error('the bot check found no answer'));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(new Error('the bot check could not run', { cause: event.error }));
    });
    worker.postMessage({ challenge, patience });
  }).finally(() => worker.terminate());
}
