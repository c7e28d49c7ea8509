// @ts-check
// Smallest possible server: passes frames on to the others of a room, and gives on request the last whole state that
// a client sent. It checks, builds and stores nothing: the upper limit of the throughput here.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** @type {Map<string, {sockets: Set<import('ws').WebSocket>, state: Buffer}>} */
const rooms = new Map();
const emptyState = Buffer.from([0, 1, 2, 0, 0]);
const server = createServer();
const wss = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 8 * 2 ** 20 });

wss.on('connection', (ws, request) => {
  const name = request.url ?? '';
  const room = rooms.get(name) ?? { sockets: new Set(), state: emptyState };
  rooms.set(name, room);
  room.sockets.add(ws);
  ws.on('message', (/** @type {Buffer} */ data) => {
    if (data[0] === 0 && data[1] === 0) ws.send(room.state);
    else if (data[0] === 0 && data[1] === 1) room.state = data;
    else for (const other of room.sockets) if (other !== ws) other.send(data);
  });
  ws.on('close', () => room.sockets.delete(ws));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : ''}`);
});
