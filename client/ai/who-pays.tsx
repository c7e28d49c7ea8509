import { useState } from 'react';

import type { CostOption, SeenCost } from '#shared/intake.ts';

import { useAmounts } from '../billing/amounts.ts';
import { useOnBalance } from '../billing/balance-query.ts';
import { PracticeNote } from '../billing/mode-banner.tsx';
import { OptionNotes } from '../intake/costs.tsx';
import { isUsable } from '../intake/steps.ts';
import { useTexts } from '../texts.ts';
import { SelectField } from '../ui/field.tsx';
import { useTranslation } from '../use-translation.ts';
import { payingWith, type Payer } from './paying.ts';

/** The person, among the teams that pay. */
const own = 'own';

/** Price and payer that a request agrees to. */
export type Cost = Pick<SeenCost, 'cost'> & { groupId: string | null };

interface Paying {
  costs: readonly CostOption[];
  /** Way to pay that is taken. */
  option: CostOption | null;
  /** Payer of before who pays no more: nobody else does until the person says so. */
  gone: Payer | null;
  onChoose: (groupId: string | null) => void;
  /** False where that way cannot be taken. */
  isPossible: boolean;
  cost: Cost;
}

/** Choice of who pays: the first one that can, until the person has seen or chosen one. */
export function usePaying(costs: readonly CostOption[]): Paying {
  const ready = useTexts('intake');
  const [kept, keep] = useState<Payer | null>(null);
  const { option, gone } = payingWith(costs, kept);
  const cost = { cost: option?.cost ?? 0, groupId: option?.groupId ?? null };
  // Nobody agrees to a price that is not shown yet.
  const isSeen = option === null || option.cost === 0 || ready;
  const onChoose = (groupId: string | null) => {
    const name = costs.find((one) => one.groupId === groupId)?.organizationName ?? null;
    keep({ groupId, name });
  };
  if (kept === null && option && option.cost > 0 && ready) onChoose(option.groupId);
  const isPossible = isSeen && gone === null && (option === null || isUsable(option));
  return { costs, option, gone, onChoose, isPossible, cost };
}

interface WhoPaysProps extends Paying {
  /** Price in words. */
  said: (price: string) => string;
  className: string | undefined;
  /** Asks for the ways to pay again. */
  onAgain: () => void;
}

/** Price of what an assistant is asked, who pays it, and the way out where that is impossible; nothing where it is free. */
export function WhoPays(props: WhoPaysProps) {
  const { option, gone } = props;
  const ready = useTexts('intake');
  return (gone || (option && option.cost > 0)) && ready ? <Priced {...props} /> : null;
}

function Priced({ costs, option, gone, onChoose, said, className, onAgain }: WhoPaysProps) {
  const { t } = useTranslation('chat');
  const { money } = useAmounts();
  // Bought or spent elsewhere, perhaps: no refusal comes only on the click.
  useOnBalance(onAgain);
  const team = option?.organizationName ?? null;
  return (
    <>
      <PracticeNote />
      {option && (
        <p className={className}>
          {said(money(option.cost))}
          {costs.length === 1 && team !== null && ` ${t('pays.team', { team })}`}
        </p>
      )}
      {gone && <p role="alert">{gone.name === null ? t('pays.goneOwn') : t('pays.gone', { team: gone.name })}</p>}
      {(costs.length > 1 || gone) && (
        <SelectField
          label={t('pays.label')}
          {...(gone && { placeholder: t('pays.choose') })}
          value={option ? (option.groupId ?? own) : ''}
          options={costs.map(({ groupId, organizationName, balance }) => ({
            value: groupId ?? own,
            label: organizationName ?? t('pays.own', { balance: money(balance) }),
          }))}
          onChange={(value) => onChoose(value === own ? null : value)}
        />
      )}
      {/* What was typed is on this page alone, so buying gets another tab. */}
      {option && <OptionNotes option={option} back={null} />}
    </>
  );
}
