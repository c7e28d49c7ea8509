import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, isNull, lt, lte, or } from 'drizzle-orm';
import { serviceAccounts, serviceFlows } from '#db/schema/intake.ts';
import { newId } from '#shared/ids.ts';
import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';
import { Problem } from '#shared/problems.ts';
import { safePath } from '#shared/redirects.ts';
import { after } from '../clock.ts';
import { inPerson, signedIn, type Ctx, type House } from '../context.ts';
import { hashOf, newSecret } from '../keys.ts';
import { rules } from '../limits.ts';
import { NotLetIn, type MeetingService, type Tokens } from '../outside/meeting-service.ts';

/** Seconds a person may take at the service. */
const flowLifetime = 600;
/** Seconds before expiry in which a token is no longer used, so that it lasts for a list of many pages. */
const margin = 60;
/** Seconds a process may take to refresh tokens. */
const renewal = 30;
const storeTries = 5;

export type Services = Readonly<Record<ServiceId, MeetingService | null>>;

/** The configured service. */
export function serviceOf({ services }: Pick<House, 'services'>, id: ServiceId): MeetingService {
  const service = services[id];
  if (!service) throw new Problem('NOT_FOUND', { message: `This server is not connected to ${serviceNames[id]}` });
  return service;
}

const authCode = { zoom: 'ZOOM_AUTH', webex: 'WEBEX_AUTH' } as const;
const needsLogin = (id: ServiceId): Problem => new Problem(authCode[id]);
/** True if the person has to authorize the product first. */
export const isLoginNeeded = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'ZOOM_AUTH' || error.code === 'WEBEX_AUTH');

// ---- Authorization ------------------------------------------------------------------------------

/** Address for the browser. The state's data stays on the server, for this session alone. */
export async function beginService(
  ctx: Ctx,
  id: ServiceId,
  { next, redirectUri }: { next: unknown; redirectUri: string },
): Promise<URL> {
  const service = serviceOf(ctx, id);
  const { person, proof } = inPerson(ctx);
  await ctx.limits.take(rules.identity, ctx.address);
  const [state, verifier] = [newSecret(), newSecret()];
  await ctx.db.orm.insert(serviceFlows).values({
    stateHash: hashOf(state),
    service: id,
    userId: person.id,
    sessionHash: proof.sessionHash,
    verifier,
    redirectUri,
    nextPath: safePath(next),
    expiresAt: after(ctx.clock.now(), flowLifetime),
  });
  return service.authorizationUrl({ state, verifier, redirectUri });
}

/**
 * Handles the return from the service and gives the next address. The page there checks itself whether authorization
 * succeeded.
 */
export async function finishService(ctx: Ctx, id: ServiceId, answer: URLSearchParams): Promise<string> {
  const service = serviceOf(ctx, id);
  const { person, proof } = inPerson(ctx);
  const [flow] = await ctx.db.orm
    .delete(serviceFlows)
    .where(
      and(
        eq(serviceFlows.stateHash, hashOf(answer.get('state') ?? '')),
        eq(serviceFlows.service, id),
        eq(serviceFlows.userId, person.id),
        eq(serviceFlows.sessionHash, proof.sessionHash),
      ),
    )
    .returning();
  if (!flow) throw new Problem('CSRF');
  const code = answer.get('code');
  if (flow.expiresAt <= ctx.clock.now() || answer.has('error') || !code || code.length > 4096) return flow.nextPath;
  try {
    const tokens = await service.exchange(code, flow);
    await keep(ctx, person.id, service, tokens);
  } catch (error) {
    if (!(error instanceof NotLetIn) && !(error instanceof Problem)) throw error;
    const why = error instanceof Problem && error.cause instanceof Error ? error.cause.message : error.message;
    ctx.log.warn({ requestId: ctx.requestId, service: id, why }, 'somebody let us in, and we were not let in');
  }
  return flow.nextPath;
}

const sealedFor = (userId: string, id: ServiceId) => `service/${id}/${userId}`;

function sealed({ keys, clock }: House, userId: string, id: ServiceId, { access, refresh, seconds }: Tokens) {
  return {
    sealed: keys.seal(sealedFor(userId, id), JSON.stringify([access, refresh])),
    generation: newId(),
    expiresAt: after(clock.now(), Math.min(seconds, 365 * 86_400)),
    renewingUntil: null,
  };
}

function unsealed({ keys }: House, { userId, service, sealed: bytes }: typeof serviceAccounts.$inferSelect) {
  const text = keys.unseal(sealedFor(userId, service), bytes);
  if (text === null) return null;
  const [access, refresh] = JSON.parse(text) as [string, string];
  return { access, refresh };
}

async function keep(house: House, userId: string, { id }: MeetingService, tokens: Tokens): Promise<void> {
  const fields = sealed(house, userId, id, tokens);
  await house.db.orm
    .insert(serviceAccounts)
    .values({ userId, service: id, ...fields, createdAt: house.clock.now() })
    .onConflictDoUpdate({ target: [serviceAccounts.userId, serviceAccounts.service], set: fields });
}

// ---- Calls in a person’s name ---------------------------------------------------------------------

/** Calls the service with a person's account; if the service revoked the tokens, the person has to authorize again. */
export async function asPerson<T>(
  house: House,
  userId: string,
  service: MeetingService,
  work: (access: string) => Promise<T>,
): Promise<T> {
  let refused: string | null = null;
  for (let nth = 0; nth < 2; nth += 1) {
    const access = await accessOf(house, userId, service, refused);
    try {
      return await work(access);
    } catch (error) {
      if (!(error instanceof NotLetIn)) throw error;
      refused = access;
    }
  }
  throw needsLogin(service.id);
}

/**
 * A valid access token other than the refused one. A service may accept a refresh token only once, so that one process
 * refreshes and the others wait for the result.
 */
async function accessOf(house: House, userId: string, service: MeetingService, refused: string | null) {
  const { db, clock } = house;
  const mine = and(eq(serviceAccounts.userId, userId), eq(serviceAccounts.service, service.id));
  const patience = performance.now() + renewal * 1000;
  while (performance.now() < patience) {
    const [row] = await db.orm.select().from(serviceAccounts).where(mine);
    if (!row) throw needsLogin(service.id);
    const tokens = unsealed(house, row);
    const now = clock.now();
    if (tokens && tokens.access !== refused && row.expiresAt > after(now, margin)) return tokens.access;

    const same = and(mine, eq(serviceAccounts.generation, row.generation));
    const [claimed] = await db.orm
      .update(serviceAccounts)
      .set({ renewingUntil: after(now, renewal) })
      .where(and(same, or(isNull(serviceAccounts.renewingUntil), lte(serviceAccounts.renewingUntil, now))))
      .returning();
    if (!claimed) {
      await sleep(100);
      continue;
    }
    try {
      // Tokens sealed with another installation's key cannot be used.
      if (!tokens) throw new NotLetIn();
      const next = await service.refresh(tokens.refresh);
      const stored = await surely(() =>
        db.orm
          .update(serviceAccounts)
          .set(sealed(house, userId, service.id, next))
          .where(same)
          .returning({ userId: serviceAccounts.userId }),
      );
      if (stored.length > 0) return next.access;
      // The person logged out or authorized again meanwhile: the new tokens are revoked.
      await service.revoke(next).catch(() => {});
    } catch (error) {
      if (error instanceof NotLetIn) {
        await db.orm.delete(serviceAccounts).where(same);
        continue;
      }
      await db.orm
        .update(serviceAccounts)
        .set({ renewingUntil: null })
        .where(same)
        .catch(() => {});
      throw error;
    }
  }
  throw new Problem('UNAVAILABLE', { retryAfter: 5 });
}

/**
 * Retries storing: the old token is invalid already, so that the new one must not get lost in a short outage of the
 * database.
 */
async function surely<T>(store: () => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await store();
    } catch (error) {
      if (nth === storeTries) throw error;
      await sleep(200 * nth);
    }
  }
}

/** Deletes the account's tokens and revokes them at the service, if it answers. */
export async function logOutOfService(ctx: Ctx, id: ServiceId): Promise<void> {
  const service = serviceOf(ctx, id);
  const { person } = signedIn(ctx);
  const [row] = await ctx.db.orm
    .delete(serviceAccounts)
    .where(and(eq(serviceAccounts.userId, person.id), eq(serviceAccounts.service, id)))
    .returning();
  const tokens = row ? unsealed(ctx, row) : null;
  if (!tokens) return;
  await service.revoke(tokens).catch((error: unknown) => {
    const why = error instanceof Problem && error.cause instanceof Error ? error.cause.message : 'unknown';
    ctx.log.warn({ requestId: ctx.requestId, service: id, why }, 'a token could not be given back');
  });
}

export async function sweepServiceFlows({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  await db.orm.delete(serviceFlows).where(lt(serviceFlows.expiresAt, clock.now()));
}
