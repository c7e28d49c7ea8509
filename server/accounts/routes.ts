import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { addressInput, loginInput, newPasswordInput, principalView, registerInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { bareForm, body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { formPage } from '../http/forms.ts';
import { fromHere, isFormPost } from '../http/guard.ts';
import { describe } from '../http/openapi.ts';
import { clearSession, knownDevice, leaveBrowser, rememberDevice, setSession } from '../people/identify.ts';
import { undoEmailChange } from './change-email.ts';
import { logIn, logOut } from './login.ts';
import { confirm, register, resendConfirmation } from './register.ts';
import { askForReset, resetPassword } from './reset.ts';

const tag = 'Sign-in';
const userAnswer = z.object({ user: principalView });
const registerAnswer = z.object({ user: principalView, confirmationNeeded: z.boolean() });
const emailAnswer = z.object({ email: z.string() });
const formDescription = (summary: string) => describe({ summary, tag, open: true, page: true });

/** Routes for signing in and out, and for the links of mails. */
export const signInRoutes = new Hono<Env>()
  .get('/login', formDescription('The page whose hidden field carries the token for a form post'), (c) =>
    formPage(c, 'login', 'Log in'),
  )
  .get('/register', formDescription('The same for registering'), (c) => formPage(c, 'register', 'Register'))
  .get('/confirm', formDescription('The same for asking for the confirmation mail again'), (c) =>
    formPage(c, 'confirm', 'Resend confirmation'),
  )
  .get('/reset', formDescription('The same for asking for a new password'), (c) =>
    formPage(c, 'reset', 'Recover password'),
  )
  .get('/reset/:token', formDescription('The same for setting it; looking uses nothing up'), (c) =>
    formPage(c, 'reset', 'Reset password'),
  )
  .post(
    '/login',
    describe({ summary: 'Log in', tag, open: true, answer: userAnswer, problems: ['UNAUTH', 'RATE'] }),
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
    describe({
      summary: 'Register and sign in',
      tag,
      open: true,
      answer: registerAnswer,
      problems: ['BOT', 'RATE'],
    }),
    body(registerInput, { form: 'register' }),
    async (c) => {
      const { session, user, confirmationNeeded } = await register(c.var.ctx, c.req.valid('json'));
      setSession(c, session);
      return c.json({ user, confirmationNeeded });
    },
  )
  .post(
    '/confirm',
    describe({
      summary: 'Send the confirmation mail again',
      more: 'Retry-After of the answer is the number of seconds until it may be requested again.',
      tag,
      open: true,
      problems: ['RATE'],
    }),
    body(addressInput, { form: 'confirm' }),
    async (c) => {
      const seconds = await resendConfirmation(c.var.ctx, c.req.valid('json'));
      c.header('Retry-After', String(seconds));
      return c.body(null, 204);
    },
  )
  .post(
    '/confirm/:token',
    describe({
      summary: 'Confirm the address with the mail’s token',
      tag,
      open: true,
      answer: emailAnswer,
      problems: ['GONE', 'RATE'],
    }),
    async (c) => c.json(await confirm(c.var.ctx, c.req.param('token'))),
  )
  .post(
    '/reset',
    describe({
      summary: 'Request a mail that resets the password',
      tag,
      open: true,
      problems: ['BOT', 'RATE'],
    }),
    body(addressInput, { form: 'reset' }),
    async (c) => {
      await askForReset(c.var.ctx, c.req.valid('json'), await knownDevice(c));
      return c.body(null, 204);
    },
  )
  .post(
    '/reset/:token',
    describe({
      summary: 'Set a new password with the mail’s token; ends all sessions',
      tag,
      open: true,
      problems: ['GONE', 'RATE'],
    }),
    body(newPasswordInput, { form: 'reset' }),
    async (c) => {
      const { userId } = await resetPassword(c.var.ctx, c.req.param('token'), c.req.valid('json'));
      clearSession(c);
      // A browser that opened the mail belongs to the owner, so attempts by strangers must not lock it out.
      await rememberDevice(c, userId);
      return c.body(null, 204);
    },
  )
  .post(
    '/undo-email-change/:token',
    describe({
      summary: 'Undo a change of address with the mail’s token; a password reset follows by mail',
      tag,
      open: true,
      answer: emailAnswer,
      problems: ['GONE', 'RATE'],
    }),
    async (c) => c.json(await undoEmailChange(c.var.ctx, c.req.param('token'))),
  )
  // A GET because clients rely on it. It signs out only for a fetch of the product's own page, which a link, an image
  // or a prefetch of a foreign page cannot imitate; a followed link asks first.
  .get(
    '/logout',
    describe({
      summary: 'Log out (from our own page), or show a page that asks first',
      tag,
      open: true,
      page: true,
      also: { 204: 'Logged out' },
      problems: ['CSRF'],
    }),
    async (c) => {
      const { ctx } = c.var;
      const site = c.req.header('sec-fetch-site');
      if (c.req.header('x-request-id') && fromHere(ctx, c.req.header('origin'), site) && !c.req.header('sec-purpose')) {
        await logOut(ctx);
        leaveBrowser(c);
        return c.body(null, 204);
      }
      const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (elsewhere && c.req.header('sec-fetch-mode') !== 'navigate') throw new Problem('CSRF');
      const question = html`<p>Do you want to log out?</p>
        <button type="submit">Log out</button> <a href="/">Back</a>`;
      return formPage(c, 'logout', 'Log out', question);
    },
  )
  .post(
    '/logout',
    describe({
      summary: 'Log out',
      tag,
      open: true,
      also: { 303: 'The same for a form: to the page that says so' },
      problems: ['CSRF'],
    }),
    bareForm('logout'),
    async (c) => {
      await logOut(c.var.ctx);
      leaveBrowser(c);
      return isFormPost(c) ? c.redirect('/logout', 303) : c.body(null, 204);
    },
  );
