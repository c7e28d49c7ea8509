/**
 * Check of every return target from outside (redirectTo, next_url): a path of our own origin, or '/'. Client and server
 * share it, so that neither can be made to leave the site.
 */
export function safePath(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2000) return '/';
  // '//host' and '/\host' are other origins for a browser, which also drops control characters first.
  if (!/^\/(?![/\\])/.test(value) || hasControls(value) || value.includes('\\')) return '/';
  const base = 'http://own.invalid';
  const url = URL.canParse(value, base) ? new URL(value, base) : null;
  if (!url || url.origin !== base) return '/';
  const path = url.pathname + url.search + url.hash;
  // Normalising can produce a double slash ('/.//host').
  return path.startsWith('//') ? '/' : path;
}

function hasControls(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}
