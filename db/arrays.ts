import type postgres from 'postgres';

/* Arrays as PostgreSQL writes them, one dimension deep. */

const element = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/g;

/** The query builder passes text that is already formatted. */
function write(values: readonly unknown[] | string): string {
  if (typeof values === 'string') return values;
  const words = values.map((value) => (value === null ? 'NULL' : `"${word(value).replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${words.join(',')}}`;
}

function word(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value);
}

const read =
  (one: (text: string) => unknown) =>
  (source: string): unknown[] =>
    [...source.matchAll(element)].map(([, quoted, plain]) =>
      plain === 'NULL' ? null : one(plain ?? (quoted ?? '').replaceAll(/\\(.)/gs, '$1')),
    );

const text = (value: string): string => value;
const number = Number;
const boolean = (value: string): boolean => value === 't';
const bytes = (value: string): Buffer => Buffer.from(value.slice(2), 'hex');

/** Keyed by PostgreSQL's type number of the array. */
const known: Record<number, (text: string) => unknown> = {
  1000: boolean,
  1001: bytes,
  1003: text, // name
  1005: number, // int2
  1007: number, // int4
  1009: text,
  1015: text, // varchar
  1016: text, // int8, which can exceed a number
  1022: number, // float8
  2951: text, // uuid
};

export const arrayTypes: Record<string, postgres.PostgresType> = Object.fromEntries(
  Object.entries(known).map(([oid, one]) => [
    `array${oid}`,
    { to: Number(oid), from: [Number(oid)], serialize: write, parse: read(one) },
  ]),
);
