export interface Surroundings {
  page: { origin: string; pathname: string };
  browser: string;
  at: Date;
}

/**
 * What somebody wrote, with where and when they did. Of the address no more than the path: what follows it may be a key,
 * and nobody means to send that along.
 */
export function withSurroundings(text: string, { page, browser, at }: Surroundings): string {
  return `${text.trim()}\n\n---\nPage: ${page.origin}${page.pathname}\nBrowser: ${browser}\nTime: ${at.toISOString()}`;
}
