import { setTimeout as pause } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Stripe } from 'stripe';
import { connect } from '#db/connect.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { differencesIn } from '#server/billing/books.ts';
import { createDesk, sweepHolds, sweepLots, type CostDesk } from '#server/billing/desk.ts';
import { sweepGifts } from '#server/billing/gift.ts';
import { reconcileNow } from '#server/billing/reconcile.ts';
import { transaction } from '#server/context.ts';
import { fail, intakeOf } from '#server/intake/drafts.ts';
import { endReady } from '#server/intake/ending.ts';
import { sweepStalled } from '#server/intake/stalled.ts';
import { giftDays } from '#shared/giving.ts';
import { newId } from '#shared/ids.ts';
import { noModel } from '#shared/intake.ts';
import { costOf } from '#shared/money.ts';
import { Chance } from '../sim/chance.ts';
import { makePromo, onPage, openShop, type Shop } from './payments.ts';
import type { Answer, Person } from './people.ts';
import { TeamHistory, type Job } from './team-history.ts';

/*
 * Random histories of buying, spending, giving, failing, refunding, disputing and renewing, and of a team that pays, with events
 * that are lost, doubled, shuffled and late, and with a database that ends all connections in the middle of it. Some of the
 * work is that of recordings, whose jobs may be lost. What the payment service and the people did is the truth; the books
 * must say the same in the end, and be right at each moment.
 */

const minutePrice = 150_000;
const bonus = 3_000_000n;
const bundleSeconds = 18_000n;
const day = 86_400;
const cent = 10_000n;

interface Refunded {
  id: string;
  payment: string;
  failed: boolean;
}

/** Credits that one person gave; to null: to an address that nobody has, where they wait. */
interface Gift {
  from: Person;
  to: Person | null;
  recipient: string;
  amount: bigint;
}

/** Milliseconds for which a gift waits. */
const giftWaits = giftDays * day * 1000;

/** Tries again while connections are ended. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (attempt === 40) throw error;
      await pause(25);
    }
}

export class MoneyHistory {
  /** How often things happened that the books do not tell of, over all histories. */
  static readonly seen: Record<string, number> = {};

  private readonly shop: Shop;
  private readonly desk: CostDesk;
  private readonly people: Person[] = [];
  private readonly jobs: Job[] = [];
  private readonly refunds: Refunded[] = [];
  private readonly disputes = new Map<string, 'asked' | 'taken' | 'won' | 'lost'>();
  /** Purchases that have a promo code, and prices of what was bought from credits, by their buyer. */
  private readonly withPromo = new Set<string>();
  private readonly buyers = new Map<string, Person>();
  private readonly fromCredits = new Map<Person, bigint>();
  private readonly gifts: Gift[] = [];
  private late: Stripe.Event[] = [];
  private chance = new Chance(0);
  private readonly code = newId(8).toUpperCase();

  private constructor(shop: Shop) {
    this.shop = shop;
    this.desk = createDesk(shop.house.house, () => ({ speech: minutePrice }));
  }

  static async open(): Promise<MoneyHistory> {
    const shop = await openShop();
    const history = new MoneyHistory(shop);
    await makePromo(shop, history.code, bonus, 1_000_000);
    return history;
  }

  /** Spoils the house before the histories begin, to see that they notice. */
  spoil = (sql: string): Promise<unknown> => this.shop.house.database.sql.unsafe(sql);

  close = (): Promise<void> => this.shop.close();

  private note = (what: string): void => {
    MoneyHistory.seen[what] = (MoneyHistory.seen[what] ?? 0) + 1;
  };

  /** Everything that happened: kinds of events, amounts that moved in a way of their own, and what pages were told. */
  async happened(): Promise<string[]> {
    const rows = await this.ask<{ what: string }>(`
      select distinct case when key like '%:won' then 'dispute won' when key like '%:failed' then 'refund failed' else kind end as what
      from ledger_postings
      union select case
        when f.name = 'promo' and o.name = 'credits' then 'bonus' when f.name = 'debt' then 'debt'
        when o.name = 'debt' and f.name like 'held%' then 'debt paid by what work returned'
        when o.name = 'debt' then 'debt paid' when o.name = 'gifts' then 'gift that waits'
        when f.name = 'lot' and o.name = 'heldPaid' then 'bought minutes reserved'
        when f.name = 'lot' and o.name = 'heldFree' then 'free minutes reserved'
        when f.name = 'credits' and o.name = 'heldCredits' then 'credits reserved' else '' end
      from ledger_transfers t join ledger_accounts f on f.id = t.from_account join ledger_accounts o on o.id = t.to_account
      union select 'recording ' || coalesce(failure, state) from intakes`);
    return [...rows.map(({ what }) => what), ...Object.keys(MoneyHistory.seen), ...Object.keys(TeamHistory.seen)];
  }

  /** Lives one history; answers the first thing that was wrong. */
  async live(seed: number, steps: number): Promise<string | null> {
    this.chance = new Chance(seed);
    this.people.splice(0);
    for (const name of ['Ann', 'Ben', 'Chen']) this.people.push(await again(() => this.shop.house.person(name)));
    const { shop, desk, people, jobs, chance, ask, fund, calls } = this;
    const team = new TeamHistory({ shop, desk, minutePrice, people, jobs, chance, ask, fund, ...calls });
    const all = [...this.acts, ...team.acts];
    for (let step = 0; step < steps; step += 1) {
      await team.prepare();
      const [mark] = await this.ask<{ id: string }>('select coalesce(max(id), 0)::text as id from ledger_postings');
      const acts = Array.from({ length: this.chance.between(1, 3) }, () => this.chance.pick(all));
      const crash = this.chance.happens(0.15);
      const works = Promise.all(acts.map((act) => act()));
      const reader = this.wrongNow();
      if (crash) await this.endConnections(this.chance.between(0, 30));
      await works;
      // The reader of the next step sees what this one leaves wrong.
      const wrong = (await reader) ?? (await this.wronglySpent(mark?.id ?? '0')) ?? (await team.wrong());
      if (wrong !== null) return `step ${step}: ${wrong}`;
    }
    return this.atTheEnd(team);
  }

  /** Fault that a reader sees at this moment. */
  private async wrongNow(): Promise<string | null> {
    const differences = await again(() => differencesIn(this.shop.house.database.sql));
    return differences[0] ?? null;
  }

  /**
   * Fault of what was spent after a posting: by a debtor, in another order than that of the lots, or after their end. Only
   * accounts that nothing else touched meanwhile are looked at: what was in them is known.
   */
  private async wronglySpent(mark: string): Promise<string | null> {
    const [fault] = await this.ask<{ fault: string }>(`
      with touched as (
        select from_account as account from ledger_transfers where posting_id > ${mark}
        union select to_account from ledger_transfers where posting_id > ${mark}
      ), spent as (
        select p.kind, f.*, h.group_id, coalesce(h.created_at, p.at) as at
        from ledger_postings p join ledger_transfers t on t.posting_id = p.id
        join ledger_accounts f on f.id = t.from_account left join holds h on h.id = p.hold_id
        where p.id > ${mark} and p.kind in ('hold', 'gift', 'bundle', 'plan') and f.name in ('credits', 'lot')
      )
      select s.id || ' was spent while ' || d.balance || ' was owed' as fault
      from spent s join ledger_accounts d on d.id = s.purse_id || '/debt'
      where d.balance < 0 and d.id not in (select account from touched)
      union all
      select s.id || ' was spent after its end' from spent s where s.kind = 'hold' and s.lapses_at <= s.at
      union all
      select s.id || ' was spent before ' || m.id from spent s join ledger_accounts m on m.purse_id = s.purse_id
      where s.kind = 'hold' and s.group_id is null and m.name = 'lot' and m.balance > 0
        and m.id not in (select account from touched) and coalesce(m.lapses_at, 'infinity') > s.at
        and (s.name = 'credits' or (coalesce(m.lapses_at, 'infinity'), m.lapses_at is null and m.paid, m.created_at)
          < (coalesce(s.lapses_at, 'infinity'), s.lapses_at is null and s.paid, s.created_at))
      union all
      select d.purse_id || ' owes something beside credits' from ledger_accounts d
      join ledger_accounts c on c.id = d.purse_id || '/credits'
      where d.name = 'debt' and d.balance < 0 and c.balance > 0
      limit 1`);
    return fault?.fault ?? null;
  }

  private async endConnections(after: number): Promise<void> {
    this.note('crash');
    await pause(after);
    const other = connect(this.shop.house.url, { max: 1 });
    await other`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'colloquy'`;
    await other.end();
  }

  private readonly acts: readonly (() => Promise<unknown>)[] = [
    () => this.buy(),
    () => this.buy(),
    () => this.tell(),
    () => this.tell(),
    () => this.begin(),
    () => this.begin(),
    () => this.end(),
    () => this.end(),
    () => this.bundle(),
    () => this.give(),
    () => this.give(),
    () => this.plan(),
    () => this.refund(),
    () => this.dispute(),
    () => this.jump(),
    () => this.disturb(),
  ];

  private person = (): Person => this.chance.pick(this.people);

  /** Calls until there is an answer that a crash did not cause: the same request is made once. */
  private async surely(call: (id: string) => Promise<Answer>): Promise<Answer> {
    const id = newId();
    for (let attempt = 0; ; attempt += 1) {
      const answer = await call(id).catch(() => null);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      if (attempt === 40) throw new Error(`no answer: ${answer?.text}`);
      if (answer?.status === 429) this.shop.house.clock.forward(61);
      await pause(25);
    }
  }

  private readonly calls = {
    get: (person: Person, path: string) => this.surely(() => person.get(path)),
    post: (person: Person, path: string, body: object) =>
      this.surely((id) => person.post(path, body, { headers: { 'X-Request-ID': id } })),
    put: (person: Person, path: string, body: object) =>
      this.surely((id) => person.put(path, body, { headers: { 'X-Request-ID': id } })),
    remove: (person: Person, path: string) =>
      this.surely((id) => person.delete(path, { headers: { 'X-Request-ID': id } })),
  };
  private post = this.calls.post;

  private async buy(): Promise<void> {
    const person = this.person();
    const promo = this.chance.happens(0.3);
    const way = this.chance.pick(['pay', 'pay', 'pay', 'later', 'decline', 'leave'] as const);
    const balance = (this.chance.between(100, 9000) / 100).toFixed(2);
    const answer = await this.post(person, '/api/credits/purchase', {
      balance,
      ...(promo && { promoCode: this.code }),
    });
    // A code is used once a person.
    if (answer.status !== 200) return;
    this.buyers.set(answer.body.id, person);
    if (promo) this.withPromo.add(answer.body.id);
    this.note(`page: ${way}`);
    await onPage(answer.body.url, way);
  }

  /** A purchase whose events all arrive. */
  private fund = async (person: Person): Promise<void> => {
    const { status, body } = await this.post(person, '/api/credits/purchase', { balance: '90.00' });
    if (status !== 200) return;
    this.buyers.set(body.id, person);
    await onPage(body.url, 'pay');
    for (const event of this.shop.practice.held?.splice(0) ?? []) await this.shop.practice.send(event);
  };

  /** Some events arrive, in any order, up to five times, or never. */
  private async tell(): Promise<void> {
    const held = [...this.late, ...(this.shop.practice.held?.splice(0) ?? [])];
    this.late = [];
    const sent: Promise<boolean>[] = [];
    for (const event of held.toSorted(() => this.chance.next() - 0.5)) {
      if (this.chance.happens(0.3)) this.late.push(event);
      for (let n = this.chance.pick([0, 1, 1, 1, 2, 5]); n > 0; n -= 1) sent.push(this.shop.practice.send(event));
    }
    await Promise.all(sent);
  }

  private async begin(): Promise<void> {
    const person = this.person();
    const seconds = this.chance.between(1, 7200);
    const order = { meetingId: newId(), model: 'speech', seconds };
    const { database, house } = this.shop.house;
    try {
      const [option] = await this.desk.options(database.orm, person, order);
      if (!option?.isEnough) return this.note('too little for work');
      const recording = this.chance.happens(0.7) ? order.meetingId : null;
      const hold = await transaction(house, async (tx) => {
        const id = await this.desk.hold(tx, person, order, option);
        if (recording === null) return id;
        const [ownerId, createdAt] = [person.id, house.clock.now()];
        await tx.insert(meetings).values({ id: recording, ownerId });
        await tx.insert(intakes).values({
          ...{ meetingId: recording, ownerId, requestId: newId(), requestDigest: Buffer.alloc(0), state: 'processing' },
          ...{ title: 'Monday', model: noModel, lang: 'en', speakers: 1, vocabulary: '', holdId: id, createdAt },
        });
        return id;
      });
      if (hold !== null) this.jobs.push({ person, hold, seconds, used: null, groupId: null, recording });
    } catch {
      // Somebody spent it meanwhile, or the connection ended: nothing is held, or the sweeper returns it.
    }
  }

  private async end(): Promise<void> {
    const open = this.jobs.filter(({ used }) => used === null);
    if (open.length === 0) return;
    const job = this.chance.pick(open);
    job.used = this.chance.happens(0.3) ? 0 : this.chance.between(1, 8000);
    const { used, hold, recording } = job;
    const { house } = this.shop.house;
    await again(() =>
      transaction(house, async (tx) => {
        if (recording === null) return used === 0 ? this.desk.release(tx, hold) : this.desk.capture(tx, hold, used);
        await tx
          .update(intakes)
          .set({ measuredMs: used * 1000 })
          .where(eq(intakes.meetingId, recording));
        const intake = await intakeOf(tx, recording);
        // Its job was lost before.
        if (intake?.holdId !== hold) return;
        await (used === 0
          ? fail(house, tx, intake, 'cancelled')
          : endReady(house, tx, { id: newId(), meetingId: recording }, intake));
      }),
    );
  }

  private async bundle(): Promise<void> {
    const person = this.person();
    const answer = await this.post(person, '/api/plan', { plan: 'bundle300', balance: '36' });
    if (answer.status === 200) this.fromCredits.set(person, (this.fromCredits.get(person) ?? 0n) + 36_000_000n);
  }

  private async give(): Promise<void> {
    const from = this.person();
    const to = this.chance.happens(0.5) ? null : this.person();
    const cents = this.chance.between(1, 2000);
    const recipient = to?.email ?? `nobody-${newId().toLowerCase()}@example.test`;
    const { status } = await this.post(from, '/api/gift', { recipient, balance: (cents / 100).toFixed(2) });
    if (status === 200) this.gifts.push({ from, to, recipient, amount: BigInt(cents) * cent });
  }

  /** Credits that somebody has of gifts in the end, less what they gave: what nobody took in time comes back. */
  private async givenTo(person: Person): Promise<bigint> {
    let sum = 0n;
    for (const { from, to, recipient, amount } of this.gifts) {
      if (to === person) sum += amount;
      if (from === person && (to !== null || !(await this.isOver(recipient)))) sum -= amount;
    }
    return sum;
  }

  /** Whether a gift has waited for its address as long as it may. */
  private async isOver(recipient: string): Promise<boolean> {
    const [row] = await this.ask<{ created_at: Date }>(`select created_at from gifts where email = '${recipient}'`);
    return this.shop.house.clock.now().getTime() - new Date(row?.created_at ?? 0).getTime() >= giftWaits;
  }

  private async plan(): Promise<void> {
    const person = this.person();
    if (this.chance.happens(0.4)) {
      const held = this.people.filter((one) => this.periodsOf(one) > 0);
      const by = held[this.people.indexOf(person) % held.length] ?? person;
      const { status } = await this.post(by, '/api/plans/cancel', { planName: 'professional' });
      if (status === 204) this.note('plan cancelled');
      return;
    }
    const { body } = await this.post(person, '/api/plans/purchase', { planName: 'professional' });
    if (body?.id) this.buyers.set(body.id, person);
    if (body?.url) await onPage(body.url, this.chance.pick(['pay', 'pay', 'leave'] as const));
  }

  /** Paid pages of credits, with their payments. */
  private paid(): { payment: string; purchase: string; cents: number }[] {
    return this.shop.practice.account.sessions().flatMap((session) => {
      const purchase = session.client_reference_id ?? '';
      if (session.payment_status !== 'paid' || session.mode !== 'payment' || !this.buyers.has(purchase)) return [];
      return [{ payment: session.payment_intent as string, purchase, cents: session.amount_subtotal ?? 0 }];
    });
  }

  /** A payment that nothing was taken from. */
  private untouched(): string | null {
    const touched = new Set(this.refunds.map(({ payment }) => payment));
    const free = this.paid().filter(({ payment }) => !touched.has(payment) && !this.disputed(payment));
    return free.length === 0 ? null : this.chance.pick(free).payment;
  }

  private disputed = (payment: string): boolean =>
    [...this.disputes.keys()].some((id) => this.shop.practice.account.dispute(id).payment_intent === payment);

  private async refund(): Promise<void> {
    const { account } = this.shop.practice;
    const open = this.refunds.filter(({ failed }) => !failed);
    if (open.length > 0 && this.chance.happens(0.3)) {
      const refund = this.chance.pick(open);
      refund.failed = true;
      account.failRefund(refund.id);
      return;
    }
    const payment = this.untouched();
    if (payment === null) return;
    const { amount } = account.intent(payment);
    const { id } = account.createRefund(payment, this.chance.between(1, amount));
    this.refunds.push({ id, payment, failed: false });
  }

  private async dispute(): Promise<void> {
    const { account } = this.shop.practice;
    const taken = [...this.disputes].filter(([, state]) => state === 'taken');
    if (taken.length > 0 && this.chance.happens(0.5)) {
      const [id] = this.chance.pick(taken);
      const end = this.chance.pick(['won', 'lost'] as const);
      account.endDispute(id, end);
      this.disputes.set(id, end);
      return;
    }
    const payment = this.untouched();
    if (payment === null) return;
    const asked = this.chance.happens(0.2);
    const { id } = account.createDispute(payment, asked ? 'warning_needs_response' : 'needs_response');
    this.disputes.set(id, asked ? 'asked' : 'taken');
  }

  /** Time passes. What the house does by itself meanwhile is done at both ends of it. */
  private async jump(): Promise<void> {
    const seconds = this.chance.pick([10, 400, 4000, day, 3 * day, 15 * day, 33 * day]);
    if (seconds >= day) await this.keepHouse();
    this.note('jump');
    this.shop.house.clock.forward(seconds);
    this.shop.practice.account.advance();
    if (seconds < day) return;
    await this.keepHouse();
    // People signed in again meanwhile.
    const now = this.shop.house.clock.now().toISOString();
    const ids = this.people.map(({ id }) => `'${id}'`).join();
    await this.ask(`update sessions set created_at = '${now}', seen_at = '${now}' where user_id in (${ids})`);
  }

  private async keepHouse(): Promise<void> {
    const { house } = this.shop.house;
    for (const step of [reconcileNow, sweepStalled, sweepHolds, sweepLots, sweepGifts]) await again(() => step(house));
  }

  private async disturb(): Promise<void> {
    this.shop.practice.faults[this.chance.pick(['lose', 'fail'] as const)] = this.chance.between(1, 2);
  }

  /** Everything arrives at last; then the books are compared with what really happened. */
  private async atTheEnd(team: TeamHistory): Promise<string | null> {
    Object.assign(this.shop.practice.faults, { lose: 0, fail: 0 });
    this.late = [];
    this.shop.practice.held?.splice(0);
    // Periods end, and gifts have waited long enough.
    if (this.chance.happens(0.5)) {
      await this.keepHouse();
      this.shop.house.clock.forward(33 * day);
      this.shop.practice.account.advance();
      await this.keepHouse();
    }
    this.shop.house.clock.forward(2 * day);
    this.shop.practice.account.advance();
    await this.keepHouse();
    await this.keepHouse();
    return (
      (await this.wrongNow()) ??
      (await this.serviceDiffers()) ??
      (await team.wrongAtTheEnd()) ??
      (await this.jobsDiffer()) ??
      (await this.lapsedLeft()) ??
      this.peopleDiffer()
    );
  }

  private ask = <T extends object>(sql: string): Promise<T[]> =>
    again(async () => (await this.shop.house.database.sql.unsafe<T[]>(sql)) as unknown as T[]);

  private async serviceDiffers(): Promise<string | null> {
    const there = this.shop.practice.account.movements().reduce((sum, { amount }) => sum + BigInt(amount) * cent, 0n);
    const [row] = await this.ask<{ sum: string }>(`
      select coalesce(sum(case when from_account = 'stripe' then amount else -amount end), 0)::text as sum
      from ledger_transfers where 'stripe' in (from_account, to_account)`);
    return there === BigInt(row?.sum ?? 0) ? null : `the service moved ${there}, the books ${row?.sum}`;
  }

  private async lapsedLeft(): Promise<string | null> {
    const now = this.shop.house.clock.now().toISOString();
    const [lot] = await this.ask<{ id: string }>(
      `select id from ledger_accounts where name = 'lot' and balance > 0 and lapses_at <= '${now}'`,
    );
    return lot ? `${lot.id} lapsed, and is not empty` : null;
  }

  /** Each job that ended took what it used, once; each other one nothing. */
  private async jobsDiffer(): Promise<string | null> {
    for (const job of this.jobs) {
      const moves = await this.ask<{ state: string; target: string; amount: string }>(`
        select h.state, t.to_account as target, t.amount::text as amount from holds h
        join ledger_postings p on p.hold_id = h.id join ledger_transfers t on t.posting_id = p.id
        where h.id = '${job.hold}'`);
      const sum = (target: string) =>
        moves.filter((move) => move.target === target).reduce((all, { amount }) => all + BigInt(amount), 0n);
      const [used, revenue, state] = [sum('used'), sum('revenue'), moves[0]?.state];
      if (state === 'open') return `${job.hold} is still open`;
      const due = state === 'captured' ? BigInt(Math.min(job.used ?? 0, job.seconds)) : 0n;
      if (job.groupId !== null && used > 0n) return `${job.hold} of a team took ${used} s of minutes`;
      // By minutes first; begun seconds of credits count whole.
      if (used > due || revenue !== costOf(due - used, BigInt(minutePrice)))
        return `${job.hold} (${state}) took ${used} s and ${revenue} for ${due} s`;
    }
    this.jobs.splice(0);
    return null;
  }

  private async peopleDiffer(): Promise<string | null> {
    const paid = this.paid();
    const back = (payment: string, cents: number): bigint => {
      const brought = paid.find((one) => one.payment === payment);
      const extra = this.withPromo.has(brought?.purchase ?? '') ? bonus : 0n;
      return BigInt(cents) * cent + (extra * BigInt(cents)) / BigInt(brought?.cents ?? 1);
    };
    const { account } = this.shop.practice;
    for (const person of this.people) {
      const mine = paid.filter(({ purchase }) => this.buyers.get(purchase) === person);
      let due = 0n;
      for (const { payment, purchase, cents } of mine) {
        due += BigInt(cents) * cent + (this.withPromo.has(purchase) ? bonus : 0n);
        for (const { id, failed } of this.refunds.filter((one) => one.payment === payment))
          if (!failed) due -= back(payment, account.refund(id).amount);
        for (const [id, state] of this.disputes)
          if ((state === 'taken' || state === 'lost') && account.dispute(id).payment_intent === payment)
            due -= back(payment, account.dispute(id).amount);
      }
      const [row] = await this.ask<{ usd: string; spent: string; minted: string; bundles: string }>(`
        select
          (select coalesce(sum(balance), 0) from ledger_accounts where purse_id = p.id and unit = 'usd')::text as usd,
          (select coalesce(sum(t.amount), 0) from ledger_transfers t
            where t.to_account = 'revenue' and t.from_account like p.id || '/heldCredits')::text as spent,
          (select coalesce(sum(t.amount), 0) from ledger_transfers t join ledger_accounts a on a.id = t.to_account
            where t.from_account = 'minted' and a.purse_id = p.id and a.source = 'professional')::text as minted,
          (select coalesce(sum(t.amount), 0) from ledger_transfers t join ledger_accounts a on a.id = t.to_account
            where t.from_account = 'minted' and a.purse_id = p.id and a.source = 'bundle300')::text as bundles
        from purses p where p.user_id = '${person.id}'`);
      const bought = this.fromCredits.get(person) ?? 0n;
      const left = due - bought + (await this.givenTo(person)) - BigInt(row?.spent ?? 0);
      if (left !== BigInt(row?.usd ?? 0)) return `${person.email} should have ${left}, and has ${row?.usd}`;
      const minutes = (bought / 36_000_000n) * bundleSeconds;
      if (minutes !== BigInt(row?.bundles ?? 0))
        return `${person.email} should have got ${minutes} s of bundles, and got ${row?.bundles}`;
      const bills = this.periodsOf(person);
      if (BigInt(row?.minted ?? 0) !== BigInt(bills) * 60_000n)
        return `${person.email} paid ${bills} periods, and got ${row?.minted} s`;
    }
    return null;
  }

  /** Bills of plans that a person paid. */
  private periodsOf(person: Person): number {
    const { account } = this.shop.practice;
    const mine = account
      .sessions()
      .filter((one) => one.mode === 'subscription' && this.buyers.get(one.client_reference_id ?? '') === person)
      .map(({ subscription }) => subscription as string);
    const bills = account.events().flatMap(({ type, data }) => {
      const bill = data.object as Stripe.Invoice;
      const of = bill.parent?.subscription_details?.subscription;
      return type === 'invoice.paid' && typeof of === 'string' && mine.includes(of) ? [bill.id] : [];
    });
    return new Set(bills).size;
  }
}
