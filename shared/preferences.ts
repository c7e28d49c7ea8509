import type { Preferences } from './accounts.ts';

// Without the schemas: a page shows at once what it asks the server to keep.

/** What is given replaces what was kept, field by field, also inside the groups of fields. */
export function mergePreferences(kept: Preferences, given: Preferences): Preferences {
  const merged: Record<string, unknown> = { ...kept };
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    merged[key] = isGroup(before) && isGroup(value) ? { ...before, ...value } : value;
  }
  return merged;
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
