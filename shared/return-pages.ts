import { safePath } from './redirects.ts';

/** Pages to which buying something may lead back. */
const pages = new Set(['/balance', '/buy-credits', '/change-plan', '/testpurchase']);

/** True for pages of money, and for a recording: the way back to a dialog that asked for more credits. */
export const isReturnPage = (pathname: string): boolean => pages.has(pathname) || /^\/meeting\/[\w-]+$/.test(pathname);

/** Page that sells a bundle; buying it leads to `back`, which is always a path of our own. */
export function bundlePage(name: string, back: string | null): string {
  const query = new URLSearchParams({ bundle: name, ...(back !== null && { redirectTo: safePath(back) }) });
  return `/change-plan?${query}`;
}
