// Section 3.6, row by row, as everybody who may be in a room.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { byteAttacks } from './bytes.ts';
import { attempt, openCast, type Cast } from './stage.ts';

let cast: Cast;
beforeAll(async () => {
  cast = await openCast();
});
afterAll(() => cast.house.close());

describe.concurrent('bytes', () => {
  for (const attack of byteAttacks)
    for (const actor of attack.as ?? [])
      test(`${attack.id} ${attack.what}: ${actor}`, () => attempt(attack, cast, actor));
});
