import { dollarsOf } from '#shared/dollars.ts';
import type { CostOption } from '#shared/intake.ts';

import { useAmounts } from '../billing/amounts.ts';
import { useOnBalance } from '../billing/balance-query.ts';
import { BuyMore } from '../billing/buy-more.tsx';
import { PracticeNote } from '../billing/mode-banner.tsx';
import { paths } from '../paths.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { isUsable } from './steps.ts';

/** A begun cent counts: nobody pays more than was shown, or is left with too little. */
const wholeCents = (amount: number): number => Math.ceil(amount * 100 - 1e-6) / 100;

/** A cost option as text. */
export function useCostText(): (cost: CostOption) => string {
  const { t, i18n } = useTranslation('intake');
  // To a tenth, never less than what is taken.
  const tenths = (minutes: number) => Math.ceil(Math.round(minutes * 600) / 60) / 10;
  const plain = new Intl.NumberFormat(i18n.language);
  const inMinutes = (minutes: number) => ({ count: tenths(minutes), minutes: plain.format(tenths(minutes)) });
  return ({
    cost,
    isDelegated,
    freeMinutes,
    professionalMinutes,
    subscriptionMinutes,
    organizationName,
  }: CostOption) => {
    const paidMinutes = professionalMinutes + subscriptionMinutes;
    const parts = [
      ...(organizationName === null ? [] : [organizationName]),
      ...(freeMinutes > 0 ? [t('cost.minutes', inMinutes(freeMinutes))] : []),
      ...(paidMinutes > 0 ? [t('cost.paidMinutes', inMinutes(paidMinutes))] : []),
      ...(cost > 0
        ? [t(isDelegated ? 'cost.teamBalance' : 'cost.balance', { cost: dollarsOf(wholeCents(cost), i18n.language) })]
        : []),
    ];
    return parts.join(' · ') || t('cost.free');
  };
}

interface CostsProps {
  costs: readonly CostOption[];
  onChoose: (cost: CostOption) => void;
  /** Asks for the costs again. */
  onAgain: () => void;
  /** Page to which buying credits leads back; null: this tab cannot be left. */
  back: string | null;
}

/** The cost options, and why one cannot be chosen. */
export function Costs({ costs, onChoose, onAgain, back }: CostsProps) {
  const { t } = useTranslation('intake');
  const said = useCostText();
  // Bought or spent elsewhere, perhaps: no refusal comes only on the click.
  useOnBalance(onAgain);
  return (
    <>
      {costs.some(({ cost }) => cost > 0) && <PracticeNote />}
      <ul className={styles.costs}>
        {costs.map((option, i) => (
          <li key={`${i} ${option.cost}`}>
            <Button wide disabled={!isUsable(option)} onClick={() => onChoose(option)}>
              {said(option)}
            </Button>
            {isUsable(option) && !option.isDelegated && <LeftAfter option={option} />}
            <OptionNotes option={option} back={back} />
          </li>
        ))}
        {costs.length > 0 && !costs.some(isUsable) && <WaysOn />}
        {costs.some(({ isDelegated, isEnough, isEnoughQuota }) => isDelegated && !(isEnough && isEnoughQuota)) && (
          <li>
            <Button look="quiet" onClick={onAgain}>
              {t('cost.again')}
            </Button>
          </li>
        )}
      </ul>
    </>
  );
}

/** Balance and minutes that the person has when this is paid. */
function LeftAfter({ option }: { option: CostOption }) {
  const { t } = useTranslation('intake');
  const { money, minutes } = useAmounts();
  const billing = useSession().data?.billing;
  const { cost, balance, freeMinutes, professionalMinutes } = option;
  const taken = freeMinutes + professionalMinutes;
  if (!billing || (cost === 0 && taken === 0)) return null;
  const left = Math.max(0, billing.totalMinutes - taken);
  // Whole cents, never more than there are.
  const credits = Math.floor(Math.max(0, balance - cost) * 100 + 1e-6) / 100;
  return (
    <p className={styles.small}>
      {t('cost.after', {
        credits: money(credits),
        count: Math.floor(left),
        minutes: minutes(left),
      })}
    </p>
  );
}

/** Notes on one option: why it cannot be chosen, and how much a team still pays. */
export function OptionNotes({ option, back }: { option: CostOption; back: string | null }) {
  return (
    <>
      {!isUsable(option) && <Refusal option={option} back={back} />}
      {option.isDelegated && <TeamNote option={option} />}
    </>
  );
}

/** Reason against an option, and the way out where that is the person's own balance. */
function Refusal({ option, back }: { option: CostOption; back: string | null }) {
  const { t, i18n } = useTranslation('intake');
  const { isDelegated, isEnoughQuota, recommendedBalanceTopUp: missing } = option;
  if (isDelegated || !isEnoughQuota || missing <= 0)
    return <p className={styles.small}>{isEnoughQuota ? t('cost.insufficient') : t('cost.quota')}</p>;
  const amount = dollarsOf(wholeCents(missing), i18n.language);
  return (
    <div className={styles.refusal}>
      <p className={styles.small}>{t('cost.missing', { amount })}</p>
      <BuyMore missing={missing} back={back} />
    </div>
  );
}

/** The rest of a member's quota, and the payer to ask where it is too little. */
function TeamNote({ option: { isEnough, isEnoughQuota, quotaLeft, payer } }: { option: CostOption }) {
  const { t, i18n } = useTranslation('intake');
  const left = dollarsOf(quotaLeft ?? 0, i18n.language);
  const name = payer ?? '';
  if (!isEnoughQuota) return <p className={styles.small}>{t('cost.askQuota', { left, name })}</p>;
  if (!isEnough) return <p className={styles.small}>{t('cost.askFunds', { name })}</p>;
  return quotaLeft === null ? null : <p className={styles.small}>{t('cost.quotaLeft', { left })}</p>;
}

/** Advice when no payment option can be chosen. Its link opens a new tab, because this one has the unsent form. */
function WaysOn() {
  const { t } = useTranslation('intake');
  const principal = useSession().data?.principal;
  if (principal?.kind === 'user' && !principal.confirmed)
    return (
      <li className={styles.small}>
        {t('cost.confirmFirst')}{' '}
        <a href={paths.resend} target="_blank" rel="noreferrer">
          {t('cost.confirm')}
        </a>
      </li>
    );
  return <li className={styles.small}>{t('cost.otherwise')}</li>;
}
