import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import { isLoopback, plainAddress } from './address.ts';
import type { Env } from './env.ts';

/** For whoever runs the house: is it alive, can it work, how is it doing. */
export function operationsRoutes(house: House) {
  return new Hono<Env>()
    .get('/healthz', (c) => c.json({ live: true }))
    .get('/readyz', async (c) => {
      try {
        await house.db.orm.execute(sql`select 1`);
      } catch (error) {
        throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
      }
      return c.json({ ready: true });
    })
    .get('/metrics', async (c) => {
      // Figures are for the house: from this machine, or from a proxy's network where the operator exposes them.
      const remote = c.env.incoming?.socket.remoteAddress;
      const direct = !c.req.header('x-forwarded-for') && !c.req.header('forwarded');
      const trusted = house.config.trustedProxies.some((proxy) => plainAddress(proxy) === plainAddress(remote ?? ''));
      if (!direct || !(isLoopback(remote) || trusted)) throw new Problem('NOT_FOUND');
      return c.body(await house.metrics.registry.metrics(), 200, { 'Content-Type': house.metrics.registry.contentType });
    });
}
