// Runs before the page's own script is loaded: sends a page's first requests and, for a recording, connects to its
// document, so that the screen need not wait for the answers. The build puts it into the page (vite.config.ts); without
// it, everything is requested when needed.
import { schemaVersion } from '#sync/protocol.ts';
import type { EarlyAnswers, EarlyLine } from './early-answers.ts';

/** Milliseconds until unused answers and connections are dropped as stale. */
const takenWithin = 30_000;

const ask = (path: string): Promise<Response> => {
  const answer = fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-store' });
  // The reader of the answer handles the failure.
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
  const reader = document.querySelector<HTMLMetaElement>('meta[name="colloquy-reader"]')?.content;
  const as = reader ?? (await readerOf(about));
  if (as === null) return;
  const query = new URLSearchParams({ saved: '1', history: '1', schema: String(schemaVersion), as });
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

/** Account of a person who may read; null for everybody else, who would have nothing to connect to. */
async function readerOf(about: string): Promise<string | null> {
  const [person, closed] = await Promise.all(
    [who, about].map(async (path) => (await early.answers.get(path))?.clone() ?? Response.error()),
  );
  if (!person?.ok || !closed?.ok) return null;
  const { principal } = (await person.json()) as { principal: { kind: string; id: unknown } };
  return principal.kind === 'user' ? String(principal.id) : null;
}
