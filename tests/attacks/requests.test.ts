// B01 and its neighbours: forged, foreign and malformed requests change nothing, on every route.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiRoutes, writing } from './routes.ts';
import { foreignForms, requestAttacks } from './requests.ts';
import { attempt, openWorld, runAttacks, type World } from './run.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.house.close());

test('B01 a form of another site changes nothing, on every route', async () => {
  const routes = apiRoutes(world).filter(writing);
  expect(routes.length).toBeGreaterThan(15);
  for (const attack of foreignForms(routes)) {
    await attempt(attack, world).catch((error: unknown) => {
      throw new Error(attack.what, { cause: error });
    });
  }
  // The timeout allows for ten requests for each route.
}, 900_000);

runAttacks(requestAttacks, () => world);
