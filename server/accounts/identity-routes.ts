import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { signInOptionsView } from '#shared/accounts.ts';
import { botActions, botChallenge } from '#shared/bot-check.ts';
import { safePath } from '#shared/redirects.ts';
import { demoAccounts } from './demo-people.ts';
import { query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { ownOrigins } from '../http/guard.ts';
import { fromHome } from '../http/home.ts';
import { describe } from '../http/openapi.ts';
import { rememberDevice, setSession } from '../people/identify.ts';
import { newSecret } from '../keys.ts';
import { rules } from '../limits.ts';
import { beginIdentity, finishIdentity, flowLifetime, type IdentityResult } from './identity.ts';

const tag = 'Sign-in';
const invitationSecret = /^[\w-]{43}$/;
const goes = (summary: string) => ({ summary, tag, open: true, redirect: true });
/** Query of the sign-in links: other fields are ignored, and each value is validated where it is used. */
const wayBack = z.object({
  next_url: z.string().optional(),
  again: z.string().optional(),
  invite: z.string().optional(),
  ref: z.string().optional(),
});

/** Sign-in through an identity provider, and the options that the sign-in screens show. */
export const identityRoutes = new Hono<Env>()
  .get(
    '/sign-in-options',
    describe({
      summary: 'Get the ways to sign in that this server offers',
      tag,
      open: true,
      answer: signInOptionsView,
    }),
    async (c) => {
      const { ctx } = c.var;
      const atHome = fromHome(ctx.config, c.env.incoming?.socket.remoteAddress, (name) => c.req.header(name));
      return c.json({
        identity: ctx.identity && { id: ctx.identity.id, name: ctx.identity.name },
        botCheck: ctx.botCheck.required,
        demo: ctx.config.demo && atHome ? await demoAccounts(ctx) : [],
      });
    },
  )
  .get(
    '/bot-check',
    describe({
      summary: 'Get the bot check to solve before sending this action’s form; null when none is needed',
      tag,
      open: true,
      answer: z.object({ challenge: botChallenge.nullable() }),
      problems: ['INVALID', 'RATE'],
    }),
    query(z.object({ action: z.enum(botActions, 'invalid') })),
    async (c) => {
      const { ctx } = c.var;
      await ctx.limits.take(rules.botCheck, ctx.address);
      return c.json({ challenge: await ctx.botCheck.challenge(c.req.valid('query').action) });
    },
  )
  // An invitation link signs nobody in; it leads to the invitation, or to the sign-in page.
  .get(
    '/login/invite',
    describe(goes('Redirect to the invitation a link belongs to; does not sign in')),
    query(wayBack),
    (c) => {
      const { next_url, invite } = c.req.valid('query');
      const next = safePath(next_url);
      const secret = invite ?? new URL(next, c.var.ctx.origin()).searchParams.get('invite') ?? '';
      if (!invitationSecret.test(secret)) return c.redirect(withQuery('/login', { redirectTo: next }));
      return c.redirect(withQuery(`/invitation/${secret}`, { redirectTo: next }));
    },
  )
  .get(
    '/login/:provider',
    describe({
      ...goes('Redirect to the identity provider; `again=1` asks the person to authenticate again'),
      problems: ['NOT_FOUND', 'RATE'],
    }),
    query(wayBack),
    async (c) => {
      const { next_url, again, ref } = c.req.valid('query');
      const provider = c.req.param('provider');
      const browser = browserSecret(c) ?? newSecret();
      const result = await beginIdentity(c.var.ctx, {
        provider,
        next: next_url,
        referral: ref ?? null,
        again: again === '1',
        browser,
        redirectUri: redirectUri(c, provider),
      });
      if (result.kind === 'refused') return c.redirect(afterwards(result));
      setBrowserSecret(c, browser);
      return c.redirect(result.to.href);
    },
  )
  .get(
    '/login/:provider/callback',
    describe({ ...goes('Return from the identity provider'), problems: ['NOT_FOUND', 'CSRF'] }),
    async (c) => {
      const provider = c.req.param('provider');
      const result = await finishIdentity(c.var.ctx, {
        provider,
        callback: new URL(c.req.url),
        browser: browserSecret(c) ?? '',
        redirectUri: redirectUri(c, provider),
      });
      if (result.kind === 'signed-in') {
        setSession(c, result.session);
        await rememberDevice(c, result.userId);
      }
      return c.redirect(afterwards(result));
    },
  );

/** Path to continue at: the sign-in page after a failed sign-in, the page it came from after a failed proof. */
function afterwards(result: IdentityResult): string {
  if (result.kind !== 'refused') return result.next;
  return result.again
    ? withQuery(result.next, { error: result.error })
    : withQuery('/login', { error: result.error, redirectTo: result.next });
}

function withQuery(path: string, values: Record<string, string>): string {
  const url = new URL(path, 'http://own.invalid');
  for (const [name, value] of Object.entries(values)) {
    if (name !== 'redirectTo' || value !== '/') url.searchParams.set(name, value);
  }
  return url.pathname + url.search + url.hash;
}

/**
 * The callback address on the host that the browser used, because its cookies belong to that host. Only origins of this
 * server count.
 */
function redirectUri(c: Context<Env>, provider: string): string {
  const { ctx } = c.var;
  const requestOrigin = `http://${c.req.header('host') ?? ''}`;
  const origin = ownOrigins(ctx.config, ctx.origin()).find((own) => own === requestOrigin) ?? ctx.origin();
  return `${origin}/api/login/${provider}/callback`;
}

const cookieName = (c: Context<Env>): string => (c.var.ctx.config.secureCookies ? '__Host-identity' : 'identity');

function browserSecret(c: Context<Env>): string | null {
  const secret = getCookie(c, cookieName(c));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : null;
}

function setBrowserSecret(c: Context<Env>, secret: string): void {
  const secure = c.var.ctx.config.secureCookies;
  setCookie(c, cookieName(c), secret, { httpOnly: true, sameSite: 'Lax', secure, path: '/', maxAge: flowLifetime });
}
