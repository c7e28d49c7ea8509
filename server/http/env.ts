import type { HttpBindings } from '@hono/node-server';
import type { Ctx } from '../context.ts';

/** What every handler finds on Hono's context. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { ctx: Ctx };
}
