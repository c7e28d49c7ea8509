import type { Context } from 'hono';
import type { Env } from './env.ts';

/** Headers of every answer. By default it is data: never cached, and sandboxed if opened as a page. */
export const plainHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; sandbox allow-forms allow-same-origin allow-top-navigation-by-user-activation",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(self)',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export function houseHeaders(c: Context<Env>, version: string): void {
  for (const [name, value] of Object.entries(plainHeaders)) c.header(name, value);
  c.header('X-Request-ID', c.var.ctx.requestId);
  c.header('X-Version', version);
  if (c.var.ctx.config.secureCookies) c.header('Strict-Transport-Security', 'max-age=31536000');
}
