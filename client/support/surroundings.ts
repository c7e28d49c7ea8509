interface Surroundings {
  page: { origin: string; pathname: string };
  browser: string;
  at: Date;
}

/** The message with place and time. Of the address only the path: query and fragment may hold a key. */
export function withSurroundings(text: string, { page, browser, at }: Surroundings): string {
  return `${text.trim()}\n\n---\nPage: ${page.origin}${page.pathname}\nBrowser: ${browser}\nTime: ${at.toISOString()}`;
}
