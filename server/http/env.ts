import type { HttpBindings } from '@hono/node-server';
import type { Ctx } from '../context.ts';

/** What every handler finds on Hono's context. */
export interface Env {
  Bindings: HttpBindings & {
    /** Milliseconds in which a body has to arrive. */
    bodyPatience: number;
  };
  Variables: {
    ctx: Ctx;
    /** The body as it came, once it was read. */
    sent?: Uint8Array;
  };
}
