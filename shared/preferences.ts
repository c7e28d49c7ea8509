import type { Preferences } from './accounts.ts';

// Without the schemas, because a page shows a change before the server has saved it.

/** Overwrites the stored fields with the given ones, also inside groups of fields. */
export function mergePreferences(stored: Preferences, given: Preferences): Preferences {
  const merged: Record<string, unknown> = { ...stored };
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    merged[key] = isGroup(before) && isGroup(value) ? { ...before, ...value } : value;
  }
  return merged;
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
