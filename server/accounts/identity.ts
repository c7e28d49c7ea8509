import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { identities, identityFlows, sessions, users } from '#db/schema/accounts.ts';
import { emailKey, lifetimes, nameInput, type IdentityError } from '#shared/accounts.ts';
import { isEmail } from '#shared/email.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { safePath } from '#shared/redirects.ts';
import { after } from '../clock.ts';
import { keepReferral } from '../billing/referral.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import type { Ctx } from '../context.ts';
import { hashOf, newSecret } from '../keys.ts';
import { rules } from '../limits.ts';
import type { IdentityProvider, ProvidedIdentity } from '../outside/identity.ts';
import { claimAddress } from '../people/addresses.ts';
import { welcome } from './confirmed.ts';
import { endSession, startSession, type NewSession } from '../people/sessions.ts';

/** Seconds for signing in at the provider. */
export const flowLifetime = 600;

interface Start {
  provider: string;
  next: unknown;
  /** The person is signed in and proves their identity again. */
  again: boolean;
  /** Code of the link by which somebody invited the person. */
  referral?: string | null;
  /** Secret of this browser: a sign-in can end only in the browser where it began. */
  browser: string;
  redirectUri: string;
}

interface Refusal {
  kind: 'refused';
  error: IdentityError;
  next: string;
  again: boolean;
}

export type IdentityResult =
  | { kind: 'signed-in'; session: NewSession; userId: string; next: string }
  | { kind: 'proved'; next: string }
  | Refusal;

function providerOf(ctx: Ctx, id: string): IdentityProvider {
  if (ctx.identity?.id !== id) throw new Problem('NOT_FOUND');
  return ctx.identity;
}

/** Starts a sign-in and returns where to send the browser. The state of the sign-in is stored on the server. */
export async function beginIdentity(
  ctx: Ctx,
  { provider, next, again, referral = null, browser, redirectUri }: Start,
): Promise<{ kind: 'away'; to: URL } | Refusal> {
  const identity = providerOf(ctx, provider);
  await ctx.limits.take(rules.identity, ctx.address);
  const nextPath = safePath(next);
  if (again && ctx.proof?.kind !== 'session')
    return { kind: 'refused', error: 'expired', next: nextPath, again: false };

  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()];
  let to: URL;
  try {
    to = await identity.authorizationUrl({ state, nonce, verifier, redirectUri, fresh: again });
  } catch (error) {
    return refused(ctx, error, nextPath, again);
  }
  await ctx.db.orm.insert(identityFlows).values({
    stateHash: hashOf(state),
    browserHash: hashOf(browser),
    nonce,
    verifier,
    nextPath,
    userId: again && ctx.person ? ctx.person.id : null,
    referral: referral?.slice(0, 60) ?? null,
    expiresAt: after(ctx.clock.now(), flowLifetime),
  });
  return { kind: 'away', to };
}

/**
 * Ends a sign-in after the provider sent the browser back. The state works once, and only in the browser it was made
 * for.
 */
export async function finishIdentity(
  ctx: Ctx,
  way: { provider: string; callback: URL; browser: string; redirectUri: string },
): Promise<IdentityResult> {
  const identity = providerOf(ctx, way.provider);
  const state = way.callback.searchParams.get('state') ?? '';
  const [flow] = await ctx.db.orm
    .delete(identityFlows)
    .where(and(eq(identityFlows.stateHash, hashOf(state)), eq(identityFlows.browserHash, hashOf(way.browser))))
    .returning();
  if (!flow) throw new Problem('CSRF');
  const next = flow.nextPath;
  const again = flow.userId !== null;
  const refuse = (error: IdentityError): Refusal => {
    ctx.metrics.signIns.inc({ result: 'refused' });
    return { kind: 'refused', error, next, again };
  };
  if (flow.expiresAt <= ctx.clock.now()) return refuse('expired');
  const error = way.callback.searchParams.get('error');
  if (error !== null) return refuse(error === 'access_denied' ? 'refused' : 'failed');

  let provided: ProvidedIdentity;
  try {
    provided = await identity.identify(way.callback, {
      state,
      nonce: flow.nonce,
      verifier: flow.verifier,
      redirectUri: way.redirectUri,
    });
  } catch (failure) {
    return refused(ctx, failure, next, again);
  }

  if (flow.userId !== null) {
    const error = await proveElsewhere(ctx, flow.userId, provided);
    return error ? refuse(error) : { kind: 'proved', next };
  }
  const done = await moneyTransaction(ctx, async (tx) => {
    const found = await accountFor(ctx, tx, provided, flow.referral);
    if ('error' in found) return found;
    if (ctx.proof?.kind === 'session') await endSession(tx, ctx.proof.sessionHash);
    const session = await startSession(ctx, tx, {
      userId: found.userId,
      remember: false,
      userAgent: ctx.userAgent,
      // The person may have signed in at the provider long ago, so its own time counts.
      provedAt: provided.authenticatedAt ?? new Date(0),
    });
    return { session, userId: found.userId };
  });
  if ('error' in done) return refuse(done.error);
  ctx.metrics.signIns.inc({ result: 'ok' });
  return { kind: 'signed-in', ...done, next };
}

/**
 * The account of a provider's identity. An existing account is never joined because the address is the same: it opens
 * only with its password. If nobody has confirmed the address yet, the provider's identity becomes its owner, and
 * everything prepared under the address is deleted: accounts, their sessions, their mailed links.
 */
async function accountFor(
  ctx: Ctx,
  tx: Orm,
  provided: ProvidedIdentity,
  referral: string | null,
): Promise<{ userId: string } | { error: IdentityError }> {
  const known = await userOf(tx, provided);
  if (known) return { userId: known };
  if (!provided.email || !provided.emailVerified || !isEmail(provided.email)) return { error: 'unverified' };

  const email = provided.email.trim();
  const key = emailKey(email);
  const now = ctx.clock.now();
  const id = newId();
  if (!(await claimAddress(tx, key, id))) {
    // The same person may have signed in from another tab at this moment.
    const same = await userOf(tx, provided);
    return same ? { userId: same } : { error: 'account-exists' };
  }
  await tx.insert(users).values({
    id,
    email,
    emailKey: key,
    firstName: nameOr(provided.firstName, email.slice(0, email.lastIndexOf('@'))),
    lastName: nameOr(provided.lastName, ''),
    createdAt: now,
    confirmedAt: now,
  });
  await keepReferral(ctx, tx, referral ?? undefined, id);
  await welcome(ctx, tx, { id, key });
  await tx
    .insert(identities)
    .values({ issuer: provided.issuer, subject: provided.subject, userId: id, createdAt: now });
  return { userId: id };
}

async function userOf(tx: Orm, { issuer, subject }: ProvidedIdentity): Promise<string | null> {
  const [row] = await tx
    .select({ userId: identities.userId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  return row?.userId ?? null;
}

/** Records in the session that the person has just proved their identity, as others do with a password. */
async function proveElsewhere(ctx: Ctx, userId: string, provided: ProvidedIdentity): Promise<IdentityError | null> {
  if (ctx.person?.id !== userId || ctx.proof?.kind !== 'session') return 'expired';
  if ((await userOf(ctx.db.orm, provided)) !== userId) return 'other-person';
  const provedAt = provided.authenticatedAt;
  const age = provedAt ? (ctx.clock.now().getTime() - provedAt.getTime()) / 1000 : Infinity;
  // A time up to a minute ahead is a differing clock; more is invalid.
  if (!provedAt || age > lifetimes.reauthentication || age < -60) return 'not-fresh';
  await ctx.db.orm.update(sessions).set({ provedAt }).where(eq(sessions.hash, ctx.proof.sessionHash));
  return null;
}

/** The provider's name of the person, if it is a valid name here. */
function nameOr(name: string, otherwise: string): string {
  return nameInput.safeParse(name).data ?? nameInput.safeParse(otherwise).data ?? '';
}

/** Refuses a failed sign-in. Details from the provider go to the log only, because they may contain anything. */
function refused(ctx: Ctx, error: unknown, next: string, again: boolean): Refusal {
  if (!(error instanceof Problem)) throw error;
  const { cause } = error;
  const reason =
    cause instanceof Error ? `${'code' in cause ? String(cause.code) : cause.name}: ${cause.message}` : error.code;
  ctx.log.warn({ requestId: ctx.requestId, reason: reason.slice(0, 300) }, 'the identity provider could not be used');
  ctx.metrics.signIns.inc({ result: 'refused' });
  return { kind: 'refused', error: error.code === 'UNAVAILABLE' ? 'unavailable' : 'failed', next, again };
}
