import { useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useCallback, useState } from 'react';

import { isEmail } from '#shared/email.ts';
import { creditsText, parseCredits } from '#shared/money.ts';
import type { FieldError } from '#shared/problems.ts';

import { ApiError, useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmailField, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { SaidError, useSending } from '../ui/sending.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useAmounts } from './amounts.ts';
import styles from './billing.module.css';
import { balanceKey, useBalance } from './balance-query.ts';
import { BuyMore } from './buy-more.tsx';
import { PracticeNote } from './mode-banner.tsx';

interface TransferDialogProps {
  /** Person who gets the credits; without one the sender enters an address. */
  to?: { name: string; email: string } | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Transfers credits to another person. */
export function TransferDialog({ to, opened, onClose }: TransferDialogProps) {
  const ready = useTexts('billing');
  const { t } = useTranslation('billing');
  const title = to ? t('transfer.titleTo', { to: to.name }) : t('transfer.title');
  return (
    <Dialog opened={opened && ready} onClose={onClose} title={title} size="sm" keepOnBackdrop>
      <Body to={to} title={title} onClose={onClose} />
    </Dialog>
  );
}

const faults = { amount: 'amountWrong', email: 'emailWrong', gift_self: 'self', gift_pending: 'pending' } as const;

/** The server's codes in the words of this form. */
function useFaults(): (error: FieldError) => string | undefined {
  const { t } = useTranslation('billing');
  return useCallback(
    ({ field, code }) => {
      const known = Object.hasOwn(faults, code) ? faults[code as keyof typeof faults] : null;
      if (known !== null) return t(`transfer.${known}`);
      return field === 'recipient' ? t('transfer.emailWrong') : undefined;
    },
    [t],
  );
}

interface Wanted {
  recipient: string;
  balance: string;
}

function Body({ to, title, onClose }: Pick<TransferDialogProps, 'to' | 'onClose'> & { title: string }) {
  const { t } = useTranslation(['common', 'billing']);
  const { money } = useAmounts();
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const { data: balance, refetch } = useBalance();
  const [email, setEmail] = useState('');
  const [typed, setTyped] = useState('');
  /** Credits that were too few when the transfer was refused. */
  const [missing, setMissing] = useState<number | null>(null);
  const recipient = (to?.email ?? email).trim();
  const amount = parseCredits(typed);
  const { send, busy, errors, errorOf, refuse } = useSending(
    async (json: Wanted) => {
      setMissing(null);
      try {
        return await parseResponse(api.gift.$post({ json }));
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 402)) throw error;
        const { data: now } = await refetch();
        setMissing(Number(json.balance) - Number(now?.balance ?? 0));
        throw new SaidError(t('billing:transfer.funds'), { cause: error });
      }
    },
    (_, json) => {
      notify({
        type: 'info',
        message: t('billing:transfer.sent', { amount: money(json.balance), to: json.recipient }),
      });
      void queries.invalidateQueries({ queryKey: balanceKey });
      onClose();
    },
    useFaults(),
  );
  const submit = () => {
    if (busy) return;
    const wrong = [
      ...(isEmail(recipient) ? [] : [{ field: 'recipient', code: 'email' }]),
      ...(amount !== null && amount > 0n ? [] : [{ field: 'balance', code: 'amount' }]),
    ];
    refuse(wrong);
    if (wrong.length === 0 && amount !== null) send({ recipient, balance: creditsText(amount) });
  };
  if (!balance)
    return (
      <Waiting label={t('billing:balance.waiting')}>
        <Bone width="100%" height="8rem" />
      </Waiting>
    );
  return (
    <Form label={title} errors={errors} onSubmit={submit}>
      <PracticeNote />
      {!to && (
        <EmailField
          name="recipient"
          label={t('billing:transfer.recipient')}
          hint={t('billing:transfer.wait')}
          value={email}
          onChange={setEmail}
          error={errorOf('recipient')}
          autoComplete="off"
          required
          data-autofocus
        />
      )}
      <TextField
        name="balance"
        label={t('billing:transfer.amount')}
        hint={t('billing:transfer.left', { amount: money(balance.balance) })}
        value={typed}
        onChange={setTyped}
        error={errorOf('balance')}
        inputMode="decimal"
        autoComplete="off"
        required
        data-autofocus={to ? true : undefined}
      />
      <p className={styles.echo} role="status">
        {isEmail(recipient) &&
          amount !== null &&
          amount > 0n &&
          t('billing:transfer.echo', { amount: money(creditsText(amount)), to: recipient })}
      </p>
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {missing !== null && <BuyMore missing={missing} back={null} />}
        <Button type="submit" look="primary" busy={busy} disabled={recipient === ''}>
          {t('billing:transfer.send')}
        </Button>
      </Actions>
    </Form>
  );
}
