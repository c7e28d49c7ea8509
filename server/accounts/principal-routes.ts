import { Hono } from 'hono';
import {
  changeEmailInput,
  confirmEmailChangeInput,
  deleteAccountInput,
  limits,
  meInput,
  scopeInput,
  searchAnswer,
  searchInput,
  sessionInfoView,
} from '#shared/accounts.ts';
import { closingView } from '#shared/closing.ts';
import { sharedRecordingsView } from '#shared/leaving.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { clearSession, leaveBrowser } from '../people/identify.ts';
import { askForNewAddress, confirmNewAddress } from './change-email.ts';
import { readClosing } from './closing.ts';
import { deleteAccount } from './delete.ts';
import { listShared } from './leaving.ts';
import { changeMe } from './me.ts';
import { sessionInfo } from './principal.ts';
import { changeScope } from './scope.ts';
import { searchPrincipals } from './search.ts';

const tag = 'People';

/** Routes about the caller and other people. */
export const principalRoutes = new Hono<Env>()
  .get(
    '/principals/whoami',
    describe({
      summary: 'Get the caller and everything a page needs to know about them',
      tag,
      open: true,
      answer: sessionInfoView,
    }),
    async (c) => c.json(await sessionInfo(c.var.ctx)),
  )
  .post(
    '/principals/me',
    describe({
      summary: 'Change account type, outcome model, language and preferences; omitted fields stay',
      tag,
      answer: sessionInfoView,
      problems: ['RATE'],
    }),
    body(meInput, { limit: limits.preferencesBytes }),
    async (c) => c.json(await changeMe(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/principals/search',
    describe({
      summary:
        'Find people the caller shares recordings or groups with; a complete address is returned as one to invite',
      tag,
      answer: searchAnswer,
      problems: ['RATE'],
    }),
    body(searchInput),
    async (c) => c.json({ principals: await searchPrincipals(c.var.ctx, c.req.valid('json')) }),
  )
  .post(
    '/principals/change',
    describe({
      summary: 'Switch this session to another scope of the caller',
      tag,
      inPerson: true,
      answer: sessionInfoView,
      problems: ['RATE'],
    }),
    body(scopeInput),
    async (c) => c.json(await changeScope(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/principals/me/change-email/step1',
    describe({
      summary: 'Request a mail that confirms a new address',
      tag,
      inPerson: true,
      problems: ['RATE'],
    }),
    body(changeEmailInput),
    async (c) => {
      await askForNewAddress(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/principals/me/change-email/step2',
    describe({
      summary: 'Change the address with the mail’s token and the password; ends all sessions',
      tag,
      inPerson: true,
      problems: ['GONE', 'RATE'],
    }),
    body(confirmEmailChangeInput),
    async (c) => {
      await confirmNewAddress(c.var.ctx, c.req.valid('json'));
      clearSession(c);
      return c.body(null, 204);
    },
  )
  .get(
    '/principals/me/shared-recordings',
    describe({
      summary: 'Own recordings that others have access to, and who can become their owner',
      tag,
      inPerson: true,
      answer: sharedRecordingsView,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listShared(c.var.ctx)),
  )
  .get(
    '/principals/me/closing',
    describe({
      summary: 'Get what the caller loses by deleting the account, and the teams that need another payer first',
      tag,
      inPerson: true,
      answer: closingView,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await readClosing(c.var.ctx)),
  )
  .post(
    '/principals/me/delete',
    describe({
      summary: 'Delete the account, with what becomes of each recording that others have access to',
      tag,
      inPerson: true,
      problems: ['CONFLICT', 'PAYER', 'RATE'],
    }),
    body(deleteAccountInput),
    async (c) => {
      await deleteAccount(c.var.ctx, c.req.valid('json'));
      leaveBrowser(c);
      return c.body(null, 204);
    },
  );
