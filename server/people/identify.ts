import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { lifetimes } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { findApiToken, findSession, type Found, type NewSession } from './sessions.ts';
import type { Ctx } from '../context.ts';
import { browserOf, deviceCookie, passCookie, sessionCookie } from '../http/cookies.ts';
import type { Env } from '../http/env.ts';
import { forgetForms } from '../http/forms.ts';

/** Identifies the sender of a request. A bearer token counts alone: cookies beside it are ignored. */
export async function identify(
  c: Context<Env>,
  ctx: Ctx,
): Promise<Pick<Ctx, 'person' | 'proof' | 'browser'> & Pick<Found, 'language'>> {
  const authorization = c.req.header('authorization') ?? '';
  // Other schemes are ignored; a proxy in front of the server may use them.
  if (/^Bearer\b/i.test(authorization)) {
    const token = /^Bearer ([\w-]{20,200})$/i.exec(authorization)?.[1];
    const found = token ? await findApiToken(ctx, token) : null;
    if (!found) throw new Problem('UNAUTH');
    return found;
  }
  const secret = getCookie(c, sessionCookie(ctx.config.secureCookies));
  const found = secret && /^[\w-]{43}$/.test(secret) ? await findSession(ctx, secret) : null;
  const browser = browserOf(getCookie(c, passCookie(ctx.config.secureCookies)));
  return { ...(found ?? { person: null, proof: null }), browser };
}

/** Remembers in the browser that the access code was given, so that it is not asked again, signed in or not. */
export function keepPass(c: Context<Env>, secret: string, maxAge: number): void {
  const { secureCookies } = c.var.ctx.config;
  setCookie(c, passCookie(secureCookies), secret, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: secureCookies,
    path: '/',
    maxAge,
  });
}

export function setSession(c: Context<Env>, session: NewSession): void {
  const { secureCookies } = c.var.ctx.config;
  setCookie(c, sessionCookie(secureCookies), session.secret, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: secureCookies,
    path: '/',
    ...(session.remember ? { maxAge: lifetimes.sessionAbsolute } : {}),
  });
  forgetForms(c);
}

const keepHeader = 'Colloquy-Keep';

export function clearSession(c: Context<Env>): void {
  const { secureCookies } = c.var.ctx.config;
  deleteCookie(c, sessionCookie(secureCookies), { httpOnly: true, sameSite: 'Lax', secure: secureCookies, path: '/' });
}

/**
 * Signs out and clears what the browser stores of the person. A client with unsent words or sound asks, by header, to
 * clear its storage itself.
 */
export function leaveBrowser(c: Context<Env>): void {
  clearSession(c);
  const { secureCookies } = c.var.ctx.config;
  // The next person at this browser has to enter access codes again.
  if (getCookie(c, passCookie(secureCookies)) !== undefined)
    deleteCookie(c, passCookie(secureCookies), { httpOnly: true, sameSite: 'Lax', secure: secureCookies, path: '/' });
  c.header('Clear-Site-Data', c.req.header(keepHeader) === 'unsent' ? '"cache"' : '"cache", "storage"');
}

/** Marks a browser that signed in to an account, so that failed attempts by strangers do not lock it out. */
export async function rememberDevice(c: Context<Env>, userId: string): Promise<void> {
  const { ctx } = c.var;
  const { token } = await ctx.keys.sign('device', userId, lifetimes.knownDevice);
  setCookie(c, deviceCookie(ctx.config.secureCookies), token, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: ctx.config.secureCookies,
    path: '/',
    maxAge: lifetimes.knownDevice,
  });
}

/** The account this browser signed in to before, and the id of its device token. */
export async function knownDevice(c: Context<Env>): Promise<{ userId: string; id: string } | null> {
  const { ctx } = c.var;
  const token = getCookie(c, deviceCookie(ctx.config.secureCookies));
  const signed = token ? await ctx.keys.verify('device', token) : null;
  return signed ? { userId: signed.subject, id: signed.id } : null;
}
