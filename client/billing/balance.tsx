import { useState } from 'react';
import { Link } from 'react-router-dom';

import type { BalanceView } from '#shared/billing.ts';
import { balanceLevel, lowBalance } from '#shared/low-balance.ts';

import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Explained } from '../ui/hint.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Bone, PageBones, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useAmounts } from './amounts.ts';
import { useBalance } from './balance-query.ts';
import styles from './billing.module.css';
import { BillingProfile } from './billing-profile.tsx';
import { PracticeNote } from './mode-banner.tsx';
import { PlanCard } from './plan-card.tsx';
import { PurchaseNotice } from './purchase-notice.tsx';
import { useReservedText } from './reserved.ts';
import { TeamPays, usePersonalBalance } from './team-pays.tsx';
import { TransferDialog } from './transfer-dialog.tsx';

/** The person's money and minutes. */
export default function Balance() {
  const ready = useTexts('billing');
  const readyToo = useTexts('payments');
  return ready && readyToo ? <Page /> : <PageBones />;
}

function Page() {
  const { t } = useTranslation('billing');
  const { data: balance, error, refetch } = useBalance();
  const { teamPays, isShown, show } = usePersonalBalance();
  return (
    <>
      <PageTitle>{t('balance.title')}</PageTitle>
      <PracticeNote />
      <PurchaseNotice />
      {teamPays && <TeamPays onShow={isShown ? null : show} />}
      {!isShown ? null : balance ? (
        <Contents balance={balance} />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting label={t('balance.waiting')}>
          <Bone width="60%" height="5rem" />
          <Bone width="70%" height="1.25rem" />
        </Waiting>
      )}
    </>
  );
}

/** Plans and bundles; buying one leads back here. */
const plansPage = `${paths.changePlan}?${new URLSearchParams({ redirectTo: paths.balance })}`;

function Contents({ balance }: { balance: BalanceView }) {
  const { t } = useTranslation('billing');
  const { t: menu } = useTranslation('shell');
  const { money, minutes, date } = useAmounts();
  const { t: payments } = useTranslation('payments');
  const { lots, plans, billingInfo } = balance;
  const reserved = useReservedText()(balance);
  const [transferring, setTransferring] = useState(false);
  const price = balance.cost.plans.individual.oneMinuteCost;
  const columns: Column<BalanceView['lots'][number]>[] = [
    { id: 'kind', header: t('balance.column.kind'), cell: ({ paid }) => t(paid ? 'balance.paid' : 'balance.free') },
    {
      id: 'minutes',
      header: t('balance.column.minutes'),
      cell: (lot) => minutes(lot.minutes),
      numeric: true,
    },
    {
      id: 'until',
      header: t('balance.column.until'),
      cell: ({ until }) => (until === null ? t('balance.always') : date(until)),
    },
  ];
  return (
    <div className={styles.parts}>
      <dl className={styles.tiles}>
        <Tile
          name={t('balance.minutes')}
          why={t('balance.whyMinutes')}
          amount={balance.totalMinutes}
          low={lowBalance.minutes}
        >
          {minutes(balance.totalMinutes)}
        </Tile>
        <Tile
          name={t('balance.credits')}
          why={t('balance.whyCredits')}
          amount={Number(balance.balance)}
          low={lowBalance.credits}
          covered={balance.totalMinutes > 0}
        >
          {money(balance.balance)}
        </Tile>
      </dl>
      <div className={styles.actions}>
        <ButtonLink look="primary" to={paths.buyCredits}>
          {menu('menu.buyCredits')}
        </ButtonLink>
        <ButtonLink to={`${plansPage}#bundles`}>{t('balance.buyBundle')}</ButtonLink>
        <Button onClick={() => setTransferring(true)}>{t('balance.transfer')}</Button>
        <ButtonLink to={plansPage}>{menu('menu.changePlan')}</ButtonLink>
      </div>
      <TransferDialog opened={transferring} onClose={() => setTransferring(false)} />
      {Number(balance.debt) > 0 && (
        <p className={styles.debt} role="status">
          {t('balance.debt', { amount: money(balance.debt) })}
        </p>
      )}
      <ul className={styles.facts}>
        {reserved !== null && <li>{reserved}</li>}
        <li>{t('balance.usable', { minutes: minutes(balance.totalMinutes) })}</li>
        {balance.professionalEndDate !== null && (
          <li>{t('balance.until', { date: date(balance.professionalEndDate) })}</li>
        )}
        <li>{t('balance.minuteCost', { price: money(price) })}</li>
        <li>
          {t('balance.minutesFor', {
            count: balance.minutesForBalance,
            minutes: minutes(balance.minutesForBalance),
          })}
        </li>
      </ul>
      <p>
        <Link to={paths.transactions}>{t('balance.transactions')}</Link>
      </p>
      <Table
        caption={t('balance.lots')}
        showCaption
        columns={columns}
        rows={lots}
        rowKey={(lot) => `${lots.indexOf(lot)}`}
        empty={t('balance.noLots')}
      />
      {plans.length > 0 && (
        <section className={styles.plans}>
          <h2>{payments('plans.mine')}</h2>
          <ul>
            {plans.map((plan) => (
              <PlanCard key={plan.name} plan={plan} />
            ))}
          </ul>
        </section>
      )}
      <BillingProfile stored={billingInfo} />
    </div>
  );
}

interface TileProps {
  name: string;
  /** Explains the amount. */
  why: string;
  amount: number;
  low: number;
  /** True if something else pays as long as nothing is left here. */
  covered?: boolean;
  children: string;
}

/** An amount, in yellow when it runs low and in red when nothing is left to pay with; said in words, too. */
function Tile({ name, why, amount, low, covered = false, children }: TileProps) {
  const { t } = useTranslation('billing');
  const level = balanceLevel(amount, low);
  return (
    <div className={styles.tile} data-level={level === 'none' && covered ? 'covered' : level}>
      <dt>
        <Explained text={why}>{name}</Explained>
      </dt>
      <dd>
        <span className={styles.amount}>{children}</span>
        {level !== 'enough' && <span className={styles.level}>{t(`balance.${level}`)}</span>}
      </dd>
    </div>
  );
}
