import { expect } from 'vitest';
import type { Scene, Table } from '#tests/support/table.ts';

/** Calls directly from this machine; all other tables call through a proxy. */
const beside = async ({ caller }: Scene) => {
  caller.address = null;
  return {};
};

export default {
  'GET /healthz': [{ when: 'it runs', status: 200, then: ({ body }) => expect(body).toEqual({ live: true }) }],
  'GET /readyz': [
    { when: 'the database answers', status: 200, then: ({ body }) => expect(body).toEqual({ ready: true }) },
  ],
  'GET /metrics': [
    {
      when: 'asked from beside it',
      params: beside,
      status: 200,
      then: ({ text }) => expect(text).toContain('colloquy_http_request_seconds'),
    },
    { when: 'asked from anywhere else: as if it were not there', status: 404, code: 'NOT_FOUND' },
  ],
  'GET /api/openapi.json': [
    {
      when: 'the documents',
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ openapi: expect.any(String) }),
    },
  ],
  'GET /api/docs': [
    {
      when: 'the page that shows them',
      status: 200,
      then: ({ text }) => expect(text).toContain('/api/docs/swagger-ui-bundle.js'),
    },
  ],
  'GET /api/docs/:part': [
    { when: 'a part of the page', params: { part: 'start.js' }, status: 200 },
    { when: 'something else', params: { part: 'package.json' }, status: 404, code: 'NOT_FOUND' },
  ],
} satisfies Table;
