// Corrects a word as soon as anybody types it, live and until Ctrl-C, with y-websocket as npm has it:
//   TOKEN=<of POST /api/tokens> npx tsx scripts/examples/live.ts http://localhost:3000 <meeting> "wrong word" "right word"
import { readVarUint } from 'lib0/decoding';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';

/** Sent only to clients that ask for it by `saved=1`; the other two are for clients that keep documents. */
const message = { saved: 10, hello: 11, notSaved: 12 } as const;

const [address = '', meeting = '', wrong = '', right = ''] = process.argv.slice(2);
const token = process.env['TOKEN'] ?? '';
if ([address, meeting, wrong, token].includes('')) {
  console.error('TOKEN=<token> npx tsx scripts/examples/live.ts <address> <meeting> <wrong> <right>');
  process.exit(1);
}

const escaped = wrong.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
// The character behind it shows that the word is complete.
const wholeWord = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}]|$)`, 'gu');
if (wholeWord.test(`${right} `)) {
  console.error('The right word must not contain the wrong one.');
  process.exit(1);
}

const room = `${meeting}/transcript`;
const doc = new Y.Doc();
const text = doc.getText('text');

async function newTicket(): Promise<string> {
  const answer = await fetch(`${address}/api/sync/tickets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'X-Request-ID': crypto.randomUUID(),
    },
    body: JSON.stringify({ room }),
  });
  if (!answer.ok) throw new Error(`no ticket for the recording: ${await answer.text()}`);
  return ((await answer.json()) as { ticket: string }).ticket;
}

const params: Record<string, string> = { ticket: await newTicket(), saved: '1' };
const provider = new WebsocketProvider(`${address.replace(/^http/, 'ws')}/sync`, room, doc, {
  params,
  WebSocketPolyfill: WebSocket as never,
  disableBc: true,
});

// A ticket serves for five minutes; the next attempt to connect takes the newest one.
provider.on('connection-close', () => {
  newTicket().then(
    (ticket) => (params['ticket'] = ticket),
    () => {},
  );
});
provider.on('closed', ({ code }) => {
  console.error(`the recording is no longer open to this token (${code})`);
  process.exit(1);
});

function correct(): void {
  if (!provider.synced) return;
  // A paragraph begins with an embed, which counts as one character.
  const flat = (text.toDelta() as { insert: unknown }[])
    .map(({ insert }) => (typeof insert === 'string' ? insert : '\uFFFC'))
    .join('');
  const places = [...flat.matchAll(wholeWord)].map(({ index }) => index);
  if (places.length === 0) return;
  doc.transact(() => {
    // From the end, so that earlier positions stay true.
    for (const at of places.toReversed()) {
      text.insert(at, right);
      text.delete(at + right.length, wrong.length);
    }
  });
  console.log(`${places.length} corrected`);
}
text.observe(() => queueMicrotask(correct));
provider.on('sync', correct);

/** Update messages on this connection: the answer to the server's first question, then one for each change. */
let sent = 0;
provider.on('status', ({ status }) => {
  if (status === 'connected') sent = 1;
});
doc.on('update', (_update: Uint8Array, origin: unknown) => {
  if (origin !== provider && provider.wsconnected) sent += 1;
});
provider.messageHandlers[message.saved] = (_encoder, decoder) => {
  if (readVarUint(decoder) >= sent && sent > 1) console.log('all corrections are stored');
};
provider.messageHandlers[message.hello] = () => {};
provider.messageHandlers[message.notSaved] = () => console.log('the server cannot store anything right now');

process.once('SIGINT', () => {
  provider.destroy();
  process.exit(0);
});
