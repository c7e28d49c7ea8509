import type { BegunLine } from '#sync/client/browser.ts';

/** What was asked before the page's own script was here (early.ts); each is good for one use. */
export interface EarlyAnswers {
  answers: Map<string, Promise<Response>>;
  lines: EarlyLine[];
}

export interface EarlyLine extends BegunLine {
  path: string;
}

const early = (): EarlyAnswers | undefined => (globalThis as { colloquyEarly?: EarlyAnswers }).colloquyEarly;

/** The answer to something that is under way already; undefined where it has to be asked. */
export function takeAnswer(path: string, method = 'GET'): Promise<Response> | undefined {
  const answers = method === 'GET' ? early()?.answers : undefined;
  const answer = answers?.get(path);
  answers?.delete(path);
  return answer;
}

/**
 * A line to the same room for the same person. Which generation the page has of the document it compares itself with
 * what the server says first.
 */
export function takeLine(path: string): BegunLine | null {
  const lines = early()?.lines ?? [];
  const at = lines.findIndex((line) => sameRoom(line.path, path));
  return lines.splice(at, at < 0 ? 0 : 1)[0] ?? null;
}

function sameRoom(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => {
    const url = new URL(path, 'http://house');
    url.searchParams.delete('generation');
    return url.href;
  });
  return a === b;
}
