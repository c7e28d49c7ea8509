import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import type { Ctx } from '../context.ts';
import type { Env } from './env.ts';

const reading = new Set(['GET', 'HEAD']);

/** Marks the handlers that check the token of the form they read; see body.ts. */
export const takesForms = Symbol('takes forms');

/** Our own addresses: the public one, or on loopback every name of this machine at our port. */
export function ownOrigins(config: Config, origin: string): string[] {
  if (config.publicOrigin) return [config.publicOrigin];
  const { port } = new URL(origin);
  return ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin);
}

/**
 * Nobody else's page may make somebody's browser change anything here. A browser says where a request comes from
 * (Origin, Sec-Fetch-Site); beyond that, a header of our own cannot be sent across origins without our leave,
 * and forms, which can, carry their page's token and are taken only where it is checked. A bearer token is never sent
 * by a browser on its own.
 */
export const guard: MiddlewareHandler<Env> = async (c, next) => {
  if (!reading.has(c.req.method)) {
    const { ctx } = c.var;
    if (!fromHere(ctx, c.req.header('origin'), c.req.header('sec-fetch-site'))) throw new Problem('CSRF');
    const isForm = isFormPost(c) && matchedRoutes(c).some(({ handler }) => takesForms in handler);
    if (!isForm && !c.req.header('x-request-id') && ctx.proof?.kind !== 'token') throw new Problem('CSRF');
    // What waited in a browser for its turn is not done by whoever has signed in there since.
    const meant = c.req.header('x-acting-as');
    if (meant !== undefined && meant !== ctx.person?.id) throw new Problem('UNAUTH');
  }
  await next();
};

export function fromHere(ctx: Ctx, origin: string | undefined, site: string | undefined): boolean {
  if (origin !== undefined && !ownOrigins(ctx.config, ctx.origin()).includes(origin)) return false;
  return site === undefined || site === 'same-origin' || site === 'none';
}

export const mediaType = (c: Context<Env>): string =>
  (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
export const isFormPost = (c: Context<Env>): boolean => mediaType(c) === 'application/x-www-form-urlencoded';
