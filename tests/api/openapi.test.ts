// Checks the documents of the API against the rules of OpenAPI 3.1, as far as code of our own can. routes.test.ts shows
// that they contain every route.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemStatus } from '#shared/problems.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Media {
  schema: Record<string, Json>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { in: string; name: string; required?: boolean; schema: Record<string, Json> }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}
interface Spec {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, { type: string; name?: string }> };
}

let house: TestHouse;
let spec: Spec;
let operations: [name: string, operation: Operation, path: string][];
beforeAll(async () => {
  house = await openHouse();
  spec = (await house.stranger().get('/api/openapi.json')).body as Spec;
  operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation, string] => [
      `${method} ${path}`,
      operation,
      path,
    ]),
  );
});
afterAll(() => house.close());

/** Every value inside a value, with its path. */
function* within(value: Json, at = '#'): Generator<[at: string, value: Json]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield* within(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

describe('the documents', () => {
  test('say which version they are of, of what, and where it is', () => {
    expect(spec.openapi).toMatch(/^3\.1\.\d+$/);
    expect(spec.info.title).toBe('Colloquy');
    expect(spec.info.version).not.toBe('');
    expect(spec.servers).toEqual([{ url: '/api' }]);
    expect(
      Object.keys(spec).filter((key) => !['openapi', 'info', 'servers', 'paths', 'components', 'tags'].includes(key)),
    ).toEqual([]);
  });

  test('refer to nothing that is not in them', () => {
    const places = new Set([...within(spec as unknown as Json)].map(([at]) => at));
    const references = [...within(spec as unknown as Json)].filter(([at]) => at.endsWith('/$ref'));
    expect(references.length).toBeGreaterThan(100);
    for (const [at, to] of references) expect(typeof to === 'string' && places.has(to), at).toBe(true);
  });

  test('use the words of JSON Schema as this version means them', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
    for (const [at, value] of within(spec as unknown as Json)) {
      if (/\/properties\/[^/]+$/.test(at) || typeof value !== 'object' || value === null || Array.isArray(value))
        continue;
      if (!at.includes('/schema')) continue;
      expect('nullable' in value, at).toBe(false);
      if (typeof value['type'] === 'string') expect(types, at).toContain(value['type']);
      for (const bound of ['exclusiveMinimum', 'exclusiveMaximum'])
        if (bound in value) expect(typeof value[bound], at).toBe('number');
      if ('required' in value && 'properties' in value) {
        for (const name of value['required'] as string[])
          expect(Object.keys(value['properties'] as object), at).toContain(name);
      }
    }
  });

  test('name both versions of a recording, which rise apart and fit into 32 bits', () => {
    const bounds = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };
    for (const name of ['version', 'annotationsVersion']) {
      const found = [...within(spec.paths['/meetings/{id}']?.['get'] as unknown as Json)].filter(([at]) =>
        at.endsWith(`/schema/properties/${name}`),
      );
      expect(found.map(([, value]) => value)).toEqual([expect.objectContaining(bounds)]);
    }
  });

  test('never speak of how it is made', () => {
    expect(JSON.stringify(spec)).not.toMatch(/zod|drizzle|undefined|\[object/i);
  });
});

describe('every operation', () => {
  test('has a name of its own', () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  test('says in a line what it is for, and belongs somewhere', () => {
    for (const [name, { summary, tags }] of operations) {
      expect(summary, name).toMatch(/^\S.{2,120}$/);
      expect(tags, name).toHaveLength(1);
    }
  });

  test('names the parameters that stand in its path, and no others as such', () => {
    for (const [name, { parameters = [] }, path] of operations) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
      const given = parameters.filter((one) => one.in === 'path');
      expect(
        given.map((one) => one.name),
        name,
      ).toEqual(wanted);
      for (const one of parameters) {
        expect(['path', 'query', 'header'], name).toContain(one.in);
        expect(one.schema, name).toBeTypeOf('object');
        if (one.in === 'path') expect(one.required, name).toBe(true);
      }
    }
  });

  test('says how to prove who one is, in a way that exists', () => {
    expect(Object.keys(spec.components.securitySchemes).toSorted()).toEqual(['session', 'token']);
    for (const [name, { security }] of operations) {
      expect(Array.isArray(security), name).toBe(true);
      for (const way of security.flatMap((one) => Object.keys(one))) expect(['session', 'token'], name).toContain(way);
    }
  });

  test('says what a good answer is', () => {
    for (const [name, { responses }] of operations) {
      const good = Object.keys(responses).filter((status) => /^[23]\d\d$/.test(status));
      expect(good.length, name).toBeGreaterThan(0);
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(status, name).toMatch(/^[1-5]\d\d$/);
        expect(description, `${name} ${status}`).not.toBe('');
        if (status === '204') expect(content, name).toBeUndefined();
        for (const media of Object.values(content ?? {}))
          expect(media.schema, `${name} ${status}`).toBeTypeOf('object');
      }
    }
  });

  test('names its failures, each by its problem code', () => {
    const reference = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
    for (const [name, { responses, requestBody, security }] of operations) {
      const failures = Object.entries(responses).filter(([status]) => status >= '400');
      for (const [status, { description, content }] of failures) {
        expect(content, `${name} ${status}`).toEqual(reference);
        for (const code of description.split(', ')) {
          expect(problemStatus[code as keyof typeof problemStatus], `${name} ${code}`).toBe(Number(status));
        }
      }
      const statuses = failures.map(([status]) => status);
      expect(statuses, name).toEqual(expect.arrayContaining(['400', '500', '503']));
      if (security.length > 0) expect(statuses, name).toContain('401');
      if (!name.startsWith('get ')) expect(statuses, name).toEqual(expect.arrayContaining(['403', '507']));
      if (requestBody) expect(statuses, name).toEqual(expect.arrayContaining(['408', '413', '415', '422']));
    }
  });

  test('that takes a body takes JSON, or a form with files, as an object it describes', () => {
    for (const [name, { requestBody }] of operations) {
      if (!requestBody) continue;
      const [type = '', ...more] = Object.keys(requestBody.content);
      // Only forms may contain files.
      expect(['application/json', 'multipart/form-data'], name).toContain(type);
      expect(more, name).toEqual([]);
      expect(requestBody.content[type]?.schema['type'], name).toBe('object');
    }
  });
});

test('a failure is what the documents say a failure is', async () => {
  const { problem } = await house.stranger().get('/api/nothing');
  const schema = spec.components.schemas['Problem'] as {
    required: string[];
    properties: Record<string, { type: string }>;
  };
  expect(Object.keys(problem).toSorted()).toEqual(schema.required.toSorted());
  for (const [name, value] of Object.entries(problem)) {
    const { type } = schema.properties[name] ?? { type: 'none' };
    expect(typeof value, name).toBe(type === 'integer' ? 'number' : type);
  }
});

test('with TLS only, the documents name the session cookie of TLS', async () => {
  const secure = await openHouse({ env: { PUBLIC_URL: 'https://colloquy.example' } });
  const { body } = await secure.stranger().get('/api/openapi.json');
  expect((body as Spec).components.securitySchemes['session']?.name).toBe('__Host-colloquy');
  expect(spec.components.securitySchemes['session']?.name).toBe('colloquy');
  await secure.close();
});
