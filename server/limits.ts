import { lt, sql } from 'drizzle-orm';
import type { Redis } from 'ioredis';
import type { Database, Orm } from '#db/open.ts';
import { rateLimits } from '#db/schema/house.ts';
import { Problem } from '#shared/problems.ts';
import { after, type Clock } from './clock.ts';
import type { Metrics } from './metrics.ts';

/** Rate limit: how many in how many seconds, and whether to allow or refuse while the counter cannot be reached. */
export interface Rule {
  name: string;
  most: number;
  /** Seconds from the first count to the reset. */
  per: number;
  /** `closed` for sign-in and money, `open` for reading. */
  whenBlind: 'open' | 'closed';
}

const rule = (name: string, most: number, per: number, whenBlind: Rule['whenBlind'] = 'open'): Rule => ({
  name,
  most,
  per,
  whenBlind,
});

/** People who together can use all of a day's answers about the product. */
export const supportSharers = 5;

export const rules = {
  /** Wrong passwords for one account. */
  loginAccount: rule('login-account', 10, 900, 'closed'),
  /** Wrong passwords from a browser that signed in before, so that its owner is not locked out by strangers. */
  loginDevice: rule('login-device', 10, 900, 'closed'),
  /** Wrong passwords from one address, for any account (password spraying). */
  loginAddress: rule('login-address', 100, 900, 'closed'),
  /** Wrong passwords on the whole server: far above any normal day. */
  loginHouse: rule('login-house', 3000, 900, 'closed'),
  registerAddress: rule('register-address', 30, 3600, 'closed'),
  /**
   * Mails of one purpose to one address, and, where each asker has a count of their own, because of all askers together
   * (server/mail/may-mail.ts). Those above the limit are silently not sent.
   */
  mailTo: rule('mail-to', 3, 3600, 'closed'),
  mailToByAll: rule('mail-to-by-all', 12, 3600, 'closed'),
  askMail: rule('ask-mail', 60, 3600, 'closed'),
  /**
   * Confirmation mails one asker has sent to one address, with and without an account: the answer to a request tells
   * when the next one is allowed, and must not tell more. No more than are sent (`mailTo`).
   */
  confirmPause: rule('confirm-pause', 1, 60, 'closed'),
  confirmAgain: rule('confirm-again', 3, 3600, 'closed'),
  provePassword: rule('prove-password', 5, 900, 'closed'),
  tokens: rule('mail-token', 60, 900, 'closed'),
  search: rule('search', 30, 60),
  /** Searches in what was said, a page of one more free: somebody who types slowly makes one a letter. */
  find: rule('find', 120, 60),
  /** Counts for such searches: each choice of a filter asks again. */
  count: rule('count', 240, 60),
  /** Requests for the results of saved searches: of all of them at once, or of one that is saved or looked at. */
  savedSearches: rule('saved-searches', 30, 60),
  /** Searches that also find what others share with everyone: a bound for copying all of their titles. */
  discover: rule('discover', 600, 3600),
  feedback: rule('feedback', 10, 3600),
  logs: rule('logs', 30, 60),
  logsAnonymous: rule('logs-anonymous', 5, 60),
  botCheck: rule('bot-check', 60, 60),
  write: rule('write', 300, 60),
  /** Sign-ins started at the external provider. */
  identity: rule('identity', 300, 900, 'closed'),
  /** Lists of recordings requested from a meeting service, which counts requests by person. */
  importLists: rule('import-lists', 120, 60),
  /** Recordings imported from a meeting service. */
  imports: rule('imports', 30, 3600, 'closed'),
  invitations: rule('invitations', 60, 900, 'closed'),
  /** Guesses at the access code of one link from one address. */
  accessCode: rule('access-code', 10, 3600, 'closed'),
  /** Mails of one person to the people they share with. */
  shareMails: rule('share-mails', 50, 3600, 'closed'),
  /** Mails to one address that reviews are due; those above the limit are silently not sent. */
  reminders: rule('reminders', 20, 86_400, 'closed'),
  /** Mails of one person to the people they mention in comments. */
  mentionMails: rule('mention-mails', 50, 3600, 'closed'),
  /** Mails to people in whose threads, or on whose recordings, one person comments. */
  commentMails: rule('comment-mails', 50, 3600, 'closed'),
  /** Replies of one person of which open pages alone are told. */
  replyNotices: rule('reply-notices', 100, 3600, 'closed'),
  /**
   * Requests by one person for one meeting, by one person, and for one meeting; those above the limit are silently not
   * sent.
   */
  accessRequest: rule('access-request', 1, 86_400, 'closed'),
  accessRequests: rule('access-requests', 20, 3600, 'closed'),
  accessRequestsFor: rule('access-requests-for', 20, 86_400, 'closed'),
  /** Calls of one person that the payment service is asked for, or that move credits. */
  payments: rule('payments', 30, 60, 'closed'),
  /** Times that the payment service is asked for one person what became of a purchase: a page does so every 2 seconds. */
  purchaseStates: rule('purchase-states', 60, 60, 'closed'),
  /** Promo codes that one person tries. */
  promoCodes: rule('promo-codes', 20, 900, 'closed'),
  /** Recordings that one person begins in the browser. */
  liveRecordings: rule('live-recordings', 20, 3600, 'closed'),
  /** Wishes of one person that somebody stops recording. */
  askToStop: rule('ask-to-stop', 20, 3600),
  /** Copies of the sample recording that are made for one person. */
  samples: rule('samples', 10, 3600),
  /** Copies of recordings that one person makes. */
  copies: rule('copies', 60, 3600),
  /** Voice notes of one person. */
  attachments: rule('attachments', 60, 3600),
  /** Archives of one person. */
  archives: rule('archives', 20, 3600, 'closed'),
  /** Questions of one person to an assistant. */
  questions: rule('questions', 20, 3600, 'closed'),
  /** Questions of one person about the product. */
  supportQuestions: rule('support-questions', 40, 3600, 'closed'),
  /** Those of all people together, which the house pays for; AI_SUPPORT_DAILY sets another number. */
  supportAnswers: rule('support-answers', 500, 86_400, 'closed'),
  /** Those of one person: a share of the number for all. */
  supportAnswersPerson: rule('support-answers-person', 500 / supportSharers, 86_400, 'closed'),
  /** Searches of one person for outcomes, each of which reads a whole recording. */
  detections: rule('detections', 5, 3600, 'closed'),
  /** Sets of outcome types that one person makes, changes or names for a recording. */
  outcomeModels: rule('outcome-models', 240, 3600),
  /** Files of all places of a search: each asks many pages. */
  placesFile: rule('places-file', 6, 60),
  /** Files exported from a transcript. */
  export: rule('export', 60, 60),
} as const satisfies Record<string, Rule>;

interface Count {
  allowed: boolean;
  /** Seconds until the window ends. */
  retryAfter: number;
}

/** Storage of the counts; one contract suite runs on every implementation. */
export interface Counter {
  /** Counts one and tells whether it is within the rule; with `tx` it counts only if that transaction commits. */
  take(rule: Rule, key: string, tx?: Orm): Promise<Count>;
  /** Tells whether one more would be within the rule, without counting it. */
  peek(rule: Rule, key: string): Promise<Count>;
  /** Takes one back that was counted in advance and turned out not to count. */
  giveBack(rule: Rule, key: string): Promise<void>;
  /** Resets the count. */
  clear(rule: Rule, key: string): Promise<void>;
}

export interface Limits {
  /** Counts one or refuses with RATE. */
  take(rule: Rule, key: string): Promise<void>;
  /**
   * Counts one; false above the limit, for actions that are dropped silently. Pass `tx` inside a transaction: with a
   * second connection, all connections could be in transactions that wait for one more, a deadlock.
   */
  allow(rule: Rule, key: string, tx?: Orm): Promise<boolean>;
  /** Refuses with RATE above the limit, without counting. */
  check(rule: Rule, key: string): Promise<void>;
  /** Seconds until one more is within the limit; 0 if it is now. */
  wait(rule: Rule, key: string): Promise<number>;
  giveBack(rule: Rule, key: string): Promise<void>;
  clear(rule: Rule, key: string): Promise<void>;
}

export function createLimits(counter: Counter, metrics: Metrics, complain: (error: unknown) => void): Limits {
  const ask = async (rule: Rule, count: () => Promise<Count>): Promise<Count> => {
    try {
      const result = await count();
      if (!result.allowed) metrics.limited.inc({ rule: rule.name });
      return result;
    } catch (error) {
      complain(error);
      if (rule.whenBlind === 'open') return { allowed: true, retryAfter: 0 };
      throw new Problem('UNAVAILABLE', { retryAfter: 5, cause: error });
    }
  };
  const orRefuse = ({ allowed, retryAfter }: Count): void => {
    if (!allowed) throw new Problem('RATE', { retryAfter: Math.max(1, retryAfter) });
  };
  return {
    take: async (rule, key) => orRefuse(await ask(rule, () => counter.take(rule, key))),
    check: async (rule, key) => orRefuse(await ask(rule, () => counter.peek(rule, key))),
    wait: async (rule, key) => {
      const { allowed, retryAfter } = await ask(rule, () => counter.peek(rule, key));
      return allowed ? 0 : Math.max(1, retryAfter);
    },
    allow: async (rule, key, tx) => (await ask(rule, () => counter.take(rule, key, tx))).allowed,
    // Failures of these two only cost the person a wait until the window ends.
    giveBack: async (rule, key) => counter.giveBack(rule, key).catch(complain),
    clear: async (rule, key) => counter.clear(rule, key).catch(complain),
  };
}

const nameOf = (rule: Rule, key: string): string => `${rule.name}:${key}`.slice(0, 400);
const secondsUntil = (resetsAt: Date, now: Date): number =>
  Math.max(0, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000));

/** Default counter: one row for each key in Postgres, so counts survive a restart and are shared by all processes. */
export function postgresCounter(db: Database, clock: Clock): Counter & { sweep(): Promise<void> } {
  const read = async (rule: Rule, key: string) => {
    const now = clock.now();
    const rows = await db.orm
      .select()
      .from(rateLimits)
      .where(sql`${rateLimits.key} = ${nameOf(rule, key)}`);
    const row = rows[0];
    return row && row.resetsAt > now
      ? { count: row.count, resetsAt: row.resetsAt }
      : { count: 0, resetsAt: after(now, rule.per) };
  };
  return {
    async take(rule, key, tx) {
      const now = clock.now();
      const fresh = after(now, rule.per).toISOString();
      const at = now.toISOString();
      const [row] = await (tx ?? db.orm)
        .insert(rateLimits)
        .values({ key: nameOf(rule, key), count: 1, resetsAt: after(now, rule.per) })
        .onConflictDoUpdate({
          target: rateLimits.key,
          set: {
            count: sql`case when ${rateLimits.resetsAt} <= ${at}::timestamptz then 1 else ${rateLimits.count} + 1 end`,
            resetsAt: sql`case when ${rateLimits.resetsAt} <= ${at}::timestamptz then ${fresh}::timestamptz else ${rateLimits.resetsAt} end`,
          },
        })
        .returning();
      if (!row) throw new Error('the count was not stored');
      return { allowed: row.count <= rule.most, retryAfter: secondsUntil(row.resetsAt, now) };
    },
    async peek(rule, key) {
      const { count, resetsAt } = await read(rule, key);
      return { allowed: count < rule.most, retryAfter: secondsUntil(resetsAt, clock.now()) };
    },
    async giveBack(rule, key) {
      await db.orm
        .update(rateLimits)
        .set({ count: sql`${rateLimits.count} - 1` })
        .where(sql`${rateLimits.key} = ${nameOf(rule, key)} and ${rateLimits.count} > 0`);
    },
    async clear(rule, key) {
      await db.orm.delete(rateLimits).where(sql`${rateLimits.key} = ${nameOf(rule, key)}`);
    },
    async sweep() {
      await db.orm.delete(rateLimits).where(lt(rateLimits.resetsAt, clock.now()));
    },
  };
}

/** Decrements a live key only: never below zero, and never an expired key, which would come back without an expiry. */
const oneLess = "if tonumber(redis.call('get', KEYS[1]) or 0) > 0 then redis.call('decr', KEYS[1]) end";

/** Counter in Redis, which relieves the database; the expiry of a key is the end of its window. */
export function redisCounter(redis: Redis): Counter {
  const name = (rule: Rule, key: string) => `colloquy:limit:${nameOf(rule, key)}`;
  const secondsLeft = async (key: string, per: number) => {
    const seconds = await redis.ttl(key);
    return seconds > 0 ? seconds : per;
  };
  return {
    async take(rule, key) {
      const at = name(rule, key);
      // Set-if-absent precedes the increment, so that the key always has an expiry even if the process dies in between.
      const answers = await redis.multi().set(at, 0, 'EX', rule.per, 'NX').incr(at).exec();
      const count = Number(answers?.[1]?.[1]);
      if (!Number.isFinite(count)) throw new Error('Redis did not count');
      return { allowed: count <= rule.most, retryAfter: await secondsLeft(at, rule.per) };
    },
    async peek(rule, key) {
      const at = name(rule, key);
      const count = Number((await redis.get(at)) ?? 0);
      return { allowed: count < rule.most, retryAfter: await secondsLeft(at, rule.per) };
    },
    async giveBack(rule, key) {
      await redis.eval(oneLess, 1, name(rule, key));
    },
    async clear(rule, key) {
      await redis.del(name(rule, key));
    },
  };
}
