import { generateSpecs, resolver, uniqueSymbol } from 'hono-openapi';
import type { Hono, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { problemStatus, type ProblemCode } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import { inPerson, signedIn } from '../context.ts';
import type { Env } from './env.ts';
import { sessionCookie } from './cookies.ts';

/** A collection of routes. */
export type Api = Pick<Hono<Env>, 'routes'>;

interface Description {
  /** Description in one line. */
  summary: string;
  /** Further facts for programmers. */
  more?: string;
  tag: string;
  /** Schema of a successful answer; left out when there is no body (204). */
  answer?: z.ZodType;
  /** Fields of a form with files. */
  form?: Record<string, 'text' | 'file'>;
  /** The answer is a page for people, not data. */
  page?: boolean;
  /** The answer is the bytes of a file. */
  bytes?: boolean;
  /** The answer is text of this type. */
  text?: `text/${string}`;
  /** The answer redirects the browser to another page. */
  redirect?: boolean;
  /** Other successful answers, by status; 202 takes the place of 200. */
  also?: Record<number, string>;
  /** Problems of this route beyond those of every route. */
  problems?: readonly ProblemCode[];
  /** Needs neither a session nor a token. */
  open?: boolean;
  /** Needs a session: an API token is not enough. */
  inPerson?: boolean;
}

const everywhere: ProblemCode[] = ['BAD_REQUEST', 'INTERNAL', 'UNAVAILABLE'];
/** Problems of every request that changes something. */
const whenWriting: ProblemCode[] = ['CSRF', 'UNSAVED'];
const withBody: ProblemCode[] = ['INVALID', 'TYPE', 'BIG', 'SLOW'];

/** Describes a route for the API page and checks who may call it, so that the description is also the rule. */
export function describe(description: Description): MiddlewareHandler<Env> {
  const { open = false, inPerson: session = false } = description;
  const handler: MiddlewareHandler<Env> = async (c, next) => {
    // Checked before the body is read: a stranger is told to sign in, not which field is wrong.
    if (session) inPerson(c.var.ctx);
    else if (!open) signedIn(c.var.ctx);
    await next();
  };
  return Object.assign(handler, { [uniqueSymbol]: { spec: specOf(description) } });
}

/** Whether the described route needs no sign-in; null for a handler without a description. */
export function isOpen(handler: unknown): boolean | null {
  const security = (handler as { [uniqueSymbol]?: { spec?: { security?: unknown[] } } })[uniqueSymbol]?.spec?.security;
  return security ? security.length === 0 : null;
}

function specOf({
  summary,
  more,
  tag,
  answer,
  form,
  page,
  bytes,
  text,
  redirect,
  also = {},
  problems = [],
  open,
  inPerson: session,
}: Description) {
  const needed: ProblemCode[] = open ? [] : session ? ['UNAUTH', 'NO_PERM'] : ['UNAUTH'];
  const written = page ? 'text/html' : text;
  const content = written
    ? { [written]: { schema: { type: 'string' as const } } }
    : bytes
      ? { '*/*': { schema: { type: 'string' as const, format: 'binary' } } }
      : answer && { 'application/json': { schema: resolver(answer) } };
  return {
    summary,
    ...(more === undefined ? {} : { description: more }),
    tags: [tag],
    ...(form ? { requestBody: formBody(form) } : {}),
    security: open ? [] : session ? [{ session: [] }] : [{ session: [] }, { token: [] }],
    responses: {
      ...(content && !(202 in also)
        ? { 200: { description: 'Done', content } }
        : redirect
          ? { 302: { description: 'Redirect to another page' } }
          : 202 in also
            ? {}
            : { 204: { description: 'Done' } }),
      ...Object.fromEntries(
        Object.entries(also).map(([status, what]) => [
          status,
          { description: what, ...(status === '202' && content ? { content } : {}) },
        ]),
      ),
      ...failures([...needed, ...problems]),
    },
  };
}

function formBody(fields: Record<string, 'text' | 'file'>) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [
      name,
      { type: 'string' as const, ...(kind === 'file' ? { format: 'binary' } : {}) },
    ]),
  );
  return { content: { 'multipart/form-data': { schema: { type: 'object' as const, properties } } } };
}

const problemSchema = { $ref: '#/components/schemas/Problem' };

function failures(codes: Iterable<ProblemCode>) {
  const byStatus: Record<number, { description: string; content: object }> = {};
  for (const code of [...new Set(codes)].toSorted()) {
    const status = problemStatus[code];
    const before = byStatus[status];
    const content = { 'application/problem+json': { schema: problemSchema } };
    byStatus[status] = { description: before ? `${before.description}, ${code}` : code, content };
  }
  return byStatus;
}

/** The description of the whole API, with the problems of every route added to each. */
export async function describeApi(api: Api, config: Config) {
  const spec = await generateSpecs(api as Hono<Env>, {
    documentation: documentation(sessionCookie(config.secureCookies)) as never,
    defaultValidationErrorResponse: false,
    // A path that ends like a file is a call, too.
    excludeStaticFile: false,
  });
  for (const item of Object.values(spec.paths)) {
    for (const [method, operation] of Object.entries(item ?? {}) as [
      string,
      { requestBody?: unknown; responses?: Responses },
    ][]) {
      const own = Object.values(operation.responses ?? {}).flatMap(({ description }) => description.split(', '));
      const codes = [
        ...own,
        ...everywhere,
        ...(method === 'get' ? [] : whenWriting),
        ...(operation.requestBody ? withBody : []),
      ];
      operation.responses = {
        ...operation.responses,
        ...failures(codes.filter((code): code is ProblemCode => code in problemStatus)),
      };
    }
  }
  return spec;
}
type Responses = Record<string, { description: string }>;

/** Parts of the description that all operations share. */
const documentation = (cookie: string) => ({
  servers: [{ url: '/api' }],
  info: {
    title: 'Colloquy',
    version: '1',
    description:
      'Send `X-Request-ID` (8 to 64 letters, digits or hyphens) with every changing request, and the same one when repeating it after a lost answer: where IDEMP is among the failures, the first answer is returned for a day and nothing is done twice. Programs use `Authorization: Bearer <token>` from `POST /api/tokens`. Failures are `application/problem+json`.',
  },
  components: {
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: cookie },
      token: { type: 'http', scheme: 'bearer' },
    },
    schemas: {
      Problem: {
        type: 'object',
        required: ['type', 'title', 'status', 'code', 'message', 'requestId', 'info'],
        properties: {
          type: { type: 'string' },
          title: { type: 'string' },
          status: { type: 'integer' },
          code: { type: 'string', enum: Object.keys(problemStatus) },
          message: { type: 'string' },
          requestId: { type: 'string' },
          info: {
            type: 'object',
            required: ['code', 'message', 'errors'],
            properties: {
              code: { type: 'string' },
              message: { type: 'string' },
              errors: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['field', 'code'],
                  properties: { field: { type: 'string' }, code: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    },
  },
});
