import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import type { Ctx } from '../context.ts';
import type { Env } from './env.ts';

const reading = new Set(['GET', 'HEAD']);

/** Marks handlers that check the token of the form they read; see body.ts. */
export const takesForms = Symbol('takes forms');

/** Origins of this server: the public one, or on loopback every name of this machine with the server's port. */
export function ownOrigins(config: Config, origin: string): string[] {
  if (config.publicOrigin) return [config.publicOrigin];
  const { port } = new URL(origin);
  return ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin);
}

/**
 * Protects changes against cross-site requests. A browser reports the origin of a request (Origin, Sec-Fetch-Site). A
 * custom header cannot be sent across origins without this server's consent; a form can, so forms need the token of
 * their page and are accepted only where it is checked. Browsers never send a bearer token by themselves.
 */
export const guard: MiddlewareHandler<Env> = async (c, next) => {
  if (!reading.has(c.req.method)) {
    const { ctx } = c.var;
    if (!fromHere(ctx, c.req.header('origin'), c.req.header('sec-fetch-site'))) throw new Problem('CSRF');
    const isForm = isFormPost(c) && matchedRoutes(c).some(({ handler }) => takesForms in handler);
    if (!isForm && !c.req.header('x-request-id') && ctx.proof?.kind !== 'token') throw new Problem('CSRF');
    // A change that was queued in a browser must not run as the next person who signs in there.
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
