import { safePath } from '#shared/redirects.ts';

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The path of our own that a line of a mail leads to; null where the line is not just such a link. */
export function ownPath(line: string, origin: string): string | null {
  if (!/^https?:\/\/\S+$/.test(line) || !URL.canParse(line)) return null;
  const url = new URL(line);
  // The mail names one of this machine's names and the page may be open under another.
  if (url.origin !== origin && !thisMachine.test(url.hostname)) return null;
  return safePath(url.pathname + url.search);
}
