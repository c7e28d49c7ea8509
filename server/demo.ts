import type { House } from './context.ts';

export function seedDemo(_house: House, _say: (line: string) => void): Promise<void> {
  return Promise.resolve();
}
