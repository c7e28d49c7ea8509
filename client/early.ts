// Runs before the page's own script has come: asks what a page asks first, and of a recording opens the line to its
// document, so that answers wait for the screen and not the screen for them. A build puts it into the page
// (vite.config.ts); without it, everything is asked when it is needed.
import { schemaVersion } from '#sync/protocol.ts';
import type { EarlyAnswers, EarlyLine } from './early-answers.ts';

/** What nobody took up by then is out of date, and a line nobody's. */
const takenWithin = 30_000;

const ask = (path: string): Promise<Response> => {
  const answer = fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-store' });
  // Whoever takes it hears of a failure.
  answer.catch(() => {});
  return answer;
};

const who = '/api/principals/whoami';
const early: EarlyAnswers = { answers: new Map([[who, ask(who)]]), lines: [] };
Object.assign(globalThis, { colloquyEarly: early });
setTimeout(() => early.answers.clear(), takenWithin);

const id = /^\/meeting\/([\w-]{1,64})\/?$/.exec(window.location.pathname)?.[1];
if (id !== undefined) open(id).catch(() => {});

async function open(meeting: string): Promise<void> {
  const about = `/api/meetings/${meeting}/about`;
  early.answers.set(about, ask(about));
  const [person, closed] = await Promise.all(
    [who, about].map(async (path) => (await early.answers.get(path))?.clone() ?? Response.error()),
  );
  // Whoever may not read it finds a page without a line.
  if (!person?.ok || !closed?.ok) return;
  const { principal } = (await person.json()) as { principal: { kind: string; id: unknown } };
  if (principal.kind !== 'user') return;
  const query = new URLSearchParams({ saved: '1', schema: String(schemaVersion), as: String(principal.id) });
  const path = `${meeting}/transcript?${query}`;
  const socket = new WebSocket(new URL(`/sync/${path}`, window.location.href.replace(/^http/, 'ws')));
  socket.binaryType = 'arraybuffer';
  const line: EarlyLine = { path, socket, heard: [], ending: null, taken: new AbortController() };
  const { signal } = line.taken;
  socket.addEventListener('message', ({ data }) => line.heard.push(data), { signal });
  socket.addEventListener('close', ({ code, reason }) => (line.ending = { code, reason }), { signal });
  early.lines.push(line);
  const timer = setTimeout(() => socket.close(), takenWithin);
  signal.addEventListener('abort', () => clearTimeout(timer));
}
