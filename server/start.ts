import { join } from 'node:path';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { startEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/open.ts';
import { invitationAppliers } from './accounts/invitations.ts';
import { createPasswords, quick } from './accounts/passwords.ts';
import { createApp } from './app.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { House } from './context.ts';
import { readPages } from './http/pages.ts';
import { startJobs } from './jobs.ts';
import { openKeys } from './keys.ts';
import { createLimits, postgresCounter, redisCounter } from './limits.ts';
import { createLog } from './log.ts';
import { startMail } from './mail/dispatch.ts';
import { createMetrics } from './metrics.ts';
import { createBotCheck } from './outside/altcha.ts';
import { noBotCheck } from './outside/bot-check.ts';
import { embeddedMailer } from './outside/mailer.ts';
import { createIdentityProvider } from './outside/oidc.ts';
import { smtpMailer } from './outside/smtp.ts';
import { seedDemo } from './demo.ts';

export interface Running {
  origin: string;
  port: number;
  house: House;
  stop(): Promise<void>;
}

/** What tests put in place of the real thing; everything else of the house is the same for them. */
export interface Given {
  clock?: Clock;
  log?: Logger;
  quickPasswords?: boolean;
  /** Folder of the built client; null serves the API alone. */
  client?: string | null;
  house?: Partial<Pick<House, 'invitationAppliers' | 'botCheck' | 'identity'>>;
}

/** Thrown for what the person who starts the house can put right; said in one line. */
export class CannotStart extends Error {}

export async function start(config: Config, say: (line: string) => void, given: Given = {}): Promise<Running> {
  const undo: (() => Promise<unknown> | void)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return await build(config, say, given, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(config: Config, say: (line: string) => void, given: Given, undo: (() => Promise<unknown> | void)[], stop: () => Promise<void>): Promise<Running> {
  const clock = given.clock ?? systemClock;
  const log = given.log ?? createLog(config.logLevel);
  const metrics = createMetrics();

  // The port first: it is the quickest thing to be wrong, and nothing has been touched yet.
  const probe = await listen(config, () => new Response(null, { status: 503, headers: { 'Retry-After': '1' } }));
  undo.push(() => close(probe.server));
  const port = probe.port;
  const origin = config.publicOrigin ?? `http://localhost:${port}`;

  let url = config.databaseUrl;
  if (!url) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, say });
    undo.push(() => embedded.stop());
    url = embedded.url;
  }
  await migrate(url, join(config.root, 'db/migrations'));
  const db = openDatabase(url);
  undo.push(() => db.close());

  let counter = postgresCounter(db, clock);
  const sweepLimits = () => counter.sweep();
  let redis: Redis | null = null;
  if (config.redisUrl) {
    redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 0, commandTimeout: 500, enableOfflineQueue: false, lazyConnect: true });
    redis.on('error', (error: Error) => log.warn({ err: error.message }, 'Redis'));
    await redis.connect().catch(() => {});
    const open = redis;
    undo.push(() => open.disconnect());
    counter = { ...redisCounter(open), sweep: counter.sweep };
  }

  const keys = await openKeys(db, clock);
  const house: House = {
    config,
    db,
    clock,
    log,
    keys,
    metrics,
    limits: createLimits(counter, metrics, (error) => log.error({ err: error }, 'a limit could not be counted')),
    passwords: await createPasswords(given.quickPasswords ? quick : undefined),
    botCheck: config.botCheck ? createBotCheck(keys, db, clock, new URL(origin).host) : noBotCheck,
    identity: config.identity ? createIdentityProvider(config.identity) : null,
    invitationAppliers,
    origin: () => origin,
    wakeMail: () => {},
    ...given.house,
  };

  if (config.role !== 'api') {
    const mailer = config.mail.smtpUrl ? smtpMailer(config.mail.smtpUrl, config.mail.from) : embeddedMailer;
    const mail = startMail(house, mailer);
    house.wakeMail = mail.wake;
    undo.push(() => mailer.close());
    undo.push(() => mail.stop());
    const jobs = startJobs(house, { sweepLimits });
    undo.push(() => jobs.stop());
  }

  if (config.demo) await seedDemo(house, say);

  const client = given.client === undefined ? join(config.root, 'dist/client') : given.client;
  const app = createApp(house, await readPages(client));
  probe.answer((request, env) => app.fetch(request, env));
  return { origin, port, house, stop };
}

type Handler = (request: Request, env: object) => Response | Promise<Response>;

/** Listens at once and answers "not ready" until the house stands: a busy port is found before anything else is done. */
function listen(config: Config, first: Handler): Promise<{ server: Server; port: number; answer(handler: Handler): void }> {
  let handler = first;
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: (request, env) => handler(request, env),
        hostname: config.host,
        port: config.port,
        serverOptions: { requestTimeout: 300_000, headersTimeout: 10_000, keepAliveTimeout: 60_000, maxHeaderSize: 16_384, maxHeadersCount: 0 } as object,
      },
      (info) => resolve({ server: server as Server, port: info.port, answer: (next) => (handler = next) }),
    );
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') reject(new CannotStart(`Port ${config.port} is in use. Stop what holds it, or set PORT to another one.`));
      else if (error.code === 'EACCES') reject(new CannotStart(`Port ${config.port} may not be opened by this user. Set PORT to one above 1023.`));
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') reject(new CannotStart(`HOST ${config.host} is no address of this machine.`));
      else reject(error);
    });
  });
}

/** Requests under way get a moment to finish; connections that only idle are closed at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), 5000);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
