import type { Logger } from 'pino';
import type { Asked } from '#db/answers.ts';
import type { Database, Orm } from '#db/open.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { Problem } from '#shared/problems.ts';
import type { Rooms } from '#sync/server/rooms.ts';
import type { SoundDesk } from './attachments/sound.ts';
import type { CostDesk } from './billing/desk.ts';
import type { Clock } from './clock.ts';
import type { Readings } from './compare/readings.ts';
import type { Config } from './config.ts';
import type { Engine } from './engines/engine.ts';
import type { PdfDesk } from './export/pdf-desk.ts';
import type { Keys } from './keys.ts';
import type { FilesAlong } from './intake/along.ts';
import type { OrderDesk } from './intake/order-desk.ts';
import type { TranscriptReader } from './intake/read-transcript.ts';
import type { Services } from './intake/service-accounts.ts';
import type { Limits } from './limits.ts';
import type { Versions } from './rooms/at-version.ts';
import type { Documents } from './rooms/documents.ts';
import type { WholeDocuments } from './rooms/whole-documents.ts';
import type { Metrics } from './metrics.ts';
import type { Assistants } from './outside/assistant.ts';
import type { BotCheck } from './outside/bot-check.ts';
import type { IdentityProvider } from './outside/identity.ts';
import type { Payments } from './outside/payments.ts';
import type { Store } from './outside/store.ts';
import type { PieceLog } from './recorder/piece-log.ts';
import type { Passwords } from './accounts/passwords.ts';
import type { InvitationAppliers } from './people/invitations.ts';

/** All parts of the running server, passed to every operation; no part can be reached in another way. */
export interface House {
  config: Config;
  db: Database;
  clock: Clock;
  log: Logger;
  keys: Keys;
  limits: Limits;
  metrics: Metrics;
  passwords: Passwords;
  botCheck: BotCheck;
  /** Null when none is configured. */
  identity: IdentityProvider | null;
  invitationAppliers: InvitationAppliers;
  /** Store of files: recordings, voice notes and uploads. */
  store: Store;
  /** Transcription engines there are now: models can be fetched while the server runs. */
  engines(): readonly Engine[];
  /** Models there are now that answer questions: a server can appear while this one runs. */
  assistants: Assistants;
  /** Meeting services to import recordings from; null for each that is not configured. */
  services: Services;
  /** Names the price of a transcription, reserves it, and takes or returns it. */
  costs: CostDesk;
  /** Queue of human transcripts. */
  orders: OrderDesk;
  /** Service that takes payments; null where nothing can be bought. */
  payments: Payments | null;
  /** Files that are sent together with a form. */
  filesAlong: FilesAlong;
  /** Parses transcripts that people upload. */
  transcripts: TranscriptReader;
  /** Stores sound while it is recorded. */
  pieces: PieceLog;
  /** Checks and stores voice notes. */
  sounds: SoundDesk;
  /** Live documents of meetings, open for editing. */
  rooms: Rooms;
  /** Read-only access to the same documents. */
  documents: Documents;
  /** Annotations as comparisons read them. */
  readings: Readings;
  /** Work on whole documents, in a thread where they are long. */
  wholes: WholeDocuments;
  /** Writes PDFs, in a thread. */
  pdfs: PdfDesk;
  /** Earlier versions of the documents. */
  versions: Versions;
  /** Origin of links in mails; known once the port is open. */
  origin(): string;
  /** Called after a mail was put into the outbox, so that it is sent at once. */
  wakeMail(): void;
}

/** The signed-in person behind a request. */
export interface Person {
  id: string;
  email: string;
  emailKey: string;
  firstName: string;
  lastName: string;
  confirmed: boolean;
  hasPassword: boolean;
}

/** Proof by which the request is signed in. */
export type Proof = SessionProof | { kind: 'token'; tokenId: string };

interface SessionProof {
  kind: 'session';
  sessionHash: Buffer;
  sessionId: string;
  provedAt: Date;
}

/** Parts of the server together with the facts of one request. */
export interface Ctx extends House {
  requestId: string;
  /** Address that limits are counted by; an IPv6 /64 counts as one. */
  address: string;
  userAgent: string;
  /** Language of the account; else the one that the browser asks for. */
  language: Language;
  person: Person | null;
  proof: Proof | null;
  /** Key under which this browser's passes for links with an access code are stored. */
  browser?: string | null;
  /** Signal that the caller has gone away; absent for work that no request waits for. */
  gone?: () => AbortSignal;
  /**
   * Set when the result of this request is stored for a repeat; the operation then stores it in its own transaction.
   */
  once?: { asked: Asked; kept: boolean };
}

export type Signed = Ctx & { person: Person; proof: Proof };

export function signedIn(ctx: Ctx): Signed {
  if (!ctx.person || !ctx.proof) throw new Problem('UNAUTH');
  return ctx as Signed;
}

/** Requires a session for changes of the account itself: an API token can be lost by a program, so it is not enough. */
export function inPerson(ctx: Ctx): Signed & { proof: SessionProof } {
  const signed = signedIn(ctx);
  if (signed.proof.kind !== 'session')
    throw new Problem('NO_PERM', { message: 'This needs a sign-in: an API token is not enough' });
  return signed as Signed & { proof: SessionProof };
}

/** Runs a transaction with a handle of the pool's type, so that queries are written once for both. */
export function transaction<T>(house: Pick<House, 'db'>, work: (tx: Orm) => Promise<T>): Promise<T> {
  return house.db.orm.transaction((tx) => work(tx as unknown as Orm));
}
