import type { HttpBindings } from '@hono/node-server';
import type { Ctx } from '../context.ts';

/** Types of Hono's context. */
export interface Env {
  Bindings: HttpBindings & {
    /** Milliseconds in which a body has to arrive. */
    bodyPatience: number;
  };
  Variables: {
    ctx: Ctx;
    /** Raw body, once it was read. */
    sent?: Uint8Array;
  };
}
