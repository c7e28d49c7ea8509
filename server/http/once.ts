import { createHash } from 'node:crypto';
import { lt } from 'drizzle-orm';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { Orm } from '#db/open.ts';
import { requestAnswers } from '#db/schema/answers.ts';
import { findAnswer, keepAnswer, type Answer, type Asked } from '#db/answers.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import type { Env } from './env.ts';

/** Milliseconds in which a request that is sent again is known. */
const keptFor = 86_400_000;

/**
 * For a route that changes something: whoever sends a request again, because its answer got lost, sends it under the same
 * X-Request-ID, is told the same, and nothing is done twice. A verb keeps the answer with what it does, in one
 * transaction (`asked` of its context); for one that does nothing by itself it is kept here. Stands behind the body's check.
 */
export const once: MiddlewareHandler<Env> = (c, next) => answerOnce(c, next, null);

/**
 * The same for a verb with something left to do behind its answer, which may have been cut off: whoever asks again has it
 * done again, by what was answered. It does by itself nothing twice.
 */
export const onceWith =
  (rest: (ctx: Ctx, id: string, answer: unknown) => Promise<void>): MiddlewareHandler<Env> =>
  (c, next) =>
    answerOnce(c, next, (answer) => rest(c.var.ctx, c.req.param('id') ?? '', answer));

async function answerOnce(
  c: Context<Env>,
  next: Next,
  rest: ((answer: unknown) => Promise<void>) | null,
): Promise<Response | undefined> {
  const { ctx } = c.var;
  const asked: Asked = {
    userId: signedIn(ctx).person.id,
    requestId: ctx.requestId,
    fingerprint: fingerprint(c),
  };
  const find = () => ctx.db.ask((sql) => findAnswer(sql, asked));
  const before = await find();
  if (before) {
    const same = again(c, asked, before);
    if (rest && before.status === 200 && before.body !== null) await rest(JSON.parse(before.body));
    return same;
  }
  const once = { asked, kept: false };
  ctx.once = once;
  await next();
  if (once.kept) return undefined;
  // The same one may have come twice at once, and the other was quicker: then it is refused for what itself has done.
  const meanwhile = c.res.ok ? null : await find();
  if (meanwhile) {
    const same = again(c, asked, meanwhile);
    c.res = undefined;
    c.res = same;
    return undefined;
  }
  if (!c.res.ok && c.res.status !== 409) return undefined;
  const answer = { status: c.res.status, etag: c.res.headers.get('etag'), body: await c.res.clone().text() };
  await keepAnswer(ctx.db.orm, asked, { ...answer, body: answer.body || null }, ctx.clock.now());
  return undefined;
}

function fingerprint(c: Context<Env>): Buffer {
  const { pathname, search } = new URL(c.req.url);
  const hash = createHash('sha256').update(`${c.req.method} ${pathname}${search}\n`);
  return hash.update(c.var.sent ?? '').digest();
}

function again(
  c: Context<Env>,
  asked: Asked,
  { fingerprint: before, status, etag, body }: Answer & Pick<Asked, 'fingerprint'>,
) {
  if (!before.equals(asked.fingerprint)) throw new Problem('IDEMP');
  if (etag !== null) c.header('ETag', etag);
  if (body !== null)
    c.header('Content-Type', status < 400 ? 'application/json' : 'application/problem+json; charset=utf-8');
  return body === null ? c.body(null, status as 204) : c.body(body, status as 200);
}

/** For a verb that acts in a transaction of its own: the answer is kept with what it does, or neither is. */
export async function keepResult(ctx: Ctx, tx: Orm, result: object | null): Promise<void> {
  const { once } = ctx;
  if (!once) return;
  // Asked twice at once: the other has done it.
  if (!(await keepAnswer(tx, once.asked, answerOf(result), ctx.clock.now())))
    throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  once.kept = true;
}

/** The answer a verb's result is given. */
export const answerOf = (result: object | null, etag: string | null = null): Answer => ({
  status: result === null ? 204 : 200,
  etag,
  body: result === null ? null : JSON.stringify(result),
});

/** Whoever asks again after a day asks anew. */
export const sweepAnswers = ({ db, clock }: House) =>
  db.orm.delete(requestAnswers).where(lt(requestAnswers.at, new Date(clock.now().getTime() - keptFor)));
