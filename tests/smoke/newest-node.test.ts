// The product runs on the newest Node LTS, too: `npm start`, sign in, edit over REST and live, stop, start again.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import type { SignInOptions } from '#shared/accounts.ts';
import { ticketFor } from '#tests/support/meetings.ts';
import { Person } from '#tests/support/people.ts';
import { Checkout, patience, place } from '../commands/checkout.ts';
import { newestNode, provideNode } from './newest-node.ts';

interface Meeting {
  version: number;
  doc: { transcript: { segments: { id: number; text: string }[] } };
}

const patient = { timeout: 60_000 };
let node: Awaited<ReturnType<typeof provideNode>>;
let checkout: Checkout | undefined;

beforeAll(async () => {
  node = await provideNode();
  if (node.folder) checkout = new Checkout(place('newest node')).furnish();
}, patience);

afterAll(() => checkout?.remove(), patience);

test(`npm start on Node ${newestNode} serves the main way, and keeps what was edited`, async ({ skip }) => {
  if (!checkout || !node.folder) return skip(node.why ?? 'there is no checkout');
  const env = { PATH: `${node.folder}:${process.env['PATH']}` };
  expect(execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()).toBe(`v${newestNode}`);

  const first = checkout.start(env);
  const address = await first.ready();
  const asked = await Promise.all(
    ['/', '/metrics'].map((path) => fetch(address + path).then((answer) => answer.text())),
  );
  expect(asked).toEqual([
    expect.stringContaining('<div id="root">'),
    expect.stringContaining(`version="v${newestNode}"`),
  ]);
  const ann = await signIn(address);
  const [recording] = (await ann.get('/api/meetings')).body.hits as { id: string }[];
  const id = recording?.id ?? '';

  const { version, doc } = await read(ann, id);
  const old = doc.transcript.segments[1]?.text ?? '';
  const edit = { pos: doc.transcript.segments[1]?.id, old, new: `${old} By REST.`, version };
  expect(await ann.post(`/api/meetings/${id}/edit`, edit)).toMatchObject({ status: 200 });
  await editLive(ann, id, 'Live. ');
  const edited = async (person: Person) => {
    const { segments } = (await read(person, id)).doc.transcript;
    return [segments[0]?.text.startsWith('Live. '), segments[1]?.text.endsWith(' By REST.')];
  };
  expect(await edited(ann)).toEqual([true, true]);
  first.kill('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await checkout.deserted();

  const second = checkout.start(env);
  const later = await signIn(await second.ready());
  expect(second.output).not.toMatch(/Installing|Building/);
  expect(await edited(later)).toEqual([true, true]);
  second.kill('SIGTERM');
  expect(await second.exited).toEqual({ code: 0, signal: null });
  await checkout.deserted();
});

async function signIn(address: string): Promise<Person> {
  const person = new Person(address);
  const { demo } = (await person.get('/api/sign-in-options')).body as SignInOptions;
  const [ann] = demo;
  expect(await person.post('/api/login', { email: ann?.email, password: ann?.password })).toMatchObject({
    status: 200,
  });
  return person;
}

async function read(person: Person, meeting: string): Promise<Meeting> {
  const answer = await person.get(`/api/meetings/${meeting}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Meeting;
}

/** Writes text at the beginning of the transcript with the y-websocket that npm has. */
async function editLive(person: Person, meeting: string, text: string): Promise<void> {
  const room = `${meeting}/transcript`;
  const doc = new Y.Doc();
  const provider = new WebsocketProvider(`${person.origin.replace('http', 'ws')}/sync`, room, doc, {
    params: { ticket: await ticketFor(person, room) },
    WebSocketPolyfill: WebSocket as never,
    disableBc: true,
  });
  try {
    await vi.waitFor(() => expect(provider.synced).toBe(true), patient);
    const transcript = doc.getText('text');
    // The first item of the transcript is the mark of its first paragraph.
    transcript.insert(1, text);
    await vi.waitFor(
      async () => expect((await read(person, meeting)).doc.transcript.segments[0]?.text).toContain(text),
      patient,
    );
  } finally {
    provider.destroy();
  }
}
