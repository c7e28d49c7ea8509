import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { openAPIRouteHandler } from 'hono-openapi';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { principalRoutes, signInRoutes } from './accounts/routes.ts';
import type { Ctx, House } from './context.ts';
import { clientAddress } from './http/address.ts';
import { onError, problemAnswer } from './http/answer.ts';
import type { Env } from './http/env.ts';
import { guard } from './http/guard.ts';
import { apiHeaders, houseHeaders } from './http/headers.ts';
import { documentation } from './http/openapi.ts';
import { operationsRoutes } from './http/operations.ts';
import { pageRoutes, type Pages } from './http/pages.ts';
import { identify } from './http/session.ts';
import { outboxRoutes } from './mail/routes.ts';

const requestIdPattern = /^[A-Za-z0-9-]{8,64}$/;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** All of the API; a new capability adds its routes here, one line each. */
const api = new Hono<Env>().route('/', signInRoutes).route('/', principalRoutes).route('/', outboxRoutes);

/** What the typed client in the browser knows the API by. */
export type App = typeof api;

export function createApp(house: House, pages: Pages) {
  const app = new Hono<Env>();
  app.onError(onError);

  app.use(async (c, next) => {
    const given = c.req.header('x-request-id') ?? '';
    const requestId = requestIdPattern.test(given) ? given : newId();
    const ctx: Ctx = {
      ...house,
      requestId,
      address: clientAddress(house.config, c.env.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
      userAgent: (c.req.header('user-agent') ?? '').slice(0, 300),
      language: null,
      person: null,
      proof: null,
    };
    c.set('ctx', ctx);
    const started = performance.now();
    houseHeaders(c, pages.version);
    await next();
    c.header('X-Request-ID', requestId);
    const route = c.error || c.res.status !== 404 ? routePath(c, -1) : 'none';
    const seconds = (performance.now() - started) / 1000;
    house.metrics.requests.observe({ method: c.req.method, route, status: c.res.status }, seconds);
    house.log.info({ requestId, method: c.req.method, route, status: c.res.status, ms: Math.round(seconds * 1000) }, 'request');
  });

  app.use(async (c, next) => {
    if (!methods.has(c.req.method)) throw new Problem('METHOD');
    // Node cuts the list at its own limit without a word; more than a hundred is nobody's honest request.
    if ((c.env.incoming?.rawHeaders.length ?? 0) > 200) throw new Problem('HEADERS');
    if (c.req.header('content-encoding')) throw new Problem('TYPE');
    await next();
  });

  app.route('/', operationsRoutes(house));

  app.use('/api/*', apiHeaders, async (c, next) => {
    const { ctx } = c.var;
    Object.assign(ctx, await identify(c, ctx));
    await next();
  });
  app.use('/api/*', guard);
  app.route('/api', api);
  app.get('/api/openapi.json', openAPIRouteHandler(api, { documentation: { ...documentation, servers: [{ url: '/api' }] } as never, defaultValidationErrorResponse: false }));
  app.all('/api/*', (c) => {
    const known = app.routes.some((route) => route.method !== 'ALL' && matches(route.path, c.req.path));
    return problemAnswer(c, new Problem(known ? 'METHOD' : 'NOT_FOUND'), c.var.ctx.requestId);
  });

  app.route('/', pageRoutes(house, pages));
  return app;
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith(':') || part === given[i]);
}
