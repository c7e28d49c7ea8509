import { clockTime } from '../ui/times.ts';

interface Surroundings {
  page: { origin: string; pathname: string };
  browser: string;
  at: Date;
  /** Time in the open recording, in milliseconds; null without one. */
  recordingMs: number | null;
}

/** The message with place and time. Of the address only the path: query and fragment may hold a key. */
export function withSurroundings(text: string, { page, browser, at, recordingMs }: Surroundings): string {
  const lines = [
    `Page: ${page.origin}${page.pathname}`,
    `Browser: ${browser}`,
    `Time: ${at.toISOString()}`,
    ...(recordingMs === null ? [] : [`Recording time: ${clockTime(recordingMs)}`]),
  ];
  return `${text.trim()}\n\n---\n${lines.join('\n')}`;
}
