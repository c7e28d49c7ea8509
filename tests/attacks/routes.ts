import { createApp } from '#server/app.ts';
import type { World } from './run.ts';

export interface Route {
  method: string;
  /** With placeholders such as `:id`. */
  pattern: string;
  /** The path with unknown values in place of its parameters. */
  path: string;
}

/** Every route of the API as the app itself lists them, so that a new one is attacked automatically. */
export function apiRoutes({ house }: World): Route[] {
  const app = createApp(house.house, { version: 'none', index: null, files: new Map() });
  const found = new Map<string, Route>();
  for (const { method, path: pattern } of app.routes) {
    if (method === 'ALL' || !pattern.startsWith('/api/')) continue;
    const path = pattern.replaceAll(/:\w+/g, 'nothing');
    found.set(`${method} ${pattern}`, { method, pattern, path });
  }
  return [...found.values()];
}

export const writing = ({ method }: Route): boolean => !['GET', 'HEAD'].includes(method);
