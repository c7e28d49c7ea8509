import type { Context, MiddlewareHandler } from 'hono';
import type { Env } from './env.ts';

/** On every answer, whatever it is. */
export function houseHeaders(c: Context<Env>, version: string): void {
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Referrer-Policy', 'no-referrer');
  c.header('Cross-Origin-Resource-Policy', 'same-origin');
  c.header('Cross-Origin-Opener-Policy', 'same-origin');
  c.header('X-Frame-Options', 'DENY');
  c.header('Permissions-Policy', 'camera=(), geolocation=(), microphone=(self)');
  c.header('X-Version', version);
  if (c.var.ctx.config.secureCookies) c.header('Strict-Transport-Security', 'max-age=31536000');
}

/** An answer of the API is data: never kept, never a page. */
export const apiHeaders: MiddlewareHandler<Env> = async (c, next) => {
  c.header('Cache-Control', 'no-store');
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; form-action 'self'; sandbox allow-forms allow-same-origin allow-top-navigation-by-user-activation");
  await next();
};
