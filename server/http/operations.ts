import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { isMigrated } from '#db/migrate.ts';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import type { Env } from './env.ts';
import { fromThisMachine } from './home.ts';

/** Milliseconds for a readiness check; probes that ask every second need an answer within it. */
const mostForReadiness = 1000;

/** Routes for the operator: liveness, readiness and metrics. */
export function operationsRoutes(house: House) {
  const check = async () => {
    if (!(await isMigrated(house.db, join(house.config.root, 'db/migrations'))))
      throw new Error('migrations are missing');
  };
  // One check at a time for all callers, so that a hanging database does not get more and more queries.
  let asking: Promise<void> | null = null;
  const ready = () => (asking ??= check().finally(() => (asking = null)));

  return new Hono<Env>()
    .get('/healthz', (c) => c.json({ live: true }))
    .get('/readyz', async (c) => {
      const overdue = new AbortController();
      const late = sleep(mostForReadiness, undefined, { signal: overdue.signal }).then(() => {
        throw new Error('the database does not answer');
      });
      try {
        await Promise.race([ready(), late]);
      } catch (error) {
        throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
      } finally {
        late.catch(() => {});
        overdue.abort();
      }
      return c.json({ ready: true });
    })
    .get('/metrics', async (c) => {
      // Metrics are for collectors on this machine only.
      if (!fromThisMachine(c.env.incoming.socket.remoteAddress, (name) => c.req.header(name)))
        throw new Problem('NOT_FOUND');
      const { registry } = house.metrics;
      return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
    });
}
