// A11: a registration needs a proof of work of its own, fresh and used once.
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BotAction, BotChallenge } from '#shared/bot-check.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
let other: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { BOT_CHECK: 'on' } });
  other = await openHouse({ env: { BOT_CHECK: 'on' } });
});
afterAll(async () => {
  await house?.close();
  await other?.close();
});

async function proofFor(person: Person, action: BotAction): Promise<string> {
  const answer = await person.get(`/api/bot-check?action=${action}`);
  const { challenge } = answer.body as { challenge: BotChallenge };
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(
    JSON.stringify({ challenge, solution: { counter: solution?.counter, derivedKey: solution?.derivedKey } }),
  ).toString('base64');
}

function newcomer(): Person {
  const person = house.stranger();
  person.email = `${newId(10).toLowerCase()}@example.test`;
  return person;
}

describe('A11: a registration needs a proof of its own', () => {
  test('with one, by the name of the form’s field too', async () => {
    const ann = newcomer();
    expect((await ann.register({ botToken: await proofFor(ann, 'register') })).status).toBe(200);
    const ben = newcomer();
    expect((await ben.register({ 'g-recaptcha-response': await proofFor(ben, 'register') })).status).toBe(200);
  });

  test.each<[string, (person: Person) => Promise<unknown>]>([
    ['missing', () => Promise.resolve(undefined)],
    ['empty', () => Promise.resolve('')],
    ['rubbish', () => Promise.resolve('rubbish')],
    ['made for another action', (person) => proofFor(person, 'restore')],
    ['made by another house', () => proofFor(other.stranger(), 'register')],
    [
      'used before',
      async (person) => {
        const proof = await proofFor(person, 'register');
        expect((await newcomer().register({ botToken: proof })).status).toBe(200);
        return proof;
      },
    ],
  ])('%s', async (_, make) => {
    const ann = newcomer();
    const refused = await ann.register({ botToken: await make(ann) });
    expect([refused.status, refused.problem.code, refused.problem.info.errors]).toEqual([
      422,
      'BOT',
      [{ field: 'botToken', code: 'bot' }],
    ]);
    expect(ann.cookies.has('colloquy')).toBe(false);
    expect(await house.mails(ann.email)).toEqual([]);
  });

  test('too long', async () => {
    const refused = await newcomer().register({ botToken: 'x'.repeat(4097) });
    expect([refused.status, refused.problem.code]).toEqual([422, 'INVALID']);
  });

  test('after ten minutes', async () => {
    const ann = newcomer();
    const proof = await proofFor(ann, 'register');
    house.clock.forward(601);
    expect((await ann.register({ botToken: proof })).problem.code).toBe('BOT');
  });
});

describe('the puzzles', () => {
  test('say that they are needed', async () => {
    expect((await house.stranger().get('/api/sign-in-options')).body.botCheck).toBe(true);
  });

  test.each(['', '?action=', '?action=login', '?action=register&action=x', '?action[]=register'])(
    '%s',
    async (query) => {
      const answer = await house.stranger().get(`/api/bot-check${query}`);
      expect(answer.status).toBe(query.startsWith('?action=register') ? 200 : 422);
    },
  );

  test('are not handed out without end', async () => {
    const busy = await openHouse({ env: { BOT_CHECK: 'on' } });
    const ann = busy.stranger();
    // Ten at once, so that they are all within the minute that is counted.
    for (let i = 0; i < 6; i += 1) {
      const ten = await Promise.all(Array.from({ length: 10 }, () => ann.get('/api/bot-check?action=register')));
      expect(new Set(ten.map(({ status }) => status))).toEqual(new Set([200]));
    }
    const refused = await ann.get('/api/bot-check?action=register');
    expect([refused.status, refused.problem.code]).toEqual([429, 'RATE']);
    await busy.close();
  });

  test('are not asked for at home', async () => {
    const home = await openHouse();
    expect((await home.stranger().get('/api/sign-in-options')).body.botCheck).toBe(false);
    const answer = await home.stranger().get('/api/bot-check?action=register');
    expect([answer.status, answer.body]).toEqual([200, { challenge: null }]);
    await home.close();
  });
});
