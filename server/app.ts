import { Hono, type Context } from 'hono';
import { acceptedLanguage } from '#shared/i18n/languages.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { aiRoutes } from './ai/routes.ts';
import { archiveRoutes } from './archive/routes.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { annotationRoutes } from './annotations/routes.ts';
import { identityRoutes } from './accounts/identity-routes.ts';
import { invitationRoutes } from './accounts/invitation-routes.ts';
import { principalRoutes } from './accounts/principal-routes.ts';
import { signInRoutes } from './accounts/routes.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import type { Ctx, House } from './context.ts';
import { billingRoutes } from './billing/routes.ts';
import { clientAddress } from './http/address.ts';
import { onError, routeOf } from './http/answer.ts';
import type { Env } from './http/env.ts';
import { guard } from './http/guard.ts';
import { docsRoutes } from './http/docs.ts';
import { houseHeaders } from './http/headers.ts';
import { operationsRoutes } from './http/operations.ts';
import { pageRoutes, type Pages } from './http/pages.ts';
import { identify } from './people/identify.ts';
import { paymentRoutes } from './billing/payment-routes.ts';
import { webhookRoutes } from './billing/webhook.ts';
import { sampleRoutes } from './demo/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { glossaryRoutes } from './glossary/routes.ts';
import { groupRoutes } from './groups/routes.ts';
import { intakeRoutes } from './intake/routes.ts';
import { serviceRoutes } from './intake/service-routes.ts';
import { storeRoutes } from './intake/store-routes.ts';
import { compareRoutes } from './compare/routes.ts';
import { libraryRoutes } from './library/routes.ts';
import { outboxRoutes } from './mail/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { outcomeModelRoutes } from './outcome-models/routes.ts';
import { orderRecordingRoutes } from './orders/recording-routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { folderSharingRoutes } from './sharing/folder-routes.ts';
import { sharingRoutes } from './sharing/routes.ts';
import { supportRoutes } from './support/routes.ts';
import { recorderRoutes } from './recorder/routes.ts';
import { firstTextFiller } from './meetings/first-text-page.ts';
import { historyRoutes } from './meetings/history-routes.ts';
import { mediaRoutes } from './media/routes.ts';
import { meetingRoutes } from './meetings/meeting-routes.ts';
import { reviewRoutes } from './reviews/routes.ts';
import { reportRoutes } from './report/routes.ts';
import { originalRoutes } from './meetings/original-routes.ts';
import { liveRoutes } from './meetings/routes.ts';
import { checkVerbs } from './verbs.ts';

const requestIdPattern = /^[A-Za-z0-9-]{8,64}$/;
const unremarkable = new Set(['*', '/healthz', '/readyz', '/metrics']);
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** All routes of the API; a new capability adds its routes here, one line each. */
const api = new Hono<Env>()
  .route('/', signInRoutes)
  .route('/', principalRoutes)
  .route('/', sessionRoutes)
  .route('/', outboxRoutes)
  // Must precede the identity provider, whose path parameter matches any word.
  .route('/', serviceRoutes)
  .route('/', identityRoutes)
  .route('/', invitationRoutes)
  .route('/', supportRoutes)
  .route('/', intakeRoutes)
  // Must precede the meetings, whose path parameter matches any word.
  .route('/', modelRoutes)
  .route('/', recorderRoutes)
  .route('/', orderRoutes)
  .route('/', liveRoutes)
  .route('/', libraryRoutes)
  .route('/', compareRoutes)
  .route('/', archiveRoutes)
  .route('/', sampleRoutes)
  .route('/', aiRoutes)
  .route('/', meetingRoutes)
  .route('/', outcomeModelRoutes)
  .route('/', glossaryRoutes)
  .route('/', reviewRoutes)
  .route('/', reportRoutes)
  .route('/', annotationRoutes)
  .route('/', originalRoutes)
  .route('/', attachmentRoutes)
  .route('/', exportRoutes)
  .route('/', historyRoutes)
  .route('/', sharingRoutes)
  .route('/', folderSharingRoutes)
  .route('/', billingRoutes)
  .route('/', groupRoutes)
  .route('/', paymentRoutes)
  .route('/', mediaRoutes);

/** Type from which the typed client in the browser knows the API. */
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
      language: acceptedLanguage(c.req.header('accept-language')),
      person: null,
      proof: null,
      browser: null,
      gone: () => c.req.raw.signal,
    };
    c.set('ctx', ctx);
    const started = performance.now();
    houseHeaders(c, pages.version);
    await next();
    const route = routeOf(c);
    const seconds = (performance.now() - started) / 1000;
    const { method } = c.req;
    const { status } = c.res;
    house.metrics.requests.observe({ method, route, status }, seconds);
    // Requests for client files and health checks would fill the log, so they are logged at debug level.
    const level = status < 400 && unremarkable.has(route) ? 'debug' : 'info';
    house.log[level]({ requestId, method, route, status, ms: Math.round(seconds * 1000) }, 'request');
  });

  app.use(async (c, next) => {
    if (!methods.includes(c.req.method)) throw notAllowed(c, methods);
    // `rawHeaders` alternates names and values: 200 entries are 100 headers, more than any honest client sends.
    if ((c.env.incoming?.rawHeaders.length ?? 0) > 200) throw new Problem('HEADERS');
    if (c.req.header('content-encoding')) throw new Problem('TYPE');
    // U+0000 occurs in no stored text, and Postgres rejects it even in a query parameter.
    if (c.req.url.includes('%00')) throw new Problem('BAD_REQUEST');
    await next();
  });

  app.route('/', operationsRoutes(house));
  if (!house.config.serves.api) {
    app.notFound(() => {
      throw new Problem('NOT_FOUND');
    });
    return app;
  }

  app.route('/api', docsRoutes(house, api));
  app.route('/', webhookRoutes);
  app.use('/api/*', async (c, next) => {
    const { ctx } = c.var;
    Object.assign(ctx, await identify(c, ctx));
    await next();
  });
  app.use('/api/*', guard);
  app.route('/api', api);
  checkVerbs(app);
  app.all('/api/*', (c) => {
    const allowed = app.routes.filter((route) => route.method !== 'ALL' && matches(route.path, c.req.path));
    throw allowed.length > 0
      ? notAllowed(c, [...new Set(allowed.map((route) => route.method))])
      : new Problem('NOT_FOUND');
  });

  app.route('/', storeRoutes(house));
  app.route('/', orderRecordingRoutes);
  app.route('/', pageRoutes(house, pages, firstTextFiller()));
  app.notFound((c) => {
    throw notAllowed(c, ['GET', 'HEAD']);
  });
  return app;
}

function notAllowed(c: Context<Env>, allowed: string[]): Problem {
  c.header('Allow', allowed.join(', '));
  return new Problem('METHOD');
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith(':') || part === given[i]);
}
