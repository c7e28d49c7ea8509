import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { addressInput, loginInput, principalView, registerInput, sessionInfoView } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { checkFormToken, formPage } from '../http/forms.ts';
import { fromHere } from '../http/guard.ts';
import { describe } from '../http/openapi.ts';
import { clearSession, knownDevice, rememberDevice, setSession } from '../http/session.ts';
import { logIn, logOut } from './login.ts';
import { sessionInfo } from './principal.ts';
import { confirm, register, resendConfirmation } from './register.ts';

const tag = 'Sign-in';
const userAnswer = z.object({ user: principalView });
const registerAnswer = z.object({ user: principalView, confirmationNeeded: z.boolean() });
const page = (summary: string) => describe({ summary, tag, open: true, answer: z.string() });

/** Coming in and going out. */
export const signInRoutes = new Hono<Env>()
  .get('/login', page('The page whose hidden field carries the token for a form post'), (c) => formPage(c, 'login', 'Log in'))
  .get('/register', page('The same for registering'), (c) => formPage(c, 'register', 'Register'))
  .get('/confirm', page('The same for asking for the confirmation mail again'), (c) => formPage(c, 'confirm', 'Resend confirmation'))
  .post(
    '/login',
    describe({ summary: 'Log in', tag, open: true, answer: userAnswer, problems: ['UNAUTH', 'CSRF', 'INVALID', 'TYPE', 'BIG'] }),
    body(loginInput, { form: 'login' }),
    async (c) => {
      const { session, userId, user } = await logIn(c.var.ctx, c.req.valid('json'), await knownDevice(c));
      setSession(c, session);
      await rememberDevice(c, userId);
      return c.json({ user });
    },
  )
  .post(
    '/register',
    describe({ summary: 'Register', tag, open: true, answer: registerAnswer, problems: ['CSRF', 'INVALID', 'BOT', 'TYPE', 'BIG'] }),
    body(registerInput, { form: 'register' }),
    async (c) => {
      const { session, user, confirmationNeeded } = await register(c.var.ctx, c.req.valid('json'));
      setSession(c, session);
      return c.json({ user, confirmationNeeded });
    },
  )
  .post(
    '/confirm',
    describe({ summary: 'Ask for the confirmation mail again', tag, open: true, problems: ['CSRF', 'INVALID', 'TYPE', 'BIG'] }),
    body(addressInput, { form: 'confirm' }),
    async (c) => {
      await resendConfirmation(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/confirm/:token',
    describe({ summary: 'Confirm the address with the token of the mail', tag, open: true, answer: z.object({ email: z.string() }), problems: ['CSRF', 'GONE'] }),
    async (c) => c.json(await confirm(c.var.ctx, c.req.param('token'))),
  )
  // Kept as a GET because clients rely on it. It acts only for our own page's fetch, which a link, an image or a
  // prefetch of somebody else's cannot imitate; whoever comes by a link is asked first.
  .get('/logout', describe({ summary: 'Log out (from our own page), or a page that asks first', tag, open: true, problems: ['CSRF'] }), async (c) => {
    const { ctx } = c.var;
    const site = c.req.header('sec-fetch-site');
    c.header('Cache-Control', 'no-store');
    if (c.req.header('x-request-id') && fromHere(ctx, c.req.header('origin'), site) && !c.req.header('sec-purpose')) {
      await logOut(ctx);
      clearSession(c);
      c.header('Clear-Site-Data', '"cache", "storage"');
      return c.body(null, 204);
    }
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && c.req.header('sec-fetch-mode') !== 'navigate') throw new Problem('CSRF');
    return formPage(c, 'logout', 'Log out', html`<p>Do you want to log out?</p><button type="submit">Log out</button> <a href="/">Back</a>`);
  })
  .post('/logout', describe({ summary: 'Log out', tag, open: true, problems: ['CSRF'] }), async (c) => {
    const { ctx } = c.var;
    const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    const isForm = type === 'application/x-www-form-urlencoded';
    if (isForm) checkFormToken(c, 'logout', new URLSearchParams(await c.req.text()).get('csrf_token'));
    await logOut(ctx);
    clearSession(c);
    c.header('Clear-Site-Data', '"cache", "storage"');
    return isForm ? c.redirect('/logout', 303) : c.body(null, 204);
  });

export const principalRoutes = new Hono<Env>().get(
  '/principals/whoami',
  describe({ summary: 'Who is asking, and all a page needs to know of them', tag: 'People', open: true, answer: sessionInfoView }),
  async (c) => c.json(await sessionInfo(c.var.ctx)),
);
