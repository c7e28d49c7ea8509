import type { BegunLine } from '#sync/client/browser.ts';

/** Answers to the requests of early.ts, from before the page's script was loaded; each is used once. */
export interface EarlyAnswers {
  answers: Map<string, Promise<Response>>;
  lines: EarlyLine[];
}

export interface EarlyLine extends BegunLine {
  path: string;
}

const early = (): EarlyAnswers | undefined => (globalThis as { colloquyEarly?: EarlyAnswers }).colloquyEarly;

/** The answer to a request that is under way already; undefined where there is none. */
export function takeAnswer(path: string, method = 'GET'): Promise<Response> | undefined {
  const answers = method === 'GET' ? early()?.answers : undefined;
  const answer = answers?.get(path);
  answers?.delete(path);
  return answer;
}

/**
 * The early connection for this room and person. The page itself compares its generation of the document with the first
 * message of the server.
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
