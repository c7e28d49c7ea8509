import { describeRoute, resolver } from 'hono-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { problemStatus, type ProblemCode } from '#shared/problems.ts';

interface Description {
  summary: string;
  tag: string;
  /** What a good answer holds; left out where there is no body (204). */
  answer?: z.ZodType;
  /** What may go wrong here beyond what may go wrong anywhere. */
  problems?: ProblemCode[];
  /** Anybody may call it; otherwise a session or a token is needed. */
  open?: boolean;
}

const everywhere: ProblemCode[] = ['BAD_REQUEST', 'RATE', 'INTERNAL', 'UNAVAILABLE'];
const problemSchema = { $ref: '#/components/schemas/Problem' } as const;

/** What a route is for, in the words of the API page. */
export function describe({ summary, tag, answer, problems = [], open = false }: Description): MiddlewareHandler {
  const codes = new Set<ProblemCode>([...everywhere, ...problems, ...(open ? [] : (['UNAUTH'] as const))]);
  const failures = new Map<number, ProblemCode[]>();
  for (const code of [...codes].toSorted()) failures.set(problemStatus[code], [...(failures.get(problemStatus[code]) ?? []), code]);
  return describeRoute({
    summary,
    tags: [tag],
    security: open ? [] : [{ session: [] }, { token: [] }],
    responses: {
      ...(answer
        ? { 200: { description: 'Done', content: { 'application/json': { schema: resolver(answer) } } } }
        : { 204: { description: 'Done' } }),
      ...Object.fromEntries(
        [...failures].map(([status, list]) => [status, { description: list.join(', '), content: { 'application/problem+json': { schema: problemSchema } } }]),
      ),
    },
  });
}

/** The parts every operation shares. */
export const documentation = {
  info: {
    title: 'Colloquy',
    version: '1',
    description:
      'Send `X-Request-ID` (8 to 64 letters, digits or hyphens) with every changing request. Programs use `Authorization: Bearer <token>` from `POST /api/tokens`. Failures are `application/problem+json`.',
  },
  components: {
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'colloquy' },
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
                items: { type: 'object', required: ['field', 'code'], properties: { field: { type: 'string' }, code: { type: 'string' } } },
              },
            },
          },
        },
      },
    },
  },
} as const;
