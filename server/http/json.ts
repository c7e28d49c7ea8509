import { Problem } from '#shared/problems.ts';

const maxDepth = 64;
const usualValues = 200_000;

/**
 * JSON as we are willing to read it: what `JSON.parse` takes, less what two readers may understand differently or
 * what only an attack contains: keys given twice, `__proto__`, deep nesting, numbers that lose their value, U+0000.
 */
export function parseJson(source: string, mostValues = usualValues): unknown {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw refused('json');
  }
  // Half a character, left by cutting a text in the middle of one, becomes a mark that there was one.
  return scan(source, mostValues)
    ? value
    : JSON.parse(source, (_, part: unknown) => (typeof part === 'string' ? whole(part) : part));
}

const halves = /\p{Surrogate}/u;
const whole = (text: string): string => Buffer.from(text).toString();

const refused = (code: string) => new Problem('INVALID', { errors: [{ field: '', code }] });

/** The grammar holds already (JSON.parse took it), so finding the tokens is enough. Answers whether all characters are whole. */
function scan(source: string, mostValues: number): boolean {
  let wellFormed = true;
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
      if (values > mostValues) throw refused('too_many');
    } else if (text.startsWith('"')) {
      if (text.includes('\\u')) {
        const plain = JSON.parse(text) as string;
        if (plain.includes('\0')) throw refused('character');
        wellFormed &&= !halves.test(plain);
      }
      if (!keyNext || !keys) continue;
      keyNext = false;
      const key = JSON.parse(text) as string;
      if (keys.has(key)) throw refused('duplicate_key');
      if (key === '__proto__' || key === 'constructor' || key === 'prototype' || halves.test(key)) throw refused('key');
      keys.add(key);
    } else if (!keepsItsValue(text)) {
      throw refused('number');
    }
  }
  return wellFormed;
}

function keepsItsValue(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  return !/^-?\d+$/.test(text) || Number.isSafeInteger(value);
}
