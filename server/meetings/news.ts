import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { accessesOf, readersOfLayers } from '#db/access.ts';
import type { AnswerNews, PageNews, ProgressNews, Telling } from '#shared/page-news.ts';
import { close, limits } from '#sync/protocol.ts';
import type { Visitor } from '#sync/server/door.ts';
import { stillHolding } from '../people/sessions.ts';
import { commentChannel, type Told } from '../annotations/telling.ts';
import type { House } from '../context.ts';
import { progressOf, type Progressing } from '../intake/drafts.ts';
import { reviewChannel, type ReviewNotice } from '../reviews/news.ts';

/** Milliseconds in which changes are collected into one notification. */
const gatherMs = 200;
/** The same for an assessment, whose readers count figures anew. */
const gatherLayerMs = 1000;
/** Timeout of queries, longer than for a request; a page without notifications asks by itself. */
const patience = 5000;
/** Unsent bytes after which a socket counts as dead. */
const mostUnread = 64 * 1024;

type Admit = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<number | null>;

interface NewsBoard {
  /** Handles requests for notifications, not documents: admits a socket or returns the status of the refusal. */
  at(url: URL): Admit | null;
  sessionEnded(id: string): void;
  stop(): Promise<void>;
}

interface Listener {
  ws: WebSocket;
  userId: string | null;
  address: string;
  hangsOn: string | null;
  browser: string | null;
  /** Null for all meetings that a person owns or that are shared with them by name. */
  meetingId: string | null;
  answered: boolean;
  /** Pings received in this interval. */
  pings: number;
}

interface Meant {
  listener: Listener;
  meeting: string;
  news: PageNews;
}

/** Progress of a meeting, as lists and pages show it. */
interface Row extends Progressing {
  id: string;
  people: string[];
}

/**
 * Notifies open pages about progress of recordings, comments, answers, reviews, changed lists, teams and balances.
 * The database notifies every process of every change (see the migrations progress_news, library_news, group_news, ledger
 * and assessments); permissions are checked for each notification.
 */
export async function openNews(
  house: House,
  identify: (request: IncomingMessage) => Promise<Visitor | { status: number }>,
): Promise<NewsBoard> {
  const { db, log } = house;
  const unsentPongs = { maxPendingAutoPongs: limits.controlFramesPerSecond };
  const wss = new WebSocketServer({
    ...unsentPongs,
    noServer: true,
    // Clients send nothing on this socket.
    maxPayload: 1024,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const listeners = new Set<Listener>();
  let stopped = false;

  const admit = async (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    meetingId: string | null,
  ): Promise<number | null> => {
    const visitor = await identify(request);
    if ('status' in visitor) return visitor.status;
    const { userId, address, hangsOn, browser = null } = visitor;
    if (meetingId === null && userId === null) return 401;
    if (meetingId !== null) {
      const [held] = await db.ask((sql) => accessesOf(sql, [{ meetingId, userId, browser }]), patience);
      if (!held?.has('read')) return 403;
    }
    const alike = [...listeners].filter((one) =>
      userId === null ? one.userId === null && one.address === address : one.userId === userId,
    );
    if (alike.length >= (userId === null ? limits.socketsPerAddress : limits.socketsPerUser)) return 429;
    if (stopped) return 503;
    if (socket.destroyed) return null;
    wss.handleUpgrade(request, socket, head, (ws) => {
      const listener: Listener = { ws, userId, address, hangsOn, browser, meetingId, answered: true, pings: 0 };
      listeners.add(listener);
      ws.on('error', () => ws.terminate());
      ws.on('close', () => listeners.delete(listener));
      ws.on('pong', () => (listener.answered = true));
      ws.on('ping', () => {
        listener.pings += 1;
        if (listener.pings > limits.controlFramesPerSecond) ws.close(close.tooFast, 'too fast');
      });
      ws.on('message', () => ws.close(close.badFrame, 'nothing to say here'));
      send(listener, { kind: 'here' });
    });
    return null;
  };

  function send({ ws }: Listener, news: PageNews): void {
    if (ws.bufferedAmount > mostUnread) ws.terminate();
    else if (ws.readyState === ws.OPEN) ws.send(Buffer.from(JSON.stringify(news)));
  }

  const beating = setInterval(() => {
    for (const listener of listeners) {
      if (!listener.answered) listener.ws.terminate();
      listener.answered = false;
      listener.pings = 0;
      if (listener.ws.readyState === listener.ws.OPEN) listener.ws.ping();
      // Browsers do not report pings to pages.
      send(listener, { kind: 'here' });
    }
  }, limits.pingMs);
  beating.unref();

  const moved = new Set<string>();
  let notifying: Promise<void> | null = null;

  async function notifyProgress(): Promise<void> {
    while (moved.size > 0) {
      const ids = [...moved];
      moved.clear();
      if (listeners.size === 0) continue;
      const rows = await db.ask(
        (sql) => sql<Row[]>`
          select i.meeting_id as id, i.state, i.percentage, i.failure, i.model, i.agreed_ms as "agreedMs", i.measured_ms as "measuredMs",
            array(select id from people_of_meeting(m.id)) as people
          from intakes i join meetings m on m.id = i.meeting_id and m.deleted_at is null
          where i.meeting_id = any(${ids}::text[]) and i.state <> 'created'`,
        patience,
      );
      const meant = rows.flatMap((row) => {
        const { id: meeting, people } = row;
        const news: ProgressNews = { kind: 'progress', meeting, progress: progressOf(row) };
        return [...listeners]
          .filter(({ meetingId, userId }) =>
            meetingId === null ? userId !== null && people.includes(userId) : meetingId === meeting,
          )
          .map((listener) => ({ listener, meeting, news }));
      });
      await sendToReaders(meant);
    }
  }

  /** Sends to listeners whose session and permission to read are valid now. */
  async function sendToReaders(meant: readonly Meant[]): Promise<void> {
    if (meant.length === 0) return;
    const requests = meant.map(({ listener: { userId, browser }, meeting }) => ({
      meetingId: meeting,
      userId,
      browser,
    }));
    const sessions = [...new Set(meant.flatMap(({ listener: { hangsOn } }) => hangsOn ?? []))];
    const [held, holding] = await Promise.all([
      db.ask((sql) => accessesOf(sql, requests), patience),
      stillHolding(house, sessions, patience),
    ]);
    for (const [i, { listener, news }] of meant.entries()) {
      if (listener.hangsOn !== null && !holding.has(listener.hangsOn))
        listener.ws.close(close.sessionEnded, 'session ended');
      else if (held[i]?.has('read')) send(listener, news);
    }
  }

  /** Sends once to each socket of a person that is not bound to one recording. */
  async function notifyOfComment(payload: string): Promise<void> {
    const { people, ...comment } = JSON.parse(payload) as Told;
    const reasons = new Map(
      Object.entries(people).flatMap(([why, ids]) => ids.map((id) => [id, why as Telling] as const)),
    );
    await sendToReaders(
      [...listeners].flatMap((listener) => {
        const kind = listener.meetingId === null && reasons.get(listener.userId ?? '');
        return kind ? [{ listener, meeting: comment.meeting, news: { kind, ...comment } }] : [];
      }),
    );
  }

  function wake(): void {
    if (notifying || stopped) return;
    notifying = notifyProgress()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'how far recordings are could not be told');
        // Closed sockets reconnect and then load the current state.
        for (const { ws } of listeners) ws.close(close.restart, 'not ready');
      })
      .finally(() => {
        notifying = null;
        if (moved.size > 0) wake();
      });
  }

  /** Notifies people about something of their own without its content, which pages then request with their permissions. */
  const gatherer = (kind: 'library' | 'groups' | 'balance') => {
    let concerned = new Set<string>();
    let gathering: NodeJS.Timeout | null = null;
    const notify = () => {
      gathering = null;
      const people = concerned;
      concerned = new Set();
      for (const listener of listeners) {
        const { meetingId, userId } = listener;
        if (meetingId === null && userId !== null && people.has(userId)) send(listener, { kind });
      }
    };
    return {
      add(userId: string): void {
        concerned.add(userId);
        gathering ??= setTimeout(notify, gatherMs);
      },
      stop(): void {
        if (gathering) clearTimeout(gathering);
      },
    };
  };
  const [ofLibrary, ofGroups, ofBalance] = [gatherer('library'), gatherer('groups'), gatherer('balance')];

  let subscribedBefore = false;
  const listening = await db.sql.listen(
    'colloquy_progress',
    (meetingId) => {
      moved.add(meetingId);
      wake();
    },
    () => {
      // Notifications may be missing after a lost connection.
      if (subscribedBefore) for (const listener of listeners) send(listener, { kind: 'again' });
      subscribedBefore = true;
    },
  );

  const comments = await db.sql.listen(commentChannel, (payload) => {
    notifyOfComment(payload).catch((error: unknown) => log.warn({ err: error }, 'a comment could not be told'));
  });

  /** Only the asker hears of an answer, which pages then request. */
  const answers = await db.sql.listen('colloquy_ai', (payload) => {
    const { user, ...news } = JSON.parse(payload) as Omit<AnswerNews, 'kind'> & { user: string };
    for (const listener of listeners) {
      const { meetingId, userId } = listener;
      if (meetingId === null && userId === user) send(listener, { kind: 'ai', ...news });
    }
  });

  /** The people it concerns were found by the change itself. */
  const reviews = await db.sql.listen(reviewChannel, (payload) => {
    const { user, ...news } = JSON.parse(payload) as ReviewNotice;
    for (const listener of listeners) {
      const { meetingId, userId } = listener;
      if (meetingId === null && userId === user) send(listener, { kind: 'review', ...news });
    }
  });

  /**
   * Each assessment is gathered by itself: a notification must not come earlier or later because of another one, of which
   * its reader may know nothing.
   */
  const gatheredLayers = new Map<string, NodeJS.Timeout>();
  async function notifyReaders(layerId: string): Promise<void> {
    const people = new Set(
      [...listeners].flatMap(({ meetingId, userId }) => (meetingId === null ? (userId ?? []) : [])),
    );
    if (people.size === 0) return;
    const readers = await db.ask((sql) => readersOfLayers(sql, [layerId], [...people]), patience);
    for (const { meetingId: meeting, reviewId: review, userId } of readers)
      for (const listener of listeners)
        if (listener.meetingId === null && listener.userId === userId)
          send(listener, { kind: 'assessment', meeting, review });
  }
  const assessments = await db.sql.listen('colloquy_layer', (layerId) => {
    if (gatheredLayers.has(layerId)) return;
    const notify = () => {
      gatheredLayers.delete(layerId);
      notifyReaders(layerId).catch((error: unknown) => {
        log.warn({ err: error, layer: layerId }, 'a change of an assessment could not be told');
      });
    };
    gatheredLayers.set(layerId, setTimeout(notify, gatherLayerMs));
  });

  const library = await db.sql.listen('colloquy_library', ofLibrary.add);
  const groups = await db.sql.listen('colloquy_groups', ofGroups.add);
  const balance = await db.sql.listen('colloquy_balance', ofBalance.add);

  return {
    at(url) {
      if (url.pathname !== '/sync/news') return null;
      const meetingId = url.searchParams.get('meeting');
      return (request, socket, head) => admit(request, socket, head, meetingId);
    },
    sessionEnded(id) {
      for (const { ws, hangsOn } of listeners) if (hangsOn === id) ws.close(close.sessionEnded, 'session ended');
    },
    async stop() {
      stopped = true;
      clearInterval(beating);
      ofLibrary.stop();
      ofGroups.stop();
      ofBalance.stop();
      for (const timer of gatheredLayers.values()) clearTimeout(timer);
      await Promise.all(
        [listening, comments, answers, reviews, assessments, library, groups, balance].map((one) =>
          one.unlisten().catch(() => {}),
        ),
      );
      for (const { ws } of listeners) {
        ws.close(close.restart, 'restart');
        // Sockets that do not answer the close are terminated.
        setTimeout(() => ws.terminate(), 1000).unref();
      }
      await notifying;
    },
  };
}
