import { and, desc, eq, ne, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { apiTokens, sessions, users } from '#db/schema/accounts.ts';
import { lifetimes, type SessionView } from '#shared/accounts.ts';
import { isLanguage, type Language } from '#shared/i18n/languages.ts';
import { newId } from '#shared/ids.ts';
import { inPerson, type Ctx, type House, type Person, type Proof } from '../context.ts';
import { hashOf, newSecret } from '../keys.ts';

export interface NewSession {
  secret: string;
  remember: boolean;
}

/** Seconds by which "last seen" may lag: a write for every request would cost too much. */
const seenEvery = 300;

export async function startSession(
  house: House,
  tx: Orm,
  who: { userId: string; remember: boolean; userAgent: string; provedAt?: Date },
): Promise<NewSession> {
  const secret = newSecret();
  const now = house.clock.now();
  await tx.insert(sessions).values({
    hash: hashOf(secret),
    id: newId(),
    userId: who.userId,
    remember: who.remember,
    userAgent: who.userAgent,
    createdAt: now,
    seenAt: now,
    provedAt: who.provedAt ?? now,
  });
  return { secret, remember: who.remember };
}

/** Id of the scope that a session was switched to, which its person may have lost meanwhile; null: the personal one. */
export async function scopeOf(ctx: Pick<Ctx, 'db' | 'proof'>): Promise<string | null> {
  if (ctx.proof?.kind !== 'session') return null;
  const [session] = await ctx.db.orm
    .select({ scopeId: sessions.scopeId })
    .from(sessions)
    .where(eq(sessions.hash, ctx.proof.sessionHash));
  return session?.scopeId ?? null;
}

const personColumns = {
  id: users.id,
  email: users.email,
  emailKey: users.emailKey,
  firstName: users.firstName,
  lastName: users.lastName,
  confirmedAt: users.confirmedAt,
  language: users.language,
  hasPassword: sql<boolean>`${users.passwordHash} is not null`,
};

export interface Found {
  person: Person;
  proof: Proof;
  /** Absent while the person has not chosen one. */
  language?: Language;
}

const chosen = (language: string | null): Pick<Found, 'language'> => (isLanguage(language) ? { language } : {});

const personOf = ({ confirmedAt, ...row }: Omit<Person, 'confirmed'> & { confirmedAt: Date | null }): Person => ({
  id: row.id,
  email: row.email,
  emailKey: row.emailKey,
  firstName: row.firstName,
  lastName: row.lastName,
  hasPassword: row.hasPassword,
  confirmed: confirmedAt !== null,
});

type SessionRow = Omit<Person, 'confirmed'> & {
  hash: string;
  confirmedAt: string | null;
  language: string | null;
  sessionId: string;
  remember: boolean;
  createdAt: string;
  seenAt: string;
  provedAt: string;
};

/** The session of a cookie; null when it is unknown, idle too long, or too old. Runs on every request. */
export async function findSession(house: House, secret: string): Promise<Found | null> {
  const [found = null] = await findSessions(house, [secret]);
  return found;
}

/** Sessions of many cookies in one prepared statement, for sockets. `wait`: milliseconds for a free connection. */
export async function findSessions(house: House, secrets: readonly string[], wait?: number): Promise<(Found | null)[]> {
  const hashes = secrets.map((secret) => hashOf(secret).toString('hex'));
  const bytes = (list: readonly string[]) => list.map((hash) => `\\x${hash}`);
  const rows = await house.db.ask(
    (sql) => sql<SessionRow[]>`
      select encode(s.hash, 'hex') as hash, u.id, u.email, u.email_key as "emailKey", u.first_name as "firstName", u.last_name as "lastName",
        u.confirmed_at as "confirmedAt", u.password_hash is not null as "hasPassword", u.language, s.id as "sessionId", s.remember,
        s.created_at as "createdAt", s.seen_at as "seenAt", s.proved_at as "provedAt"
      from sessions s join users u on u.id = s.user_id
      where s.hash = any(${bytes(hashes)}::bytea[])`,
    wait,
  );
  const now = house.clock.now();
  const found = new Map<string, Found>();
  const unseen: string[] = [];
  for (const { hash, ...one } of rows) {
    const row = {
      ...one,
      confirmedAt: one.confirmedAt === null ? null : new Date(one.confirmedAt),
      createdAt: new Date(one.createdAt),
      seenAt: new Date(one.seenAt),
      provedAt: new Date(one.provedAt),
    };
    if (!isAlive(house, row)) continue;
    if (now.getTime() - row.seenAt.getTime() > seenEvery * 1000) unseen.push(hash);
    found.set(hash, {
      person: personOf(row),
      ...chosen(row.language),
      proof: {
        kind: 'session',
        sessionHash: Buffer.from(hash, 'hex'),
        sessionId: row.sessionId,
        provedAt: row.provedAt,
      },
    });
  }
  if (unseen.length > 0)
    await house.db.ask(
      (sql) =>
        sql`update sessions set seen_at = ${now.toISOString()}::timestamptz where hash = any(${bytes(unseen)}::bytea[])`,
      wait,
    );
  return hashes.map((hash) => found.get(hash) ?? null);
}

/** Ids of these sessions and API tokens that are still valid, in one prepared statement, for sockets. */
export async function stillHolding(house: House, ids: readonly string[], wait?: number): Promise<ReadonlySet<string>> {
  const rows = await house.db.ask(
    (sql) => sql<{ id: string; remember: boolean | null; createdAt: string | null; seenAt: string | null }[]>`
      select id, remember, created_at as "createdAt", seen_at as "seenAt" from sessions where id = any(${[...ids]})
      union all
      select id, null, null, null from api_tokens where id = any(${[...ids]})`,
    wait,
  );
  const holding = rows.filter(
    ({ remember, createdAt, seenAt }) =>
      remember === null ||
      isAlive(house, { remember, createdAt: new Date(createdAt ?? 0), seenAt: new Date(seenAt ?? 0) }),
  );
  return new Set(holding.map(({ id }) => id));
}

function isAlive(house: House, session: { remember: boolean; createdAt: Date; seenAt: Date }): boolean {
  const since = (then: Date) => (house.clock.now().getTime() - then.getTime()) / 1000;
  const { remember, createdAt, seenAt } = session;
  return (
    since(seenAt) <= (remember ? lifetimes.sessionIdle : lifetimes.shortSessionIdle) &&
    since(createdAt) <= (remember ? lifetimes.sessionAbsolute : lifetimes.shortSessionAbsolute)
  );
}

/** Sessions of the person, the latest used first. */
export async function listSessions(ctx: Ctx): Promise<SessionView[]> {
  const { person, proof } = inPerson(ctx);
  const rows = await ctx.db.orm
    .select()
    .from(sessions)
    .where(eq(sessions.userId, person.id))
    .orderBy(desc(sessions.seenAt), desc(sessions.id));
  return rows
    .filter((row) => isAlive(ctx, row))
    .map((row) => ({
      id: row.id,
      current: row.id === proof.sessionId,
      userAgent: row.userAgent,
      remember: row.remember,
      created: row.createdAt.getTime(),
      seen: row.seenAt.getTime(),
    }));
}

export async function findApiToken(house: House, token: string): Promise<Found | null> {
  const [row] = await house.db.orm
    .select({ ...personColumns, tokenId: apiTokens.id, usedAt: apiTokens.usedAt })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .where(eq(apiTokens.hash, hashOf(token)));
  if (!row) return null;
  const now = house.clock.now();
  if (!row.usedAt || now.getTime() - row.usedAt.getTime() > seenEvery * 1000) {
    await house.db.orm.update(apiTokens).set({ usedAt: now }).where(eq(apiTokens.id, row.tokenId));
  }
  return { person: personOf(row), ...chosen(row.language), proof: { kind: 'token', tokenId: row.tokenId } };
}

export async function endSession(tx: Orm, hash: Buffer): Promise<void> {
  await tx.delete(sessions).where(eq(sessions.hash, hash));
}

/** Ends all sessions of a person, except the one with `exceptHash`. */
export async function endSessions(tx: Orm, userId: string, exceptHash?: Buffer): Promise<void> {
  await tx
    .delete(sessions)
    .where(exceptHash ? and(eq(sessions.userId, userId), ne(sessions.hash, exceptHash)) : eq(sessions.userId, userId));
}

export async function sweepSessions(house: House): Promise<void> {
  const before = (seconds: number) => new Date(house.clock.now().getTime() - seconds * 1000);
  const dead = (remember: boolean, idle: number, absolute: number) =>
    and(
      eq(sessions.remember, remember),
      or(
        sql`${sessions.seenAt} < ${before(idle).toISOString()}`,
        sql`${sessions.createdAt} < ${before(absolute).toISOString()}`,
      ),
    );
  await house.db.orm
    .delete(sessions)
    .where(
      or(
        dead(true, lifetimes.sessionIdle, lifetimes.sessionAbsolute),
        dead(false, lifetimes.shortSessionIdle, lifetimes.shortSessionAbsolute),
      ),
    );
}
