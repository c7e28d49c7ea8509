import { resolver, uniqueSymbol } from 'hono-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { Problem, type FieldError } from '#shared/problems.ts';
import type { Env } from './env.ts';
import { checkFormToken, type FormPurpose } from './forms.ts';
import { parseJson } from './json.ts';

export const jsonLimit = 256 * 1024;

interface BodyOptions {
  /** The page of this name may send it as a form, too, with the page's token. */
  form?: FormPurpose;
  /** Bytes at most. */
  limit?: number;
}

/** Reads and checks the body; what a handler gets from `c.req.valid('json')` can be trusted. */
export function body<S extends z.ZodType, P extends string = string>(
  schema: S,
  options: BodyOptions = {},
): MiddlewareHandler<Env, P, { in: { json: z.output<S> }; out: { json: z.output<S> } }> {
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    const bytes = await readBody(c.req.raw, options.limit ?? jsonLimit);
    let value: unknown;
    if (type === 'application/json') {
      value = parseJson(decode(bytes));
    } else if (type === 'application/x-www-form-urlencoded' && options.form) {
      const fields = readForm(decode(bytes));
      checkFormToken(c, options.form, fields['csrf_token']);
      value = fields;
    } else {
      throw new Problem('TYPE');
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
    c.req.addValidatedData('json', parsed.data as object);
    await next();
  };
  return Object.assign(middleware, { [uniqueSymbol]: { target: 'json', ...resolver(schema) } }) as never;
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
  return Object.assign(middleware, { [uniqueSymbol]: { target: 'query', ...resolver(schema) } }) as never;
}

/** Our schemas put the code of the text into the message; whatever zod words itself is just 'invalid'. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 50).map((issue) => ({
    field: issue.path.map(String).join('.').slice(0, 100),
    code: /^[a-z_]{1,40}$/.test(issue.message) ? issue.message : 'invalid',
  }));
}

/** Counts as the bytes arrive: a body without a length, or with a false one, ends at the limit all the same. */
async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw new Problem('BIG');
  if (!request.body) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // The rest is not read; the server closes the connection after the answer.
      void reader.cancel().catch(() => {});
      throw new Problem('BIG');
    }
    parts.push(value);
  }
  return Buffer.concat(parts);
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
  const fields: Record<string, string> = Object.create(null);
  for (const [key, value] of new URLSearchParams(source)) {
    if (key in fields) throw new Problem('INVALID', { errors: [{ field: '', code: 'duplicate_key' }] });
    fields[key] = value;
  }
  return { ...fields };
}
