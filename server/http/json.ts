import { Problem } from '#shared/problems.ts';

const maxDepth = 64;
const maxValues = 200_000;

/**
 * JSON as we are willing to read it: what `JSON.parse` takes, less what two readers may understand differently or
 * what only an attack contains: keys given twice, `__proto__`, deep nesting, numbers that lose their value.
 */
export function parseJson(source: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw refused('json');
  }
  scan(source);
  return value;
}

const refused = (code: string) => new Problem('INVALID', { errors: [{ field: '', code }] });

// The grammar holds already (JSON.parse took it), so finding the tokens is enough.
function scan(source: string): void {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;
  const open: (Set<string> | null)[] = [];
  let keyNext = false;
  let values = 0;
  for (const [text] of source.matchAll(token)) {
    const keys = open.at(-1);
    if (text === '{' || text === '[') {
      open.push(text === '{' ? new Set() : null);
      if (open.length > maxDepth) throw refused('depth');
      keyNext = text === '{';
    } else if (text === '}' || text === ']') {
      open.pop();
      keyNext = false;
    } else if (text === ',') {
      keyNext = keys instanceof Set;
      values += 1;
      if (values > maxValues) throw refused('too_many');
    } else if (text.startsWith('"')) {
      if (!keyNext || !keys) continue;
      keyNext = false;
      const key = JSON.parse(text) as string;
      if (keys.has(key)) throw refused('duplicate_key');
      if (key === '__proto__' || key === 'constructor' || key === 'prototype') throw refused('key');
      keys.add(key);
    } else if (!keepsItsValue(text)) {
      throw refused('number');
    }
  }
}

function keepsItsValue(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  return !/^-?\d+$/.test(text) || Number.isSafeInteger(value);
}
