import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { CostOption, SeenCost } from '#shared/intake.ts';

import { useAmounts } from '../billing/amounts.ts';
import { useOnBalance } from '../billing/balance-query.ts';
import { PracticeNote } from '../billing/mode-banner.tsx';
import { OptionNotes } from '../intake/costs.tsx';
import { isUsable } from '../intake/steps.ts';
import { useTexts } from '../texts.ts';
import { SelectField } from '../ui/field.tsx';

/** Price and payer that a request agrees to. */
export type Cost = Pick<SeenCost, 'cost'> & { groupId: string | null };

interface Paying {
  costs: readonly CostOption[];
  /** Way to pay that is taken. */
  option: CostOption | null;
  onChoose: (groupId: string | null) => void;
  /** False where that way cannot be taken. */
  isPossible: boolean;
  cost: Cost;
}

/** Choice of who pays: until the person chooses, the first one that can. */
export function usePaying(costs: readonly CostOption[]): Paying {
  const ready = useTexts('intake');
  const [chosen, onChoose] = useState<string | null | undefined>(undefined);
  const option = costs.find(({ groupId }) => groupId === chosen) ?? costs.find(isUsable) ?? costs[0] ?? null;
  const cost = { cost: option?.cost ?? 0, groupId: option?.groupId ?? null };
  // Nobody agrees to a price that is not shown yet.
  const isSeen = option === null || option.cost === 0 || ready;
  return { costs, option, onChoose, isPossible: isSeen && (option === null || isUsable(option)), cost };
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
  const { option } = props;
  const ready = useTexts('intake');
  return option && option.cost > 0 && ready ? <Priced {...props} option={option} /> : null;
}

function Priced({ costs, option, onChoose, said, className, onAgain }: WhoPaysProps & { option: CostOption }) {
  const { t } = useTranslation('chat');
  const { money } = useAmounts();
  // Bought or spent elsewhere, perhaps: no refusal comes only on the click.
  useOnBalance(onAgain);
  const team = option.organizationName;
  return (
    <>
      <PracticeNote />
      <p className={className}>
        {said(money(option.cost))}
        {costs.length === 1 && team !== null && ` ${t('pays.team', { team })}`}
      </p>
      {costs.length > 1 && (
        <SelectField
          label={t('pays.label')}
          value={option.groupId ?? ''}
          options={costs.map(({ groupId, organizationName, balance }) => ({
            value: groupId ?? '',
            label: organizationName ?? t('pays.own', { balance: money(balance) }),
          }))}
          onChange={(value) => onChoose(value === '' ? null : value)}
        />
      )}
      {/* What was typed is on this page alone, so buying gets another tab. */}
      <OptionNotes option={option} back={null} />
    </>
  );
}
