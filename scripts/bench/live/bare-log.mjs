// @ts-check
// bare-log.mjs <database URL>: the least a durable server can do. What arrives while one insert is on its way makes up
// the next one; when that is committed it is passed on and acknowledged. It knows nothing of documents or of people: the
// limit of what is possible on this database.
import { createServer } from 'node:http';
import postgres from 'postgres';
import { WebSocketServer } from 'ws';

/**
 * @typedef {import('ws').WebSocket} Socket
 * @typedef {{ws: Socket, room: string, frame: Buffer}} Sent
 */

const [url = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 4, onnotice: () => {} });
await sql`create table if not exists log (id bigserial primary key, room text not null, frame bytea not null)`;
await sql`create index if not exists log_room on log (room, id)`;

/** @type {Map<string, Set<Socket>>} */
const rooms = new Map();
/** @type {WeakMap<Socket, number>} */
const saved = new WeakMap();
/** @type {Sent[]} */
let waiting = [];
let flying = false;
const emptyState = Buffer.from([0, 1, 2, 0, 0]);

async function fly() {
  flying = true;
  await Promise.resolve();
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const frames = batch.map(({ frame }) => `\\x${frame.toString('hex')}`);
    await sql`
      insert into log (room, frame)
      select * from unnest(${batch.map(({ room }) => room)}::text[], ${frames}::text[]::bytea[])`;
    spread(batch);
  }
  flying = false;
}

/** One write a socket for all of a batch. */
function spread(/** @type {Sent[]} */ batch) {
  /** @type {Map<Socket, Buffer[]>} */
  const out = new Map();
  const push = (/** @type {Socket} */ ws, /** @type {Buffer} */ frame) => {
    const list = out.get(ws);
    if (list) list.push(frame);
    else out.set(ws, [frame]);
  };
  /** @type {Set<Socket>} */
  const authors = new Set();
  for (const { ws, room, frame } of batch) {
    authors.add(ws);
    saved.set(ws, (saved.get(ws) ?? 0) + 1);
    for (const other of rooms.get(room) ?? []) if (other !== ws) push(other, frame);
  }
  for (const ws of authors) push(ws, acknowledgement(saved.get(ws) ?? 0));
  for (const [ws, frames] of out) {
    const { _socket: socket } = /** @type {{_socket: import('node:net').Socket}} */ (/** @type {unknown} */ (ws));
    socket.cork();
    for (const frame of frames) ws.send(frame);
    socket.uncork();
  }
}

function acknowledgement(/** @type {number} */ count) {
  const bytes = [10];
  for (; count > 127; count = Math.floor(count / 128)) bytes.push((count & 127) | 128);
  bytes.push(count);
  return Buffer.from(bytes);
}

async function answer(/** @type {Socket} */ ws, /** @type {string} */ room) {
  const rows = await sql`select frame from log where room = ${room} order by id`;
  for (const { frame } of rows) ws.send(frame);
  ws.send(emptyState);
}

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 2 ** 20 }).on('connection', (ws, request) => {
  const room = request.url ?? '';
  const sockets = rooms.get(room) ?? new Set();
  rooms.set(room, sockets.add(ws));
  ws.on('message', (/** @type {Buffer} */ frame) => {
    if (frame[1] === 0) return void answer(ws, room);
    waiting.push({ ws, room, frame });
    if (!flying) void fly();
  });
  ws.on('close', () => sockets.delete(ws));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : ''}`);
});
