import { groupVerbs, verbs, type Verb } from '#shared/roles.ts';
import { isOpen, type Api } from './http/openapi.ts';

/** Routes that act on a meeting or a group; each has a row in the tables of shared/roles.ts. */
const acting = /^\/api\/(meetings|export|access-requests|groups)\/./;

/**
 * Compares the routes with the tables of permissions, so that every call is checked against a row. Throws, naming the
 * call, for a route without a row, a row without a route, and a row that differs in whether a sign-in is needed.
 */
export function checkVerbs({ routes }: Api): void {
  const rows: Record<string, Pick<Verb, 'signedIn'>> = {
    ...verbs,
    ...Object.fromEntries(Object.keys(groupVerbs).map((name) => [name, { signedIn: true }])),
  };
  const unused = new Set(Object.keys(rows));
  for (const { method, path, handler } of routes) {
    const name = `${method} ${path}`;
    if (method === 'ALL' || !acting.test(path)) continue;
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (!row) throw new Error(`${name} has no row in the tables of permissions (shared/roles.ts)`);
    unused.delete(name);
    const open = isOpen(handler);
    if (open === row.signedIn)
      throw new Error(`${name} is ${open ? 'open' : 'for people who are signed in'}, and its row says otherwise`);
  }
  for (const name of unused) throw new Error(`${name} has a row in the tables of permissions, and no route`);
}
