import { Hono } from 'hono';
import {
  outcomeModelAnswer,
  outcomeModelChange,
  outcomeModelInput,
  outcomeModelsAnswer,
  ownModelLimits,
  setInput,
  setsAnswer,
} from '#shared/outcome-models.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { changeOutcomeModel, createOutcomeModel, deleteOutcomeModel, listOutcomeModels } from './models.ts';
import { addSet, listSets, removeSet } from './named.ts';

const tag = 'Outcome types';
const limit = ownModelLimits.bytes;

export const outcomeModelRoutes = new Hono<Env>()
  .get(
    '/outcome-models',
    describe({
      summary: 'List the caller’s own sets of outcome types, and those of the groups that they are in',
      more: 'Also sets of other people that an active group of the caller offers or forces; `offeredIn` names these groups.',
      tag,
      answer: outcomeModelsAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listOutcomeModels(c.var.ctx)),
  )
  .post(
    '/outcome-models',
    describe({
      summary: 'Make a set of outcome types, for oneself or for a group that one is an admin of',
      more: 'Types have names in one language, grades with names, and types below them. Ids of types are given by the house; those of a file that was exported are replaced.',
      tag,
      answer: outcomeModelAnswer,
      problems: ['INVALID', 'RATE', 'IDEMP'],
    }),
    body(outcomeModelInput, { limit }),
    once,
    async (c) => c.json(await createOutcomeModel(c.var.ctx, c.req.valid('json'))),
  )
  .put(
    '/outcome-models/:id',
    describe({
      summary: 'Change a set of outcome types, based on the `rev` that was read',
      more: 'For its owner, or the admins of its group. Types, grades and details that are left out are no longer offered; outcomes that have them keep their words.',
      tag,
      answer: outcomeModelAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'INVALID', 'RATE', 'IDEMP'],
    }),
    body(outcomeModelChange, { limit }),
    once,
    async (c) => c.json(await changeOutcomeModel(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .delete(
    '/outcome-models/:id',
    describe({
      summary: 'Delete a set of outcome types that no recording or review names',
      more: 'For its owner, or the admins of its group. A set in use can be changed so that it is no longer offered.',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'RATE', 'IDEMP'],
    }),
    once,
    async (c) => {
      await deleteOutcomeModel(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/outcome-models',
    describe({
      summary: 'List the sets of outcome types made by people that are used in a recording or an assessment',
      more: 'Sets that were named for the recording; by a layer’s id, also that of its review. The sets of the product are not listed.',
      tag,
      open: true,
      answer: setsAnswer,
      problems: ['NO_ACCESS', 'INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listSets(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/outcome-models',
    describe({
      summary: 'Let people choose outcome types of one of the caller’s sets in a recording',
      more: 'Types of at most 10 sets can be chosen in a recording.',
      tag,
      answer: setsAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'RATE', 'IDEMP'],
    }),
    body(setInput),
    once,
    async (c) => c.json(await addSet(c.var.ctx, { id: c.req.param('id'), set: c.req.valid('json').id })),
  )
  .delete(
    '/meetings/:id/outcome-models/:setId',
    describe({
      summary: 'Take a set of outcome types from a recording in which nothing uses it',
      more: 'A set is used by outcomes and grades with its types, private ones included, and by being the recording’s choice.',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT', 'RATE', 'IDEMP'],
    }),
    once,
    async (c) => {
      await removeSet(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  );
