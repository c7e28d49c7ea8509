import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { accessesOf } from '#db/access.ts';
import { readEnd, readPiece, recorderLimits, type TakeMessage } from '#shared/recorder.ts';
import { allows } from '#shared/roles.ts';
import { close, limits } from '#sync/protocol.ts';
import { Bucket } from '#sync/server/connection.ts';
import type { Revocation, Visitor } from '#sync/server/door.ts';
import type { House } from '../context.ts';
import type { SocketBoard } from '../meetings/live.ts';
import { stillHolding } from '../people/sessions.ts';
import { asProblem } from '../http/answer.ts';
import type { Outcome } from './piece-log.ts';
import { takeChannel, type TakeSignal } from './signals.ts';
import { takeOf } from './takes.ts';

const pathPattern = /^\/sync\/take\/([0-9A-Za-z]{22})$/;
/** Timeout of queries of a socket, longer than for a request. */
const patience = 5000;
/** Bytes of pieces that wait to be stored, above which a socket has to come again. */
const mostWaiting = 8 * 1024 * 1024;

interface Guest {
  ws: WebSocket;
  takeId: string;
  meetingId: string;
  userId: string;
  hangsOn: string | null;
  answered: boolean;
}

/** Sockets that bring the sound of takes while they are recorded. */
export async function openTakeSockets(
  house: House,
  identify: (request: IncomingMessage) => Promise<Visitor | { status: number }>,
): Promise<SocketBoard> {
  const { db, log, pieces } = house;
  const unsentPongs = { maxPendingAutoPongs: limits.controlFramesPerSecond };
  const wss = new WebSocketServer({
    ...unsentPongs,
    noServer: true,
    maxPayload: recorderLimits.pieceBytes,
    maxFragments: limits.fragments,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const guests = new Set<Guest>();
  let stopped = false;

  async function admit(takeId: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<number | null> {
    const visitor = await identify(request);
    if ('status' in visitor) return visitor.status;
    const { userId, hangsOn } = visitor;
    if (userId === null) return 401;
    const take = await takeOf(house, userId, takeId);
    if (!take || !(await mayRecord(take.meetingId, userId))) return 403;
    if ([...guests].filter((one) => one.userId === userId).length >= limits.socketsPerUser) return 429;
    if (stopped) return 503;
    if (socket.destroyed) return null;
    wss.handleUpgrade(request, socket, head, (ws) => {
      const guest: Guest = { ws, takeId, meetingId: take.meetingId, userId, hangsOn, answered: true };
      guests.add(guest);
      receive(guest);
      send(guest, { kept: take.kept });
      // A right revoked since the first look found no socket to close.
      Promise.all([checkSessions([guest]), checkRights([guest])]).catch(() => ws.close(close.restart, 'not ready'));
    });
    return null;
  }

  async function mayRecord(meetingId: string, userId: string): Promise<boolean> {
    const [held] = await db.ask((sql) => accessesOf(sql, [{ meetingId, userId }]), patience);
    return allows('POST /api/meetings/:id/takes', held ?? new Set());
  }

  function receive(guest: Guest): void {
    const { ws, takeId } = guest;
    const { messagesPerSecond, messageBurst } = recorderLimits;
    const bucket = new Bucket(messagesPerSecond, messageBurst, performance.now());
    let waiting = 0;
    ws.on('error', () => ws.terminate());
    ws.on('close', () => guests.delete(guest));
    ws.on('pong', () => (guest.answered = true));
    ws.on('message', (data: RawData, isBinary: boolean) => {
      if (!bucket.take(1, performance.now())) return ws.close(close.tooFast, 'too fast');
      const bytes = data as Buffer;
      const piece = isBinary ? readPiece(bytes) : null;
      const total = isBinary ? null : readEnd(bytes.toString());
      if (!piece && total === null) return ws.close(close.badFrame, 'neither a piece nor an end');
      if (waiting > mostWaiting) return ws.close(close.full, 'slower, please');
      waiting += bytes.byteLength;
      pieces
        .add(takeId, piece ? [piece] : [], { now: total !== null, total })
        .then((outcome) => answer(guest, outcome))
        .catch((error: unknown) => failed(guest, error))
        .finally(() => (waiting -= bytes.byteLength));
    });
  }

  /** The kept number that a take was told last, so that it hears each once. */
  const told = new WeakMap<Guest, number>();

  function answer(guest: Guest, outcome: Outcome): void {
    if ('kept' in outcome) {
      if (told.get(guest) === outcome.kept) return;
      told.set(guest, outcome.kept);
      return send(guest, outcome);
    }
    if (outcome.refused === 'ended') return stop(guest, 'ended');
    if (outcome.refused === 'gone') return guest.ws.close(close.noAccess, 'no access');
    if (outcome.refused === 'full') return guest.ws.close(close.documentFull, 'too long');
    return guest.ws.close(close.badFrame, 'another piece has this number');
  }

  function failed(guest: Guest, error: unknown): void {
    log.warn({ err: error, take: guest.takeId }, 'pieces could not be stored; their sender keeps them');
    if (asProblem(error).code === 'UNSAVED') send(guest, { stop: 'disk' });
    guest.ws.close(close.full, 'not stored');
  }

  function send({ ws }: Guest, message: TakeMessage): void {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
  }

  function stop(guest: Guest, why: 'ended' | 'elsewhere'): void {
    send(guest, { stop: why });
    guest.ws.close(1000, why);
  }

  /** An ended recording still takes pieces that are on their way, so its sockets stay open until they have sent them. */
  function onSignal(signal: TakeSignal): void {
    for (const guest of guests) {
      const meant = 'take' in signal ? guest.takeId === signal.take : guest.meetingId === signal.meeting;
      if (meant) send(guest, { stop: signal.stop });
    }
  }

  async function checkSessions(concerned: readonly Guest[] = [...guests]): Promise<void> {
    const sessions = [...new Set(concerned.flatMap(({ hangsOn }) => hangsOn ?? []))];
    if (sessions.length === 0) return;
    const holding = await stillHolding(house, sessions, patience);
    for (const { ws, hangsOn } of concerned)
      if (hangsOn !== null && !holding.has(hangsOn)) ws.close(close.sessionEnded, 'session ended');
  }

  async function checkRights(concerned: readonly Guest[]): Promise<void> {
    if (concerned.length === 0) return;
    const held = await db.ask((sql) => accessesOf(sql, concerned), patience);
    for (const [i, { ws }] of concerned.entries())
      if (!allows('POST /api/meetings/:id/takes', held[i] ?? new Set())) ws.close(close.noAccess, 'no access');
  }

  const beating = setInterval(() => {
    for (const guest of guests) {
      if (!guest.answered) guest.ws.terminate();
      guest.answered = false;
      if (guest.ws.readyState === guest.ws.OPEN) guest.ws.ping();
    }
  }, limits.pingMs);
  beating.unref();

  const listening = await db.sql.listen(takeChannel, (payload) => onSignal(JSON.parse(payload) as TakeSignal));

  return {
    at(url) {
      const [, take] = pathPattern.exec(url.pathname) ?? [];
      return take === undefined ? null : (request, socket, head) => admit(take, request, socket, head);
    },
    checkSessions: () => checkSessions(),
    async revoke(what: Revocation) {
      const all = [...guests];
      if ('session' in what) {
        for (const { ws, hangsOn } of all) if (hangsOn === what.session) ws.close(close.sessionEnded, 'session ended');
        return;
      }
      const concerned = all.filter(({ meetingId, userId }) =>
        'meeting' in what ? meetingId === what.meeting : 'user' in what ? userId === what.user : true,
      );
      try {
        if ('everything' in what) await checkSessions(concerned);
        await checkRights(concerned);
      } catch (error) {
        log.warn({ err: error }, 'rights of takes could not be looked at');
        // Nobody stays on an old answer: they come again, and are asked at the door.
        for (const { ws } of concerned) ws.close(close.restart, 'not ready');
      }
    },
    async stop() {
      stopped = true;
      clearInterval(beating);
      await listening.unlisten().catch(() => {});
      await pieces.stop();
      for (const { ws } of guests) {
        ws.close(close.restart, 'restart');
        setTimeout(() => ws.terminate(), 1000).unref();
      }
    },
  };
}
