import { Hono } from 'hono';
import { glossariesAnswer, glossaryAnswer, glossaryInput, glossaryKinds, glossaryLimits } from '#shared/glossary.ts';
import { Problem } from '#shared/problems.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { changeGlossary, listGlossaries, listGlossariesAt } from './glossaries.ts';

const tag = 'Glossary';
const about = 'A term is how a name is spelled; `heard` are ways in which it was misheard.';

export const glossaryRoutes = new Hono<Env>()
  .get(
    '/glossaries',
    describe({
      summary: 'List the glossaries that the caller can read',
      more: `Their own, those of their groups, and those of folders they see. ${about}`,
      tag,
      answer: glossariesAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listGlossaries(c.var.ctx)),
  )
  .get(
    '/meetings/:id/glossaries',
    describe({
      summary: 'List the glossaries that apply to a recording for the caller',
      more: 'Their own, those of the folders it lies in as far as the caller sees them, and those of their groups.',
      tag,
      answer: glossariesAnswer,
      problems: ['NO_ACCESS', 'INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listGlossariesAt(c.var.ctx, c.req.param())),
  )
  .put(
    '/glossaries/:kind/:id',
    describe({
      summary: 'Add terms to a glossary, and remove terms from it',
      more: `One’s own, that of a folder on which one has the permission to write, or of a group one is in. Terms of others are removed by the owner of the folder and the admins of the group. ${glossaryLimits.terms} terms at most, with ${glossaryLimits.heard} misheard forms each. \`added\` and \`removed\` tell what was changed; \`action\` undoes it for 30 days, and what was removed is again that of the person who had added it.`,
      tag,
      answer: glossaryAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'RATE', 'IDEMP'],
    }),
    body(glossaryInput),
    once,
    async (c) => {
      const { kind, id } = c.req.param();
      const known = glossaryKinds.find((one) => one === kind);
      if (!known) throw new Problem('NO_ACCESS');
      return c.json(await changeGlossary(c.var.ctx, { ...c.req.valid('json'), kind: known, id }));
    },
  );
