import { resolver, uniqueSymbol } from 'hono-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { Problem, type FieldError } from '#shared/problems.ts';
import type { Env } from './env.ts';
import { checkFormToken, type FormPurpose } from './forms.ts';
import { isFormPost, mediaType, takesForms } from './guard.ts';
import { parseJson } from './json.ts';

export const jsonLimit = 256 * 1024;

interface BodyOptions {
  /** The page of this name may send it as a form, too, with the page's token. */
  form?: FormPurpose;
  /** Bytes at most. */
  limit?: number;
  /** JSON values at most, where the bytes alone do not bound them. */
  values?: number;
}

/** Reads and checks the body; what a handler gets from `c.req.valid('json')` can be trusted. */
export function body<S extends z.ZodType, P extends string = string>(
  schema: S,
  options: BodyOptions = {},
): MiddlewareHandler<Env, P, { in: { json: z.output<S> }; out: { json: z.output<S> } }> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const asForm = isFormPost(c) ? options.form : undefined;
    if (!asForm && mediaType(c) !== 'application/json') throw new Problem('TYPE');
    const sent = await readBody(c, options.limit ?? jsonLimit);
    c.set('sent', sent);
    const text = decode(sent);
    const value = asForm ? readForm(text) : parseJson(text, options.values);
    if (asForm) checkFormToken(c, asForm, (value as Record<string, string>)['csrf_token']);
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
    noteForbidden(c, value, parsed.data);
    c.req.addValidatedData('json', parsed.data as object);
    await next();
  };
  return Object.assign(middleware, {
    [uniqueSymbol]: { target: 'json', ...resolver(schema) },
    ...(options.form ? { [takesForms]: true } : {}),
  });
}

/** For a route that takes nothing but may be sent a form by its page, with the page's token. */
export function bareForm(purpose: FormPurpose): MiddlewareHandler<Env> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    if (isFormPost(c)) checkFormToken(c, purpose, readForm(decode(await readBody(c, jsonLimit)))['csrf_token']);
    await next();
  };
  return Object.assign(middleware, { [takesForms]: true });
}

/** What only the server decides. It is ignored like any unknown field, but whoever sends it is trying something. */
const forbidden = [
  'id',
  'role',
  'roles',
  'kind',
  'is_admin',
  'isAdmin',
  'email_verified',
  'confirmed',
  'balance',
  'quota',
  'credits',
  'author',
  'userId',
  'user_id',
  'createdAt',
];

function noteForbidden(c: Context<Env>, sent: unknown, taken: unknown): void {
  const fields = forbidden.filter((name) => Object.hasOwn(Object(sent), name) && !Object.hasOwn(Object(taken), name));
  if (fields.length > 0)
    c.var.ctx.log.warn({ requestId: c.var.ctx.requestId, fields }, 'fields that nobody may set were ignored');
}

/** The query, checked like a body. */
export function query<S extends z.ZodType, P extends string = string>(
  schema: S,
): MiddlewareHandler<Env, P, { in: { query: Record<string, string> }; out: { query: z.output<S> } }> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const parsed = schema.safeParse(c.req.query());
    if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
    c.req.addValidatedData('query', parsed.data as object);
    await next();
  };
  return Object.assign(middleware, { [uniqueSymbol]: { target: 'query', ...resolver(schema) } });
}

/** Our schemas put the code of the text into the message; whatever zod words itself is just 'invalid'. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 50).map((issue) => ({
    field: issue.path.map(String).join('.').slice(0, 100),
    code: /^[a-z_]{1,40}$/.test(issue.message) ? issue.message : 'invalid',
  }));
}

/** Counts as the bytes arrive: a body without a length, or with a false one, ends at the limit all the same. */
async function readBody(c: Context<Env>, limit: number): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw new Problem('BIG');
  const stream = c.req.raw.body;
  if (!stream) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  // What is refused is not read on; the server closes the connection after the answer.
  const giveUp = () => void reader.cancel().catch(() => {});
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    giveUp();
  }, c.env.bodyPatience);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) throw new Problem('SLOW');
      if (done) return Buffer.concat(parts);
      size += value.byteLength;
      if (size > limit) {
        giveUp();
        throw new Problem('BIG');
      }
      parts.push(value);
    }
  } catch (error) {
    // Whoever sent it went away in the middle: nobody is left to read the answer.
    throw error instanceof Problem ? error : new Problem('BAD_REQUEST', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem('INVALID', { errors: [{ field: '', code: 'encoding' }] });
  }
}

/** A field given twice has no one value. */
function readForm(source: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [key, value] of new URLSearchParams(source)) {
    if (key in fields) throw new Problem('INVALID', { errors: [{ field: '', code: 'duplicate_key' }] });
    if (`${key}${value}`.includes('\0')) throw new Problem('INVALID', { errors: [{ field: '', code: 'character' }] });
    fields[key] = value;
  }
  return { ...fields };
}
