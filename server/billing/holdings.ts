import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { bundleNames, planNames, viewOf, type PlanView } from '#shared/catalogue.ts';
import { creditsText } from '#shared/money.ts';
import type { BillingInfo } from '#shared/payments.ts';
import { after, type Clock } from '../clock.ts';
import { billingInfoFrom, type StoredBillingInfo } from './profile.ts';
import { contentsFrom, type AccountRow, type Contents } from './purse.ts';

/** Seconds for which a purchase is recent, so that buying again asks first. */
const recentSeconds = 86_400;

/** Contents of a purse, plans, billing info and last purchase of a person. */
interface Holdings {
  contents: Contents;
  /** All plans and bundles on sale; the person's own are active. */
  plans: PlanView[];
  billingInfo: BillingInfo | null;
  /** The last purchase of credits within a day. */
  recentCreditsPurchase: { balance: string; date: number } | null;
}

interface HeldPlan {
  plan: string;
  service_id: string | null;
  state: string;
  cancelled: boolean;
  period_end: string;
  bill_url: string | null;
}

interface Row extends Record<string, unknown> {
  accounts: AccountRow[] | null;
  held: HeldPlan[] | null;
  profile: StoredBillingInfo | null;
  recent: { amount: string; paid_at: string } | null;
}

/** Reads the holdings in one query, because every page asks for it when it opens. */
export async function holdingsOf({ clock }: { clock: Clock }, orm: Orm, userId: string): Promise<Holdings> {
  const now = clock.now();
  const [row] = await orm.execute<Row>(sql`
    select
      (select json_agg(json_build_object('id', a.id, 'name', a.name, 'balance', a.balance::text, 'paid', a.paid,
        'lapses_at', a.lapses_at, 'source', a.source, 'created_at', a.created_at))
        from ledger_accounts a where a.purse_id = p.id and a.balance <> 0) as accounts,
      (select json_agg(s) from (
        select plan, service_id, state, cancelled, period_end, bill_url from subscriptions
        where purse_id = p.id and state <> 'ended'
          and (service_id is not null or period_end > ${now.toISOString()}::timestamptz)) s) as held,
      (select json_build_object('name', b.name, 'address', b.address, 'taxIds', b.tax_ids)
        from billing_profiles b where b.user_id = u.id) as profile,
      (select json_build_object('amount', c.amount::text, 'paid_at', c.paid_at) from purchases c
        where c.purse_id = p.id and c.state = 'paid' and c.plan is null
          and c.paid_at > ${after(now, -recentSeconds).toISOString()}::timestamptz
        order by c.paid_at desc limit 1) as recent
    from (select ${userId}::text as id) u left join purses p on p.user_id = u.id`);
  const contents = contentsFrom(row?.accounts ?? [], now);
  const { recent = null, profile = null } = row ?? {};
  return {
    contents,
    plans: plansWith(row?.held ?? [], contents),
    billingInfo: profile && billingInfoFrom(profile),
    recentCreditsPurchase: recent && {
      balance: creditsText(BigInt(recent.amount)),
      date: new Date(recent.paid_at).getTime(),
    },
  };
}

function plansWith(held: readonly HeldPlan[], { lots }: Contents): PlanView[] {
  return [
    ...planNames.map((name) =>
      withHolding(
        viewOf(name),
        held.find(({ plan }) => plan === name),
      ),
    ),
    ...bundleNames.map((name) => {
      const ends = lots.filter(({ source }) => source === name).map(({ lapsesAt }) => lapsesAt?.getTime() ?? 0);
      return { ...viewOf(name), active: ends.length > 0, endDate: ends.length > 0 ? Math.max(...ends) : null };
    }),
  ];
}

function withHolding(view: PlanView, held: HeldPlan | undefined): PlanView {
  if (!held) return view;
  return {
    ...view,
    active: true,
    cancellable: held.service_id !== null && !held.cancelled,
    cancelled: held.cancelled,
    endDate: new Date(held.period_end).getTime(),
    pastDue: held.state === 'past_due',
    billUrl: held.bill_url,
  };
}
