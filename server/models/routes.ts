import type { Context } from 'hono';
import { Hono } from 'hono';
import { modelsView } from '#shared/engines.ts';
import { noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { fromHome } from '../http/home.ts';
import { describe } from '../http/openapi.ts';
import { getModel, listModels, stopModel } from './models.ts';

const tag = 'Speech models';

export const modelRoutes = new Hono<Env>()
  .get(
    '/engines/models',
    describe({
      summary: 'List the speech models that this computer can get, each with how far it is',
      more: 'Only for somebody at the computer itself, of a server that nobody else reaches.',
      tag,
      answer: modelsView,
      problems: ['INVALID', 'NO_PERM'],
    }),
    noParameters,
    async (c) => c.json(await listModels(c.var.ctx, at(c))),
  )
  .post(
    '/engines/models/:name',
    describe({
      summary: 'Download a speech model, or continue to',
      more: 'Models are offered for transcription as soon as they are whole.',
      tag,
      answer: modelsView,
      problems: ['NO_PERM', 'NOT_FOUND'],
    }),
    async (c) => c.json(await getModel(c.var.ctx, { ...at(c), name: c.req.param('name') })),
  )
  .delete(
    '/engines/models/:name',
    describe({
      summary: 'Stop a download; what has arrived stays',
      tag,
      answer: modelsView,
      problems: ['NO_PERM', 'NOT_FOUND'],
    }),
    async (c) => c.json(await stopModel(c.var.ctx, { ...at(c), name: c.req.param('name') })),
  );

const at = (c: Context<Env>) => ({
  here: fromHome(c.var.ctx.config, c.env.incoming?.socket.remoteAddress, (name) => c.req.header(name)),
});
