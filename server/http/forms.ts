import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { lifetimes } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { newSecret, sameBytes } from '../keys.ts';
import type { Env } from './env.ts';

/** Pages that can be posted as a form; a token of one page is invalid for the others. */
export type FormPurpose = 'login' | 'register' | 'reset' | 'confirm' | 'logout' | 'zoom-logout' | 'webex-logout';

const cookieName = (ctx: Ctx) => (ctx.config.secureCookies ? '__Host-pre' : 'pre');

/** Answers a page with a form token in a hidden field; a cookie set here binds the token to this browser. */
export function formPage(
  c: Context<Env>,
  purpose: FormPurpose,
  title: string,
  content: ReturnType<typeof html> | string = '',
): Response | Promise<Response> {
  const { ctx } = c.var;
  let browser = getCookie(c, cookieName(ctx));
  if (!browser || !/^[\w-]{43}$/.test(browser)) {
    browser = newSecret();
    setCookie(c, cookieName(ctx), browser, {
      httpOnly: true,
      sameSite: 'Lax',
      secure: ctx.config.secureCookies,
      path: '/',
      maxAge: lifetimes.csrf,
    });
  }
  const expires = Math.floor(ctx.clock.now().getTime() / 1000) + lifetimes.csrf;
  const token = `${expires}.${stamp(ctx, browser, purpose, expires).toString('base64url')}`;
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
        </head>
        <body>
          <form method="post"><input type="hidden" name="csrf_token" value="${token}" />${content}</form>
        </body>
      </html>`,
  );
}

export function checkFormToken(c: Context<Env>, purpose: FormPurpose, token: unknown): void {
  const { ctx } = c.var;
  const browser = getCookie(c, cookieName(ctx));
  const [expires, mac] = typeof token === 'string' ? token.split('.') : [];
  const until = Number(expires);
  if (!browser || !mac || !/^\d{1,12}$/.test(expires ?? '') || until * 1000 < ctx.clock.now().getTime())
    throw new Problem('CSRF');
  if (!sameBytes(Buffer.from(mac, 'base64url'), stamp(ctx, browser, purpose, until))) throw new Problem('CSRF');
}

/** Invalidates all earlier form tokens of this browser after a sign-in, by deleting its half of them. */
export function forgetForms(c: Context<Env>): void {
  const { ctx } = c.var;
  if (getCookie(c, cookieName(ctx)))
    setCookie(c, cookieName(ctx), '', {
      httpOnly: true,
      sameSite: 'Lax',
      secure: ctx.config.secureCookies,
      path: '/',
      maxAge: 0,
    });
}

const stamp = (ctx: Ctx, browser: string, purpose: FormPurpose, expires: number): Buffer =>
  ctx.keys.mac('forms', `${browser}|${purpose}|${expires}`);
