import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { accessesOf } from '#db/access.ts';
import type { MentionNews, PageNews, ProgressNews } from '#shared/page-news.ts';
import { close, limits } from '#sync/protocol.ts';
import type { Visitor } from '#sync/server/door.ts';
import { stillHolding } from '../people/sessions.ts';
import { mentionChannel, type Mentioned } from '../annotations/mentions.ts';
import type { House } from '../context.ts';
import { progressOf, type Intake } from '../intake/drafts.ts';

/** Many changes of one deed are told once. */
const gatherMs = 200;
/** A question of ours may wait longer than a request: a page that is told nothing asks by itself. */
const patience = 5000;
/** More than this nobody is behind who reads at all. */
const mostUnread = 64 * 1024;

type Admit = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<number | null>;

interface NewsBoard {
  /** Who comes for news, and not for a document: lets them in, or says with which status they stay outside. */
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
  /** Null: of all meetings that are theirs, or shared with them by name. */
  meetingId: string | null;
  answered: boolean;
  /** Since the last beat. */
  pings: number;
}

interface Meant {
  listener: Listener;
  meeting: string;
  news: PageNews;
}

/** How far a meeting is, as lists and pages show it. */
interface Row extends Pick<Intake, 'state' | 'percentage' | 'failure' | 'model'> {
  id: string;
  people: string[];
}

/**
 * Tells open pages how far a recording is, so that none has to ask, whom a comment speaks to, and whose lists have
 * changed. The database says so (see the migrations progress_news and library_news), in each process, whoever changed
 * it; who may know is asked anew each time something is told.
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
    // Nobody has anything to say here.
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
      say(listener, { kind: 'here' });
    });
    return null;
  };

  function say({ ws }: Listener, news: PageNews): void {
    if (ws.bufferedAmount > mostUnread) ws.terminate();
    else if (ws.readyState === ws.OPEN) ws.send(Buffer.from(JSON.stringify(news)));
  }

  const beating = setInterval(() => {
    for (const listener of listeners) {
      if (!listener.answered) listener.ws.terminate();
      listener.answered = false;
      listener.pings = 0;
      if (listener.ws.readyState === listener.ws.OPEN) listener.ws.ping();
      // A browser shows no pings to its page.
      say(listener, { kind: 'here' });
    }
  }, limits.pingMs);
  beating.unref();

  const moved = new Set<string>();
  let telling: Promise<void> | null = null;

  async function tell(): Promise<void> {
    while (moved.size > 0) {
      const ids = [...moved];
      moved.clear();
      if (listeners.size === 0) continue;
      const rows = await db.ask(
        (sql) => sql<Row[]>`
          select i.meeting_id as id, i.state, i.percentage, i.failure, i.model,
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
      await sayToReaders(meant);
    }
  }

  /** To each whose session and whose right to read stand at this moment. */
  async function sayToReaders(meant: readonly Meant[]): Promise<void> {
    if (meant.length === 0) return;
    const asked = meant.map(({ listener: { userId, browser }, meeting }) => ({
      meetingId: meeting,
      userId,
      browser,
    }));
    const sessions = [...new Set(meant.flatMap(({ listener: { hangsOn } }) => hangsOn ?? []))];
    const [held, holding] = await Promise.all([
      db.ask((sql) => accessesOf(sql, asked), patience),
      stillHolding(house, sessions, patience),
    ]);
    for (const [i, { listener, news }] of meant.entries()) {
      if (listener.hangsOn !== null && !holding.has(listener.hangsOn))
        listener.ws.close(close.sessionEnded, 'session ended');
      else if (held[i]?.has('read')) say(listener, news);
    }
  }

  /** On whatever page somebody is: once on each of their lines that are of no one recording. */
  async function tellMentioned(payload: string): Promise<void> {
    const { people, ...mention } = JSON.parse(payload) as Mentioned;
    const news: MentionNews = { kind: 'mention', ...mention };
    await sayToReaders(
      [...listeners]
        .filter(({ meetingId, userId }) => meetingId === null && userId !== null && people.includes(userId))
        .map((listener) => ({ listener, meeting: mention.meeting, news })),
    );
  }

  function wake(): void {
    if (telling || stopped) return;
    telling = tell()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'how far recordings are could not be told');
        // Whoever comes back asks first.
        for (const { ws } of listeners) ws.close(close.restart, 'not ready');
      })
      .finally(() => {
        telling = null;
        if (moved.size > 0) wake();
      });
  }

  let concerned = new Set<string>();
  let gathering: NodeJS.Timeout | null = null;
  /** That there is something to look at is no secret to whoever may look; what it is, they ask. */
  function tellLibrary(): void {
    gathering = null;
    const people = concerned;
    concerned = new Set();
    for (const listener of listeners) {
      const { meetingId, userId } = listener;
      if (meetingId === null && userId !== null && people.has(userId)) say(listener, { kind: 'library' });
    }
  }

  let heardBefore = false;
  const listening = await db.sql.listen(
    'colloquy_progress',
    (meetingId) => {
      moved.add(meetingId);
      wake();
    },
    () => {
      // What was said while the connection was lost was not heard.
      if (heardBefore) for (const listener of listeners) say(listener, { kind: 'again' });
      heardBefore = true;
    },
  );

  const mentions = await db.sql.listen(mentionChannel, (payload) => {
    tellMentioned(payload).catch((error: unknown) => log.warn({ err: error }, 'a mention could not be told'));
  });

  const library = await db.sql.listen('colloquy_library', (userId) => {
    concerned.add(userId);
    gathering ??= setTimeout(tellLibrary, gatherMs);
  });

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
      if (gathering) clearTimeout(gathering);
      await Promise.all([listening, mentions, library].map((one) => one.unlisten().catch(() => {})));
      for (const { ws } of listeners) {
        ws.close(close.restart, 'restart');
        // Who does not answer that is not waited for.
        setTimeout(() => ws.terminate(), 1000).unref();
      }
      await telling;
    },
  };
}
