import { resolver, uniqueSymbol } from 'hono-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { Problem, type FieldError } from '#shared/problems.ts';
import type { Env } from './env.ts';
import { checkFormToken, type FormPurpose } from './forms.ts';
import { isFormPost, mediaType, takesForms } from './guard.ts';
import { parseJson } from './json.ts';

export const jsonLimit = 256 * 1024;

interface BodyOptions {
  /** Allows the page of this name to send the body as a form, with the token of the page. */
  form?: FormPurpose;
  /** Takes a request without a body as one without fields. */
  optional?: boolean;
  /** Most bytes. */
  limit?: number;
  /** Most JSON values, where the bytes alone are no bound. */
  values?: number;
}

/** Reads and validates the body; handlers can trust `c.req.valid('json')`. */
export function body<S extends z.ZodType, P extends string = string>(
  schema: S,
  options: BodyOptions = {},
): MiddlewareHandler<Env, P, { in: { json: z.input<S> }; out: { json: z.output<S> } }> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const asForm = isFormPost(c) ? options.form : undefined;
    const type = mediaType(c);
    const bare = options.optional === true && type === '';
    if (!asForm && !bare && type !== 'application/json') throw new Problem('TYPE');
    const sent = await rawBody(c, options.limit ?? jsonLimit);
    if (bare && sent.byteLength > 0) throw new Problem('TYPE');
    c.set('sent', sent);
    const text = decode(sent);
    const value = bare ? {} : asForm ? readForm(text) : parseJson(text, options.values);
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

/** Same, for a schema whose output programs cannot send: they send its input. */
export const bodyAsSent = <S extends z.ZodType, P extends string = string>(
  schema: S,
): MiddlewareHandler<Env, P, { in: { json: z.input<S> }; out: { json: z.output<S> } }> => body<S, P>(schema);

/** Accepts a form without fields, with the token of its page, on a route that has no body. */
export function bareForm(purpose: FormPurpose): MiddlewareHandler<Env> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    if (isFormPost(c)) checkFormToken(c, purpose, readForm(decode(await rawBody(c, jsonLimit)))['csrf_token']);
    await next();
  };
  return Object.assign(middleware, { [takesForms]: true });
}

/** Fields that only the server sets. They are ignored like any unknown field; sending them suggests an attack. */
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

/** Validates the query like a body. Lists have strict schemas: a misspelled parameter must not answer everything. */
export function query<S extends z.ZodType, P extends string = string>(
  schema: S,
): MiddlewareHandler<Env, P, { in: { query: Record<string, string> }; out: { query: z.output<S> } }> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const parsed = schema.safeParse(c.req.query());
    if (!parsed.success) throw new Problem('INVALID', { errors: queryErrors(parsed.error) });
    c.req.addValidatedData('query', parsed.data as object);
    await next();
  };
  return Object.assign(middleware, { [uniqueSymbol]: { target: 'query', ...resolver(schema) } });
}

/** For lists without parameters. */
export const noParameters: MiddlewareHandler<Env> = query(z.strictObject({}));

/** Field errors of a schema: its messages are codes of texts, and zod's own messages become 'invalid'. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 50).map(fieldError);
}

const fieldError = (issue: z.core.$ZodIssue): FieldError => ({
  field: issue.path.map(String).join('.').slice(0, 100),
  code: /^[a-z_]{1,40}$/.test(issue.message) ? issue.message : 'invalid',
});

/** Names each unknown parameter. */
function queryErrors(error: z.ZodError): FieldError[] {
  const errors = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: key.slice(0, 100), code: 'unknown' }))
      : fieldError(issue),
  );
  return errors.slice(0, 50);
}

/** Counts bytes as they arrive, so that the limit also holds for a body without a length or with a false one. */
export async function rawBody(c: Context<Env>, limit: number): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw new Problem('BIG');
  const stream = c.req.raw.body;
  if (!stream) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  // A refused body is not read to its end; the server closes the connection after the answer.
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
    // The sender disconnected, so nobody reads this answer.
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

/** Refuses a field that is given twice, because it has no single value. */
function readForm(source: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [key, value] of new URLSearchParams(source)) {
    if (key in fields) throw new Problem('INVALID', { errors: [{ field: '', code: 'duplicate_key' }] });
    if (`${key}${value}`.includes('\0')) throw new Problem('INVALID', { errors: [{ field: '', code: 'character' }] });
    fields[key] = value;
  }
  return { ...fields };
}
