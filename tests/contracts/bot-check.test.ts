// One contract for every bot check: the proof of work and none.
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeys } from '#server/keys.ts';
import { createBotCheck } from '#server/outside/altcha.ts';
import { noBotCheck, type BotCheck } from '#server/outside/bot-check.ts';
import { botActions, type BotAction, type BotProof } from '#shared/bot-check.ts';
import { MovableClock } from '#tests/support/clock.ts';
import { freshDatabase } from '#tests/support/database.ts';

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
const clock = new MovableClock();
let made: Record<'altcha' | 'none', BotCheck>;
/** The same house under another name, and another house with keys of its own. */
let elsewhere: BotCheck;
let stranger: BotCheck;
let strangers: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
  strangers = await freshDatabase();
  const keys = await openKeys(fresh.database, clock);
  made = { altcha: createBotCheck(keys, fresh.database, clock, 'colloquy.example'), none: noBotCheck };
  elsewhere = createBotCheck(keys, fresh.database, clock, 'other.example');
  stranger = createBotCheck(await openKeys(strangers.database, clock), strangers.database, clock, 'colloquy.example');
});
afterAll(async () => {
  await fresh?.drop();
  await strangers?.drop();
});

const written = (proof: unknown): string => Buffer.from(JSON.stringify(proof)).toString('base64');

/** Solves a puzzle as a browser does. */
async function solved(check: BotCheck, action: BotAction): Promise<BotProof | null> {
  const challenge = await check.challenge(action);
  if (!challenge) return null;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('no solution');
  return { challenge, solution: { counter: solution.counter, derivedKey: solution.derivedKey } };
}

async function proofOf(check: BotCheck, action: BotAction): Promise<string | undefined> {
  const proof = await solved(check, action);
  return proof ? written(proof) : undefined;
}

describe.each(['altcha', 'none'] as const)('every bot check (%s)', (kind) => {
  test.each(botActions)('accepts a correct proof for %s', async (action) => {
    const check = made[kind];
    expect(await check.verify(action, await proofOf(check, action))).toBe(true);
  });

  test('demands a proof exactly when it announces one', async () => {
    const check = made[kind];
    expect((await check.challenge('register')) !== null).toBe(check.required);
    expect(await check.verify('register', undefined)).toBe(!check.required);
  });
});

describe('the proof of work', () => {
  test('contains only its action and host, and differs each time', async () => {
    const [one, two] = await Promise.all([made.altcha.challenge('register'), made.altcha.challenge('register')]);
    expect(one?.parameters.data).toEqual({ action: 'register', host: 'colloquy.example' });
    expect(one?.parameters.nonce).not.toBe(two?.parameters.nonce);
    expect(one?.parameters.keyPrefix).not.toBe(two?.parameters.keyPrefix);
  });

  test('is valid once, even when twenty requests arrive at once', async () => {
    const proof = await proofOf(made.altcha, 'register');
    const answers = await Promise.all(Array.from({ length: 20 }, () => made.altcha.verify('register', proof)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await made.altcha.verify('register', proof)).toBe(false);
  });

  test('is valid once, in any spelling', async () => {
    const proof = await solved(made.altcha, 'register');
    const { challenge, solution } = proof!;
    expect(await made.altcha.verify('register', written(proof))).toBe(true);
    const { parameters, signature } = challenge;
    const spellings = [
      { challenge: { signature, parameters }, solution },
      { challenge: { parameters, signature: signature.toUpperCase() }, solution },
      { challenge: { parameters: { ...parameters, nonce: parameters.nonce.toUpperCase() }, signature }, solution },
      { challenge, solution: { ...solution, counter: solution.counter + 1 } },
      { challenge, solution: { ...solution, time: 3 } },
    ];
    for (const spelling of spellings) expect(await made.altcha.verify('register', written(spelling))).toBe(false);
    expect(await made.altcha.verify('register', `${written(proof)}\n`)).toBe(false);
  });

  test('is for one action', async () => {
    const proof = await proofOf(made.altcha, 'restore');
    expect(await made.altcha.verify('register', proof)).toBe(false);
    // An attempt with the wrong action has not used it up.
    expect(await made.altcha.verify('restore', proof)).toBe(true);
  });

  test('is for one host', async () => {
    expect(await elsewhere.verify('register', await proofOf(made.altcha, 'register'))).toBe(false);
  });

  test('is accepted only from our own house', async () => {
    expect(await made.altcha.verify('register', await proofOf(stranger, 'register'))).toBe(false);
  });

  test('is valid for ten minutes', async () => {
    const [early, late] = [await proofOf(made.altcha, 'register'), await proofOf(made.altcha, 'register')];
    clock.forward(590);
    expect(await made.altcha.verify('register', early)).toBe(true);
    clock.forward(11);
    expect(await made.altcha.verify('register', late)).toBe(false);
  });

  test('cannot be made easier, longer-lived or different by the client', async () => {
    const proof = (await solved(made.altcha, 'register'))!;
    const { challenge, solution } = proof;
    const { parameters, signature } = challenge;
    const changed: Partial<typeof parameters>[] = [
      { cost: 1 },
      { keyPrefix: '00' },
      { expiresAt: parameters.expiresAt + 1 },
      { algorithm: 'SHA-256' },
      { keySignature: '00' },
      { data: { action: 'register', host: 'colloquy.example', more: 1 } as never },
    ];
    for (const change of changed) {
      const forged = { challenge: { parameters: { ...parameters, ...change }, signature }, solution };
      expect(await made.altcha.verify('register', written(forged))).toBe(false);
    }
    const guessed = { challenge, solution: { counter: 0, derivedKey: parameters.keyPrefix } };
    expect(await made.altcha.verify('register', written(guessed))).toBe(false);
    expect(await made.altcha.verify('register', written(proof))).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['null', written(null)],
    ['a list', written([])],
    ['a number', written(1)],
    ['an empty proof', written({})],
    ['no solution', written({ challenge: { parameters: {}, signature: '' } })],
    ['a prototype', Buffer.from('{"__proto__":{"challenge":1}}').toString('base64')],
    ['deep', Buffer.from('['.repeat(2000) + ']'.repeat(2000)).toString('base64')],
  ])('%s is no proof', async (_, proof) => {
    expect(await made.altcha.verify('register', proof)).toBe(false);
  });
});
