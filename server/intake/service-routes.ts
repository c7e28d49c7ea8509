import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import {
  isServiceFileType,
  serviceNames,
  webexListInput,
  webexListView,
  zoomListInput,
  zoomListView,
  type ServiceId,
} from '#shared/meeting-services.ts';
import { Problem, type ProblemCode } from '#shared/problems.ts';
import { safePath } from '#shared/redirects.ts';
import type { Ctx } from '../context.ts';
import { signedIn } from '../context.ts';
import { bareForm, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { formPage } from '../http/forms.ts';
import { fromHere, isFormPost } from '../http/guard.ts';
import { describe } from '../http/openapi.ts';
import { rules } from '../limits.ts';
import type { Recorded } from '../outside/meeting-service.ts';
import { baseOf } from './routes.ts';
import { asPerson, beginService, finishService, logOutOfService, serviceOf } from './service-accounts.ts';

const tag = 'Import';
const wayBack = z.object({ next_url: z.string().optional() });
const authorizes = (id: ServiceId) =>
  describe({
    summary: `Redirect to ${serviceNames[id]} to allow this server to read the caller’s recordings`,
    tag,
    open: true,
    redirect: true,
    problems: ['NOT_FOUND', 'NO_PERM', 'RATE'],
  });
const comesBack = (id: ServiceId) =>
  describe({
    summary: `Return from ${serviceNames[id]}`,
    tag,
    open: true,
    redirect: true,
    problems: ['NOT_FOUND', 'NO_PERM', 'CSRF'],
  });
const lists = (id: ServiceId, answer: z.ZodType, problem: ProblemCode) =>
  describe({
    summary: `List the caller’s recordings at ${serviceNames[id]}`,
    more: `If the answer is ${problem}, the person has to visit \`/api/login/${id}\` first. Long lists are read page by page and returned whole.`,
    tag,
    answer,
    problems: ['INVALID', 'NOT_FOUND', 'RATE', 'UPSTREAM', problem],
  });
const leaves = (id: ServiceId) =>
  describe({
    summary: `Log out of ${serviceNames[id]} (from our own page), or show a page that asks first`,
    tag,
    page: true,
    also: { 204: 'Logged out' },
    problems: ['CSRF', 'NOT_FOUND'],
  });
const posted = (id: ServiceId) =>
  describe({
    summary: `Log out of ${serviceNames[id]}`,
    tag,
    also: { 303: 'The same for a form: to the library' },
    problems: ['CSRF', 'NOT_FOUND'],
  });

/** Recordings at other services: authorize, list, log out. */
export const serviceRoutes = new Hono<Env>()
  .get('/login/zoom', authorizes('zoom'), query(wayBack), (c) => away(c, 'zoom', c.req.valid('query').next_url))
  .get('/login/zoom/callback', comesBack('zoom'), (c) => back(c, 'zoom'))
  .get('/zoom/recordings', lists('zoom', zoomListView, 'ZOOM_AUTH'), query(zoomListInput), async (c) => {
    const { from, to, page_size } = c.req.valid('query');
    const found = await listed(c.var.ctx, 'zoom', { from, to, pageSize: page_size });
    const day = (at: Date) => at.toISOString().slice(0, 10);
    return c.json({ from: day(from), to: day(to), page_size, meetings: found.map(zoomMeeting) });
  })
  .get('/zoom/logout', leaves('zoom'), (c) => leave(c, 'zoom'))
  .post('/zoom/logout', posted('zoom'), bareForm('zoom-logout'), (c) => logOut(c, 'zoom'))
  .get('/login/webex', authorizes('webex'), query(wayBack), (c) => away(c, 'webex', c.req.valid('query').next_url))
  .get('/login/webex/callback', comesBack('webex'), (c) => back(c, 'webex'))
  .get('/webex/recordings', lists('webex', webexListView, 'WEBEX_AUTH'), query(webexListInput), async (c) => {
    const { from, to, max } = c.req.valid('query');
    const found = await listed(c.var.ctx, 'webex', { from, to, pageSize: max });
    return c.json({ items: found.map(webexRecording) });
  })
  .get('/webex/logout', leaves('webex'), (c) => leave(c, 'webex'))
  .post('/webex/logout', posted('webex'), bareForm('webex-logout'), (c) => logOut(c, 'webex'));

/** Asks for sign-in first, because an authorization belongs to a person. */
async function away(c: Context<Env>, id: ServiceId, next: unknown): Promise<Response> {
  const { ctx } = c.var;
  serviceOf(ctx, id);
  if (!ctx.person) {
    const back = safePath(next);
    return c.redirect(back === '/' ? '/login' : `/login?${new URLSearchParams({ redirectTo: back })}`);
  }
  const redirectUri = `${baseOf(c)}/api/login/${id}/callback`;
  return c.redirect((await beginService(ctx, id, { next, redirectUri })).href);
}

async function back(c: Context<Env>, id: ServiceId): Promise<Response> {
  const { ctx } = c.var;
  serviceOf(ctx, id);
  if (!ctx.person) throw new Problem('CSRF');
  return c.redirect(await finishService(ctx, id, new URL(c.req.url).searchParams));
}

async function listed(ctx: Ctx, id: ServiceId, window: { from: Date; to: Date; pageSize: number }) {
  const service = serviceOf(ctx, id);
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.importLists, person.id);
  return asPerson(ctx, person.id, service, (access) => service.list(access, window));
}

function zoomMeeting({ id, title, at, files }: Recorded) {
  return {
    uuid: id,
    topic: title,
    start_time: at,
    recording_files: files.flatMap(({ id: file, type, kind, from, to, seconds, playUrl }) =>
      isServiceFileType(type)
        ? [
            {
              id: file,
              file_type: type,
              recording_type: kind,
              recording_start: from,
              recording_end: to,
              duration: seconds,
              play_url: playUrl,
            },
          ]
        : [],
    ),
  };
}

function webexRecording({ id, title, at, files: [file] }: Recorded) {
  return {
    id,
    topic: title,
    createTime: at,
    durationSeconds: file?.seconds ?? null,
    format: file?.type ?? '',
  };
}

/**
 * GET, because clients rely on it. It acts only for a fetch of our own pages, which a link, an image or a prefetch from
 * elsewhere cannot imitate; for a link it asks first.
 */
async function leave(c: Context<Env>, id: ServiceId): Promise<Response> {
  const { ctx } = c.var;
  serviceOf(ctx, id);
  const site = c.req.header('sec-fetch-site');
  if (c.req.header('x-request-id') && fromHere(ctx, c.req.header('origin'), site) && !c.req.header('sec-purpose')) {
    await logOutOfService(ctx, id);
    return c.body(null, 204);
  }
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (elsewhere && c.req.header('sec-fetch-mode') !== 'navigate') throw new Problem('CSRF');
  const question = html`<p>Do you want to log out of ${serviceNames[id]}?</p>
    <button type="submit">Log out</button> <a href="/">Back</a>`;
  return formPage(c, `${id}-logout`, `Log out of ${serviceNames[id]}`, question);
}

async function logOut(c: Context<Env>, id: ServiceId): Promise<Response> {
  await logOutOfService(c.var.ctx, id);
  return isFormPost(c) ? c.redirect('/', 303) : c.body(null, 204);
}
