import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import { waitingQuery } from './purchase-notice.tsx';
import { useShop } from './shop-query.ts';

interface BuyMoreProps {
  /** Credits that the person has too few. */
  missing: number;
  /** Page that opens this dialog again; null: only this tab has what was entered, so the purchase gets another one. */
  back: string | null;
}

/** The way out where credits are too few; none on a server that sells nothing. */
export function BuyMore({ missing, back }: BuyMoreProps) {
  const { t } = useTranslation('shell');
  const { data: shop } = useShop();
  if (!shop || shop.mode === 'off') return null;
  const query = new URLSearchParams({
    amount: String(missing),
    ...(back === null ? { [waitingQuery]: '1' } : { redirectTo: back }),
  });
  return (
    <ButtonLink to={`${paths.buyCredits}?${query}`} newTab={back === null}>
      {t('menu.buyCredits')}
    </ButtonLink>
  );
}
