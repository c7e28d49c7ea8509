import { safePath } from '#shared/redirects.ts';

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The path on this server that a line of a mail links to; null where the line is not just such a link. */
export function ownPath(line: string, origin: string): string | null {
  if (!/^https?:\/\/\S+$/.test(line) || !URL.canParse(line)) return null;
  const url = new URL(line);
  // The mail may use another name of this machine than the open page.
  if (url.origin !== origin && !thisMachine.test(url.hostname)) return null;
  return safePath(url.pathname + url.search);
}
