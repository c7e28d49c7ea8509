import { createHash } from 'node:crypto';
import { lt } from 'drizzle-orm';
import type { Context, MiddlewareHandler } from 'hono';
import type { Orm } from '#db/open.ts';
import { requestAnswers } from '#db/schema/answers.ts';
import { findAnswer, keepAnswer, type Answer, type Asked } from '#db/answers.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import type { Env } from './env.ts';

/** Milliseconds for which an answer is stored. */
const keptFor = 86_400_000;

/**
 * Makes a change repeatable: a request sent again under the same X-Request-ID, because its answer was lost, gets the
 * same answer and changes nothing. An operation stores its answer in its own transaction (`once` of the context); for
 * operations without one it is stored here. It must follow the validation of the body.
 */
export const once: MiddlewareHandler<Env> = async (c, next) => {
  const { ctx } = c.var;
  const asked: Asked = {
    userId: signedIn(ctx).person.id,
    requestId: ctx.requestId,
    fingerprint: fingerprint(c),
  };
  const find = () => ctx.db.ask((sql) => findAnswer(sql, asked));
  const before = await find();
  if (before) return again(c, asked, before);
  const once = { asked, kept: false };
  ctx.once = once;
  await next();
  if (once.kept) return undefined;
  // The same request may have run twice at once. The slower one fails because of what the faster one did, so it gets
  // the stored answer.
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
};

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

/** Stores the answer in the transaction of the operation, so that both are stored or neither. */
export async function keepResult(ctx: Ctx, tx: Orm, result: object | null, etag: string | null = null): Promise<void> {
  const { once } = ctx;
  if (!once) return;
  // The same request ran twice at once, and the other one has stored its answer.
  if (!(await keepAnswer(tx, once.asked, answerOf(result, etag), ctx.clock.now())))
    throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  once.kept = true;
}

/** The answer for the result of an operation. */
export const answerOf = (result: object | null, etag: string | null = null): Answer => ({
  status: result === null ? 204 : 200,
  etag,
  body: result === null ? null : JSON.stringify(result),
});

/** Deletes answers after a day; a repeat after that runs as a new request. */
export const sweepAnswers = ({ db, clock }: House) =>
  db.orm.delete(requestAnswers).where(lt(requestAnswers.at, new Date(clock.now().getTime() - keptFor)));
