// Every operation, driven from nothing but the document that describes it: requests made from its schemas, answers held
// against them. A seed says which requests; API_SEED=n tries others.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { thinkingAssistants } from '#tests/support/assistant.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  prefixItems?: Schema[];
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Spec {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const seed = Number(process.env['API_SEED'] ?? 1);
const requests = 6;

let house: TestHouse;
let spec: Spec;
let operations: { name: string; method: string; path: string; operation: Operation }[];
beforeAll(async () => {
  house = await openHouse({ house: { assistants: thinkingAssistants } });
  spec = (await house.stranger().get('/api/openapi.json')).body as Spec;
  operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, operation })),
  );
});
afterAll(() => house.close());

/** Replaces references by the schemas they name. */
function whole(schema: Schema): Schema {
  const text = JSON.stringify(schema, (_key, value: unknown) => {
    const name = (value as Schema | null)?.$ref?.replace('#/components/schemas/', '');
    return name === undefined ? value : whole(spec.components.schemas[name] ?? {});
  });
  return JSON.parse(text) as Schema;
}

/** Values that a schema allows, in the middle of what it allows and at its edges. */
function allowed(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return fc.oneof(...either.map(allowed));
  if (schema.allOf) {
    return fc
      .tuple(...schema.allOf.map(allowed))
      .map((all) => Object.assign({}, ...all.filter((one) => typeof one === 'object')) as unknown);
  }
  const { type } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => allowed({ ...schema, type: one })));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -1e9), max: Math.min(schema.maximum ?? 1e6, 1e9) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1e4, 1e9), noNaN: true });
    case 'string':
      if (schema.pattern !== undefined)
        return fc.stringMatching(new RegExp(schema.pattern)).map((text) => text.slice(0, 200));
      return fc.string({
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? 40, 80),
        unit: 'grapheme',
      });
    case 'array':
      if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map(allowed));
      return fc.array(allowed(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 6),
      });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      if (fields.length > 0)
        return fc.record(Object.fromEntries(fields.map(([name, one]) => [name, allowed(one)])), {
          requiredKeys: schema.required ?? [],
        });
      const more = schema.additionalProperties;
      return fc.dictionary(fc.string({ maxLength: 10 }), typeof more === 'object' ? allowed(more) : fc.jsonValue(), {
        maxKeys: 4,
      });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null)) || 'x';

interface Sent {
  path: string;
  body: unknown;
}

/** Requests of one operation, with an existing meeting in its path. */
function requestsOf({ path, operation }: (typeof operations)[number], meeting: string): Sent[] {
  const parameters = operation.parameters ?? [];
  const given = fc.record({
    inPath: fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === 'path').map((one) => [one.name, allowed(whole(one.schema))]),
      ),
    ),
    inQuery: fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === 'query').map((one) => [one.name, allowed(whole(one.schema))]),
      ),
      { requiredKeys: parameters.filter((one) => one.in === 'query' && one.required).map((one) => one.name) },
    ),
    body: operation.requestBody?.content['application/json']
      ? allowed(whole(operation.requestBody.content['application/json'].schema))
      : fc.constant(undefined),
  });
  return fc.sample(given, { numRuns: requests, seed }).map(({ inPath, inQuery, body }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = path.startsWith('/meetings/') && name === 'id' ? meeting : said(inPath[name]);
      return encodeURIComponent(value).replaceAll('.', '%2E');
    });
    const query = new URLSearchParams(Object.entries(inQuery).map(([name, value]) => [name, String(value)]));
    return { path: `/api${filled}${query.size > 0 ? `?${query}` : ''}`, body };
  });
}

/** Compares an answer with the document; returns what is wrong, or null. */
function wrong(operation: Operation, { status, headers, body, text }: Answer): string | null {
  const described = operation.responses[String(status)];
  if (!described) return `${status} is not described: ${text.slice(0, 200)}`;
  if (status >= 500) return `${status}: ${text.slice(0, 200)}`;
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
  const content = described.content?.[type];
  if (!described.content) return text === '' ? null : `${status} says something that is not described`;
  if (!content) return text === '' || status === 304 ? null : `${status} as ${type} is not described`;
  if (!type.includes('json')) return null;
  const read = z.fromJSONSchema(whole(content.schema) as Parameters<typeof z.fromJSONSchema>[0]).safeParse(body);
  return read.success ? null : `${status} is not as described: ${JSON.stringify(read.error.issues.slice(0, 3))}`;
}

describe('the document is enough to speak to the house', () => {
  test('every operation answers what is made from its schemas as they say', async () => {
    const found: string[] = [];
    const good = new Set<string>();
    for (const one of operations) {
      // A new person each time, because the operation may affect the caller.
      const person: Person = await house.person('Ann');
      const meeting = one.path.startsWith('/meetings/{id}') ? await makeRecording(house, person) : 'x';
      for (const { path, body } of requestsOf(one, meeting)) {
        const answer = await person.call(one.method.toUpperCase(), path, body);
        if (answer.status < 400) good.add(one.name);
        const why = wrong(one.operation, answer);
        if (why !== null) found.push(`${one.name}: ${why}; asked ${path} ${JSON.stringify(body)?.slice(0, 300)}`);
      }
    }
    expect(found, `seed ${seed}`).toEqual([]);
    // Not all that is made at random is worth doing, but much is.
    console.log(`${good.size} of ${operations.length} operations did something of what they were asked`);
    expect(good.size).toBeGreaterThan(operations.length / 4);
  });

  test('an answer that is none of those described would be found', async () => {
    const one = operations.find(({ name }) => name === 'get /meetings/{id}');
    if (!one) throw new Error('there is no such operation');
    const person = await house.person('Ann');
    const answer = await person.get(`/api/meetings/${await makeRecording(house, person)}`);
    expect(wrong(one.operation, answer)).toBeNull();
    const { doc, ...rest } = answer.body as { doc: Record<string, unknown> };
    expect(wrong(one.operation, { ...answer, body: rest })).toMatch('not as described');
    expect(wrong(one.operation, { ...answer, body: { ...rest, doc: { ...doc, title: 5 } } })).toMatch(
      'not as described',
    );
    expect(wrong(one.operation, { ...answer, status: 418 })).toMatch('not described');
  });
});
