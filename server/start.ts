import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { startEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/open.ts';
import type { Patience as SocketPatience } from '#sync/server/connection.ts';
import { invitationAppliers } from './accounts/accept-invitation.ts';
import { createPasswords, quick } from './accounts/passwords.ts';
import { analysisKind } from './ai/analysis-job.ts';
import { draftKind } from './ai/drafts-job.ts';
import { detectKind } from './ai/detect-job.ts';
import { verdictKind } from './ai/verdicts-job.ts';
import { questionKind } from './ai/job.ts';
import { jobOf } from './ai/runs.ts';
import { createApp } from './app.ts';
import { archiveJob } from './archive/archives.ts';
import { archiveKind } from './archive/pack.ts';
import { SoundDesk } from './attachments/sound.ts';
import { systemClock, type Clock } from './clock.ts';
import { Readings } from './compare/readings.ts';
import type { Config } from './config.ts';
import type { House } from './context.ts';
import { watchFiles } from './file-descriptors.ts';
import { plainHeaders } from './http/headers.ts';
import { answerTo, listen, type Door, type Patience } from './http/listen.ts';
import { readPages } from './http/pages.ts';
import { createEngines, pricesOf } from './engines/engines.ts';
import { transcriptionJob, transcriptionKind, transcriptionsAtOnce } from './intake/transcription.ts';
import { importJob, importKind, importsAtOnce, type ImportPace } from './intake/import-job.ts';
import { recordingJob, recordingKind } from './intake/recording.ts';
import { otherMode } from './billing/payment-house.ts';
import { startReconciling } from './billing/reconcile.ts';
import { startTeamMails } from './groups/team-mails.ts';
import { startReviewMails } from './reviews/digest.ts';
import { startHousekeeping } from './housekeeping.ts';
import { startJobs, type Pace as JobPace } from './jobs.ts';
import { openKeys } from './keys.ts';
import { FilesAlong } from './intake/along.ts';
import { createDesk } from './billing/desk.ts';
import { plainPrices } from './billing/quote.ts';
import { findPrograms } from './media/ffmpeg.ts';
import { modelJob, modelKind } from './models/model-job.ts';
import { createTranscriptReader, type ReaderLimits } from './intake/read-transcript.ts';
import { createLimits, postgresCounter, redisCounter } from './limits.ts';
import { createLog } from './log.ts';
import { startMail } from './mail/dispatch.ts';
import { Versions } from './rooms/at-version.ts';
import { Carrying } from './rooms/carrying.ts';
import { Documents } from './rooms/documents.ts';
import { PdfDesk } from './export/pdf-desk.ts';
import { WholeDocuments } from './rooms/whole-documents.ts';
import { openLive } from './meetings/live.ts';
import { startIndexing } from './finding/indexing.ts';
import { startProjections } from './rooms/projection.ts';
import { openRooms } from './rooms/rooms.ts';
import { createMetrics } from './metrics.ts';
import { deliveryJob, deliveryKind } from './orders/delivery.ts';
import { placeOrder } from './orders/place.ts';
import { deliverAgain } from './orders/deliver-again.ts';
import { withdrawOrder } from './orders/withdraw.ts';
import { assembleJob } from './intake/live.ts';
import { assembleKind } from './recorder/assemble.ts';
import { PieceLog } from './recorder/piece-log.ts';
import { openTakeSockets } from './recorder/sockets.ts';
import { humanPrice } from './engines/human-offer.ts';
import { createAssistants } from './outside/assistants.ts';
import { createBotCheck } from './outside/altcha.ts';
import { noBotCheck } from './outside/bot-check.ts';
import { embeddedMailer } from './outside/mailer.ts';
import { createIdentityProvider } from './outside/oidc.ts';
import { smtpMailer } from './outside/smtp.ts';
import { diskStore } from './outside/disk-store.ts';
import type { Payments } from './outside/payments.ts';
import { openPractice } from './outside/practice/open-practice.ts';
import { stripePayments } from './outside/stripe.ts';
import type { Store } from './outside/store.ts';
import { webexService } from './outside/webex.ts';
import { zoomService } from './outside/zoom.ts';
import { seedDemo } from './demo/people.ts';

export interface Running {
  origin: string;
  port: number;
  house: House;
  stop(): Promise<void>;
}

/** Replacements for tests; all other parts of the server stay the real ones. */
export interface Given {
  clock?: Clock;
  log?: Logger;
  quickPasswords?: boolean;
  patience?: Partial<Patience>;
  socketPatience?: Partial<SocketPatience>;
  jobPace?: JobPace;
  importPace?: ImportPace;
  /** Limits for reading uploaded transcripts. */
  reading?: Partial<ReaderLimits>;
  /** Size of one part of a multipart upload. */
  partBytes?: number;
  /** Folder of the built client; null serves the API alone. */
  client?: string | null;
  house?: Partial<
    Pick<
      House,
      | 'invitationAppliers'
      | 'botCheck'
      | 'identity'
      | 'costs'
      | 'engines'
      | 'assistants'
      | 'store'
      | 'services'
      | 'payments'
    >
  >;
}

/** Start failure that the operator can fix; shown as one line. */
export class CannotStart extends Error {}

/** Starts the server. After `halt` a start in progress stops at its next step and undoes what it did. */
export async function start(
  config: Config,
  say: (line: string) => void,
  given: Given = {},
  halt?: AbortSignal,
): Promise<Running> {
  const undo: (() => Promise<unknown> | void)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return await build(config, say, given, undo, stop, () => halt?.throwIfAborted());
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  config: Config,
  say: (line: string) => void,
  given: Given,
  undo: (() => Promise<unknown> | void)[],
  stop: () => Promise<void>,
  goOn: () => void,
): Promise<Running> {
  const clock = given.clock ?? systemClock;
  const log = given.log ?? createLog(config.logLevel);
  const metrics = createMetrics();
  const files = watchFiles(log);
  undo.push(() => files.stop());

  // The port comes first: a busy port is the quickest failure to find, and nothing has been changed yet.
  const door = await open(config, given.patience);
  undo.push(() => door.close());
  const { port } = door;
  const origin = config.publicOrigin ?? `http://localhost:${port}`;

  let url = config.databaseUrl;
  if (!url) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, say });
    undo.push(() => embedded.stop());
    url = embedded.url;
  }
  goOn();
  await migrate(url, join(config.root, 'db/migrations'));
  goOn();
  const db = openDatabase(url);
  undo.push(() => db.close());

  let counter = postgresCounter(db, clock);
  const sweepLimits = () => counter.sweep();
  if (config.redisUrl) {
    const redis = await connectRedis(config.redisUrl, log);
    undo.push(() => redis.disconnect());
    counter = { ...redisCounter(redis), sweep: counter.sweep };
  }

  // Requests in progress need all of the above, so the port closes before it.
  undo.push(() => door.close());

  const keys = await openKeys(db, clock);
  const carrying = new Carrying(() => house);
  const rooms = openRooms({ config, db, clock, log, metrics }, (id) => carrying.carry(id));
  // A process with sockets drains its rooms in live.ts, after closing the connections.
  if (!config.serves.sync) undo.push(() => rooms.drain(0));
  const wholes = new WholeDocuments();
  const documents = new Documents(rooms, db.ask, wholes);
  const engines = given.house?.engines ?? createEngines(config, (why) => log.warn(why));
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
    store: config.s3 ? await openBucket(config.s3, undo) : diskStore(join(config.dataDir, 'files'), keys, given),
    engines,
    assistants: createAssistants(config),
    services: {
      zoom: config.zoom && zoomService(config.zoom),
      webex: config.webex && webexService(config.webex),
    },
    orders: { place: placeOrder, withdraw: withdrawOrder, deliverAgain },
    costs: createDesk({ clock }, () => ({
      ...plainPrices,
      ...pricesOf(engines()),
      ...humanPrice(config),
    })),
    payments: given.house && 'payments' in given.house ? null : await openPayments(config, clock, port, undo),
    filesAlong: new FilesAlong(),
    transcripts: createTranscriptReader(given.reading),
    sounds: new SoundDesk(config),
    pieces: new PieceLog({ db, clock }),
    rooms,
    documents,
    readings: new Readings(documents, db.ask),
    wholes,
    pdfs: new PdfDesk(),
    versions: new Versions(db.ask, (pieces) => rooms.untangled(pieces)),
    origin: () => origin,
    wakeMail: () => {},
    ...given.house,
  };

  const before = await otherMode(house);
  if (before !== null && house.payments)
    throw new CannotStart(
      `This database has taken payments of the mode ${before}, and would now take some of the mode ${house.payments.mode}. Start it with the keys of the mode ${before}, or with another database${before === 'live' ? '' : ', or reverse its test payments by `npm run desk -- void-test-money`'}.`,
    );
  undo.push(() => house.transcripts.close());
  undo.push(() => house.wholes.close());
  undo.push(() => house.pdfs.close());
  undo.push(() => carrying.stop());

  if (config.serves.jobs) {
    const mailer = config.mail.smtpUrl ? smtpMailer(config.mail.smtpUrl, config.mail.from) : embeddedMailer;
    const mail = startMail(house, mailer);
    house.wakeMail = mail.wake;
    undo.push(() => mailer.close());
    undo.push(() => mail.stop());
    if (house.payments) {
      const reconciling = startReconciling(house);
      undo.push(() => reconciling.stop());
    }
    const teamMails = startTeamMails(house);
    undo.push(() => teamMails.stop());
    const reviewMails = startReviewMails(house);
    undo.push(() => reviewMails.stop());
    const housekeeping = startHousekeeping(house, { sweepLimits });
    undo.push(() => housekeeping.stop());
    const programs = await findPrograms(config.path);
    const kinds = {
      [recordingJob]: recordingKind(house, programs),
      [assembleJob]: assembleKind(house, programs),
      [deliveryJob]: deliveryKind(house),
    };
    const jobs = await startJobs(house, kinds, given.jobPace);
    undo.push(() => jobs.stop());
    // Import workers run even without a configured service, so that waiting imports fail with a reason.
    const fetching = { [importJob]: importKind(house, given.importPace) };
    for (let nth = 0; nth < importsAtOnce; nth += 1) {
      const more = await startJobs(house, fetching, given.jobPace);
      undo.push(() => more.stop());
    }
    const archiving = await startJobs(house, { [archiveJob]: archiveKind(house) }, given.jobPace);
    undo.push(() => archiving.stop());
    const gettingModels = await startJobs(house, { [modelJob]: modelKind(house) }, given.jobPace);
    undo.push(() => gettingModels.stop());
    const answering = {
      [jobOf('question')]: questionKind(house),
      [jobOf('analysis')]: analysisKind(house),
      [jobOf('detect')]: detectKind(house),
      [jobOf('verdict')]: verdictKind(house),
      [jobOf('summary')]: draftKind(house, 'summary'),
      [jobOf('chapters')]: draftKind(house, 'chapters'),
    };
    for (let nth = 0; nth < config.assistant.parallel; nth += 1) {
      const more = await startJobs(house, answering, given.jobPace);
      undo.push(() => more.stop());
    }
    // Transcriptions have workers of their own, so that a slow engine does not delay the checks of other recordings.
    const listening = { [transcriptionJob]: transcriptionKind(house, programs) };
    for (let nth = 0; nth < transcriptionsAtOnce; nth += 1) {
      const more = await startJobs(house, listening, given.jobPace);
      undo.push(() => more.stop());
    }
  }

  if (config.serves.sync) {
    const live = await openLive(house, door.server, given.socketPatience, [openTakeSockets]);
    undo.push(() => live.stop());
  }

  const projections = startProjections(house);
  undo.push(() => projections.stop());
  const indexing = startIndexing(house);
  undo.push(() => indexing.stop());

  if (config.demo) await seedDemo(house, say);
  goOn();

  const built = given.client === undefined ? join(config.root, 'dist/client') : given.client;
  const app = createApp(house, await readPages(config.serves.api ? built : null));
  door.answer((request, env) => app.fetch(request, env));
  // A stop begins by refusing new connections.
  undo.push(() => void door.close());
  return { origin, port, house, stop };
}

/** Listens at once and answers "not ready" until the server has started, so that a busy port is found first. */
async function open(config: Config, patience?: Partial<Patience>): Promise<Door> {
  const notYet = (request: Request) =>
    new URL(request.url).pathname === '/healthz'
      ? Response.json({ live: true }, { headers: plainHeaders })
      : answerTo('UNAVAILABLE', 1);
  try {
    return await listen(config, notYet, patience);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CannotStart(`Port ${config.port} is in use. Stop what holds it, or set PORT to another one.`);
    if (code === 'EACCES')
      throw new CannotStart(`Port ${config.port} may not be opened by this user. Set PORT to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new CannotStart(`HOST ${config.host} is no address of this machine.`);
    throw error;
  }
}

/** Loads the S3 library only when a bucket is configured, because it is large. */
async function openBucket(config: NonNullable<Config['s3']>, undo: (() => void)[]): Promise<Store> {
  const { s3Store } = await import('./outside/s3-store.ts');
  const store = s3Store(config);
  undo.push(() => store.close());
  return store;
}

/** Practice payments know where to send their events only once the port is open. */
async function openPayments(
  config: Config,
  clock: Clock,
  port: number,
  undo: (() => Promise<unknown> | void)[],
): Promise<Payments | null> {
  const { payments } = config;
  if ('secretKey' in payments) return stripePayments(payments);
  if (payments.mode === 'off') return null;
  const file = join(config.dataDir, 'practice-payments.jsonl');
  const practice = await openPractice({ clock, file, tax: payments.tax });
  undo.push(() => practice.close());
  const host = config.host.includes(':') ? `[${config.host.replaceAll(/[[\]]/g, '')}]` : config.host;
  void practice.tellTo(`http://${host}:${port}/api/stripe/webhook`);
  return stripePayments(practice.access);
}

/** Connects without waiting for Redis: commands fail at once while it is away. */
async function connectRedis(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 1000,
    retryStrategy: (tries) => Math.min(tries * 100, 1000),
    enableOfflineQueue: false,
    lazyConnect: true,
  });
  let away = false;
  redis.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });
  redis.on('error', (error: Error) => {
    if (!away) log.warn({ err: error }, 'Redis is away');
    away = true;
  });
  await redis.connect().catch(() => {});
  return redis;
}
