import { Problem } from '#shared/problems.ts';

const maxDepth = 64;
const usualValues = 200_000;

/**
 * Parses JSON strictly. Refused are forms that two readers may understand differently or that only an attack contains:
 * duplicate keys, `__proto__`, deep nesting, numbers that lose their value, U+0000.
 */
export function parseJson(source: string, mostValues = usualValues): unknown {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw refused('json');
  }
  // A lone surrogate, from text cut within a character, becomes U+FFFD.
  return scan(source, mostValues)
    ? value
    : JSON.parse(source, (_, part: unknown) => (typeof part === 'string' ? whole(part) : part));
}

const halves = /\p{Surrogate}/u;
const whole = (text: string): string => Buffer.from(text).toString();

const refused = (code: string) => new Problem('INVALID', { errors: [{ field: '', code }] });

/**
 * Checks the tokens, which is enough because JSON.parse has accepted the grammar. False if a string has a lone
 * surrogate.
 */
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
