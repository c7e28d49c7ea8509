import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { CostOption } from '#shared/intake.ts';

import { ApiError, useApi } from '../api.ts';
import { useAmounts } from '../billing/amounts.ts';
import { useOnBalance } from '../billing/balance-query.ts';
import { BuyMore } from '../billing/buy-more.tsx';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './copy-dialog.module.css';

interface OfferProps {
  id: string;
  /** Copies, now that the recording is paid for. */
  onPaid: () => void;
}

const isUsable = ({ isEnough, isEnoughQuota }: CostOption): boolean => isEnough && isEnoughQuota;

/** The way out where a recording is not copied because free minutes paid for it: its owner pays for it, once. */
export function UpgradeOffer({ id, onPaid }: OfferProps) {
  const ready = useTexts('payments', { inBackground: true });
  const { t } = useTranslation('payments');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['costs', id, 'upgrade'],
    queryFn: () => parseResponse(api.meetings[':id'].costs.$get({ param: { id }, query: { purpose: 'upgrade' } })),
    staleTime: 0,
    gcTime: 0,
  });
  const again = () => void refetch();
  // Bought in another tab, perhaps.
  useOnBalance(again);
  if (ready && data) return <Offer id={id} costs={data} onPaid={onPaid} onRefused={again} />;
  if (!ready || !error)
    return (
      <Waiting>
        <Bone width="80%" height="1.25rem" />
      </Waiting>
    );
  const isOthers = error instanceof ApiError && error.status === 403;
  return isOthers ? <p className={styles.lead}>{t('upgrade.askOwner')}</p> : <Failure error={error} onRetry={again} />;
}

interface OneProps extends OfferProps {
  costs: readonly CostOption[];
  /** Looks up the ways to pay again. */
  onRefused: () => void;
}

function Offer({ id, costs, onPaid, onRefused }: OneProps) {
  const { t } = useTranslation('payments');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const priceOf = usePrice();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (cost: CostOption) =>
      parseResponse(api.meetings[':id'].upgrade.$post({ param: { id }, json: { cost } })),
    meta: { quiet: true },
    onSuccess: onPaid,
    onError: onRefused,
  });
  const option = costs.find(isUsable) ?? costs[0];
  // Paid elsewhere meanwhile: the copy can be asked for again.
  if (!option) return null;
  const { organizationName: team } = option;
  const price = priceOf(option);
  return (
    <div className={styles.offer} role="group" aria-label={t('upgrade.title')}>
      <p>{team === null ? t('upgrade.text', { price }) : t('upgrade.textTeam', { price, team })}</p>
      {error && <p role="alert">{failureMessage(error, said)}</p>}
      {isUsable(option) ? (
        <Button busy={isPending} onClick={() => mutate(option)}>
          {t('upgrade.pay')}
        </Button>
      ) : (
        <Lacking option={option} />
      )}
    </div>
  );
}

function Lacking({ option: { isDelegated, recommendedBalanceTopUp: missing } }: { option: CostOption }) {
  const { t } = useTranslation('payments');
  const { money } = useAmounts();
  if (isDelegated || missing <= 0) return <p>{t('upgrade.noFunds')}</p>;
  return (
    <>
      <p>{t('upgrade.missing', { amount: money(Math.ceil(missing * 100 - 1e-6) / 100) })}</p>
      <BuyMore missing={missing} back={null} />
    </>
  );
}

/** Price of an option in words: bought minutes, credits, or both. */
function usePrice(): (option: CostOption) => string {
  const { t } = useTranslation('payments');
  const { money, minutes } = useAmounts();
  return ({ cost, professionalMinutes, subscriptionMinutes }) => {
    const paid = professionalMinutes + subscriptionMinutes;
    return [
      ...(paid > 0 ? [t('upgrade.minutes', { count: paid, minutes: minutes(paid) })] : []),
      ...(cost > 0 ? [money(cost)] : []),
    ].join(' + ');
  };
}
