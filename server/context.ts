import type { Logger } from 'pino';
import type { Asked } from '#db/answers.ts';
import type { Database, Orm } from '#db/open.ts';
import { Problem } from '#shared/problems.ts';
import type { Rooms } from '#sync/server/rooms.ts';
import type { SoundDesk } from './attachments/sound.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Engine } from './engines/engine.ts';
import type { Keys } from './keys.ts';
import type { FilesAlong } from './intake/along.ts';
import type { CostDesk } from './intake/costs.ts';
import type { OrderDesk } from './intake/order-desk.ts';
import type { TranscriptReader } from './intake/read-transcript.ts';
import type { Services } from './intake/service-accounts.ts';
import type { Limits } from './limits.ts';
import type { Versions } from './rooms/at-version.ts';
import type { Documents } from './rooms/documents.ts';
import type { Metrics } from './metrics.ts';
import type { BotCheck } from './outside/bot-check.ts';
import type { IdentityProvider } from './outside/identity.ts';
import type { Store } from './outside/store.ts';
import type { Passwords } from './accounts/passwords.ts';
import type { InvitationAppliers } from './people/invitations.ts';

/** What the house is made of, handed to every verb; there is no other way to reach any of it. */
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
  /** The bytes of recordings. */
  store: Store;
  /** What writes recordings down; none, where none is configured. */
  engines: readonly Engine[];
  /** Where recordings are imported from; null where none is configured. */
  services: Services;
  /** Says what a recording costs, and takes it. */
  costs: CostDesk;
  /** The queue of human transcripts. */
  orders: OrderDesk;
  /** Files that come along with a form. */
  filesAlong: FilesAlong;
  /** Reads what people bring as a transcript. */
  transcripts: TranscriptReader;
  /** Takes in what people speak. */
  sounds: SoundDesk;
  /** The live documents. */
  rooms: Rooms;
  /** The same, for whoever only reads them. */
  documents: Documents;
  /** What they were before. */
  versions: Versions;
  /** Where links in mails lead; known once the port is. */
  origin(): string;
  /** Told after a mail was put into the outbox, so that it leaves at once. */
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

/** How the request proved who it is. */
export type Proof = SessionProof | { kind: 'token'; tokenId: string };

interface SessionProof {
  kind: 'session';
  sessionHash: Buffer;
  sessionId: string;
  provedAt: Date;
}

/** The house plus what is known of the one request being served. */
export interface Ctx extends House {
  requestId: string;
  /** The address limits are counted by: an IPv6 /64 counts as one. */
  address: string;
  userAgent: string;
  language: string | null;
  person: Person | null;
  proof: Proof | null;
  /** What the browser's passes for links with an access code are kept under. */
  browser?: string | null;
  /** Set where the answer to this request is kept: a verb that keeps it with what it does says so. */
  once?: { asked: Asked; kept: boolean };
}

export type Signed = Ctx & { person: Person; proof: Proof };

export function signedIn(ctx: Ctx): Signed {
  if (!ctx.person || !ctx.proof) throw new Problem('UNAUTH');
  return ctx as Signed;
}

/** For what governs the account itself: a token, which programs keep and lose, is not enough. */
export function inPerson(ctx: Ctx): Signed & { proof: SessionProof } {
  const signed = signedIn(ctx);
  if (signed.proof.kind !== 'session')
    throw new Problem('NO_PERM', { message: 'This needs a sign-in: an API token is not enough' });
  return signed as Signed & { proof: SessionProof };
}

/** A transaction whose handle has the type of the pool's, so that queries can be written once for both. */
export function transaction<T>(house: House, work: (tx: Orm) => Promise<T>): Promise<T> {
  return house.db.orm.transaction((tx) => work(tx as unknown as Orm));
}
