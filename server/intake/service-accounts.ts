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

/** Seconds somebody may take at the service. */
const flowLifetime = 600;
/** Seconds before its end in which a token counts for no more: a list of many pages has to come to its end with it. */
const margin = 60;
/** Seconds one of us may take to get the next pair. */
const renewal = 30;
const storeTries = 5;

export type Services = Readonly<Record<ServiceId, MeetingService | null>>;

/** Where a recording may be imported from, as it is configured. */
export function serviceOf({ services }: Pick<House, 'services'>, id: ServiceId): MeetingService {
  const service = services[id];
  if (!service) throw new Problem('NOT_FOUND', { message: `This server is not connected to ${serviceNames[id]}` });
  return service;
}

const authCode = { zoom: 'ZOOM_AUTH', webex: 'WEBEX_AUTH' } as const;
const needsLogin = (id: ServiceId): Problem => new Problem(authCode[id]);
/** Whether somebody has to let us in first. */
export const isLoginNeeded = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'ZOOM_AUTH' || error.code === 'WEBEX_AUTH');

// ---- Letting us in -----------------------------------------------------------------------------

/** Where to send the browser. What the way back needs stays here, under the state and for this session alone. */
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

/** Back from the service: where to go on. The page there finds out by itself whether we were let in. */
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

// ---- In somebody's name ------------------------------------------------------------------------

/** Asks in somebody's name; where the service has forgotten us meanwhile, they have to let us in again. */
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
 * A token that holds, and is not the one that was refused. A service may take a token to refresh with only once, so one of
 * all processes asks for the next pair; the others wait for what comes of it.
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
    const [turn] = await db.orm
      .update(serviceAccounts)
      .set({ renewingUntil: after(now, renewal) })
      .where(and(same, or(isNull(serviceAccounts.renewingUntil), lte(serviceAccounts.renewingUntil, now))))
      .returning();
    if (!turn) {
      await sleep(100);
      continue;
    }
    try {
      // What another house's key has sealed opens nothing here.
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
      // Logged out, or let in anew meanwhile: nobody is to use these.
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

/** The old token is worth nothing any more: the new one is not given up because the database was away for a moment. */
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

/** From now on we know nothing of the person there; the service is told, as far as it listens. */
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
